// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/run_material.h"

#include <fstream>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/draw_plots.h"

namespace rig::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff most_bytes = 8192;
constexpr std::size_t most_lines = 40;

// The last lines of a file that may be long; empty where there is none. A link is not followed: a run may come from
// somebody else.
std::string tail_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error))) return "";
  std::ifstream in(file, std::ios::binary);
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  if (!in || size <= 0) return "";
  const std::streamoff begin = std::max<std::streamoff>(0, size - most_bytes);
  in.seekg(begin);
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (begin > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);  // the rest of a line
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  std::size_t at = text.size();
  for (std::size_t lines = 0; at != std::string::npos && at > 0; ++lines) {
    const auto found = text.rfind('\n', at - 1);
    if (lines + 1 == most_lines && found != std::string::npos) return text.substr(found + 1);
    at = found;
  }
  return text;
}

}  // namespace

std::vector<Topology> machines_of(const fs::path& run) {
  const fs::path matrix = run / "plan/matrix.yaml";
  try {
    return load_matrix(matrix, store_beside(matrix)).topologies;
  } catch (const Error&) {
    return {};
  }
}

Material material_of(const RunRecord& record, const fs::path& run, ReportFormat format) {
  Material material;
  if (format == ReportFormat::Csv) return material;  // samples alone
  material.judging = std::make_shared<const Judging>(judging_of_run(run, record));
  material.verdicts = verdicts_of(record, *material.judging);
  if (format == ReportFormat::Text || format == ReportFormat::Json) return material;
  for (const auto& directory : consoles_wanted(record)) {
    const std::string tail = tail_of(run / directory / "console.log");
    if (!tail.empty()) material.consoles[directory] = tail;
  }
  if (format != ReportFormat::Html) return material;
  material.machines = machines_of(run);
  material.figures = draw_for_page(figures_of(record, material), material.no_figures);
  return material;
}

std::string write_page(const RunRecord& record, const fs::path& run) {
  const fs::path file = run / "report.html";
  try {
    std::string page;
    write_report(record, ReportFormat::Html, material_of(record, run, ReportFormat::Html),
                 [&](std::string_view piece) { page += piece; });
    write_file(file, page);
  } catch (const WorkError& error) {
    return std::string("no page: ") + error.what();  // the record stands: `rig report` makes it later
  }
  return "page: " + file.string();
}

}  // namespace rig::cli
