// adatrace processes: shows which process started which, how long they took, and how they ended.
#include "analysis/processes/process_table.h"
#include "command.h"
#include "input/trace_input.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/table_writer.h"

namespace ada::cli {

namespace processes_command {
namespace {

struct Options {
  InputOptions input;
  TableOptions table;
  std::string sort = "begin";
  bool each = false;
  uint64_t limit = 0;
};

int run(Options &options, const Invocation &invocation) {
  options.table.check("processes", infoOf(analysis::processColumns()));
  TraceInput input = TraceInput::open(options.input);
  const analysis::ProcessList list = analysis::listProcesses(input.table());
  std::vector<analysis::ProcessNode> nodes =
      analysis::processTree(list, !options.each, analysis::processOrder(options.sort));
  const Facts facts = analysis::processTableFacts(nodes);
  const size_t all = nodes.size();
  if (options.limit && all > options.limit)
    nodes.resize(options.limit);
  std::vector<analysis::ProcessLine> lines;
  for (const analysis::ProcessNode &node : nodes)
    lines.push_back({&node, &list, options.input.absolute ? 0 : list.beginNs});
  const Palette palette = invocation.palette();
  Output out;
  printTable(out, palette, analysis::processColumns(), lines, options.table, facts,
             [&](const analysis::ProcessLine &line) {
               RowNotes notes;
               if (const std::string parents = unknownParents(line); !parents.empty())
                 notes.after.push_back({palette.dim, "[" + parents + "]"});
               return notes;
             });
  if (options.table.isText() && nodes.size() < all)
    out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(all - nodes.size()),
              palette.reset);
  out.flush();
  return input.close();
}

void declare(CommandLine &line, Options &options) {
  declareSessionArgument(line, options.input.path);
  line.flag("--each", options.each, "One line per process, also where several of one program have the same parent");
  line.flag("--absolute", options.input.absolute, "Show times of the trace's clock");
  addSort(line, options.sort, sortWords(analysis::processColumns()), "begin");
  addLimit(line, options.limit, "At most this many lines; 0: all [0]");
  addTableOptions(line, options.table);
}

} // namespace
} // namespace processes_command

const Command kProcesses = {
    "processes",
    "Show which process started which, how long they took, and how they ended",
    "adatrace processes\n"
    "adatrace processes --sort=wall --limit=20\n"
    "adatrace processes --each --format=json ada-traces/session_20261121_101500",
    withOptions<processes_command::declare, processes_command::run>,
};

} // namespace ada::cli
