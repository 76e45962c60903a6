// SPDX-License-Identifier: GPL-2.0-or-later
// What a cell's figures may be taken for, and which may be set against which: pure, from the record alone.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "rig/record/record.h"

namespace rig {

// Functional: the machinery works, and a figure says nothing of hardware. Modelled: as good as a machine's
// timing section. Measured: of guest CPUs that ran on the host's own.
enum class BasisKind { Functional, Modelled, Measured };
std::string to_string(BasisKind kind);  // "modelled"

// Of the attempts of one cell that ended ok. What each attempt's guests ran under goes before the run's accelerator.
struct Basis {
  BasisKind kind = BasisKind::Functional;
  // Each different way that its guests lay on host CPUs, "q6600 2,3,8,9; others 0-1": one where all attempts
  // agree, none where no guest CPU was on a host CPU of its own account.
  std::vector<std::string> pins;
  bool exact = true;                            // no attempt's mapping lost a relation (always of none)
  bool overcommitted = false;                   // in some attempt guest CPUs took turns on a host CPU
  std::map<std::string, std::string> controls;  // the host's, where all attempts agree; "varied" where not
  // Why the figures stand for less than their kind says: "q6600: 1 relation of its CPUs is lost on this host: …".
  // Measured ones with a reason are never set against published figures.
  std::vector<std::string> reasons;
  std::size_t boots = 0, disturbed = 0;  // attempts; those in which others took more of the host than is quiet
};
Basis basis_of(const RunRecord& record, const std::string& cell);
// The same of a cell's attempts, already picked out; those that did not end ok are passed over.
Basis basis_of(const std::string& accelerator, const std::vector<const AttemptRecord*>& attempts);

// Whether figures of the two may be compared, and what speaks against it or must be said beside it.
struct Comparison {
  enum class Kind {
    Sound,       // alike in all that is known
    Restricted,  // allowed, with the reasons beside it
    Refused,     // not of one kind, or measured in different places of the host, or under different settings of it
  };
  Kind kind = Kind::Sound;
  std::vector<std::string> reasons;  // of that kind alone
};
Comparison compare(const Basis& baseline, const Basis& candidate);

}  // namespace rig
