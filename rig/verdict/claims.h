// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "rig/verdict/baseline.h"

namespace rig::verdict {

std::vector<ClaimVerdict> against_reference(const RunRecord& record, const FigureIndex& index, const Judging& judging,
                                            const Rules& rules);

std::vector<Beside> beside_published(const RunRecord& record, const FigureIndex& index, const Judging& judging);

// The cells of the run that can stand for a published row, by job and metric of its table.
struct Place {
  const ComparedJob* job = nullptr;
  const CellRecord* cell = nullptr;
  std::string lack;  // why there is none
  bool planned = true;
};
Place place_of(const RunRecord& record, const Judging& judging, const PublishedTable& table, const PublishedRow& row);

}  // namespace rig::verdict
