// Prints folded processes.
#include "process_summary.h"

#include "table_writer.h"

#include "analysis/processes/process_table.h"
#include "trace/base/quantities.h"

namespace ada::cli {

void printProcessSummary(Output &out, const Palette &palette, const analysis::ProcessList &list, bool absolute,
                         const std::string &path) {
  std::vector<analysis::ProcessNode> nodes = analysis::foldedProcesses(list);
  const Facts facts = analysis::processTableFacts(nodes);
  const size_t all = nodes.size();
  if (all > analysis::kMaxListed)
    nodes.resize(analysis::kMaxListed);
  std::vector<analysis::ProcessLine> lines;
  for (const analysis::ProcessNode &node : nodes)
    lines.push_back({&node, &list, absolute ? 0 : list.beginNs});
  printTable(out, palette, analysis::processColumns(), lines, TableOptions(), facts);
  const std::string more =
      all > lines.size() ? fmt::format("... and {} more kinds of processes; ", formatCount(all - lines.size())) : "";
  out.print("{}{}--each shows each process; `adatrace processes {}` shows which started which{}\n", palette.dim, more,
            pathForShell(path), palette.reset);
}

} // namespace ada::cli
