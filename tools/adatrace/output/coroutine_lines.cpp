// Prints coroutines.
#include "coroutine_lines.h"
#include "table_writer.h"
#include "wait_lines.h"

namespace ada::cli {

using analysis::Coroutine, analysis::CoroutineLine, analysis::CoroutineLink, analysis::CoroutineNodeLine;
using analysis::coroutineName, analysis::kNoCoroutine;

static RowNotes notesOf(const Palette &palette, const CoroutineNodeLine &line, const NameOptions &names) {
  const analysis::CoroutineNode &node = *line.node;
  RowNotes notes;
  if (node.link == CoroutineLink::Created || node.link == CoroutineLink::Resumed)
    notes.after.push_back({palette.dim, node.link == CoroutineLink::Created ? "[created there]" : "[resumed there]"});
  if (node.open)
    notes.after.push_back({palette.warn, fmt::format("[{} without a recorded end]", node.open)});
  if (node.exceptions)
    notes.after.push_back({palette.error, fmt::format("[{} left by exception]", node.exceptions)});
  if (const std::string place = sourceOf(line.trace->table.functions[node.function]); names.source && !place.empty())
    notes.after.push_back({palette.dim, " " + place});
  return notes;
}

static RowNotes notesOf(const Palette &palette, const CoroutineLine &line) {
  const Coroutine &one = line.one();
  RowNotes notes;
  if (one.parent != kNoCoroutine)
    notes.after.push_back(
        {{},
         fmt::format("{} by {} {}",
                     one.link == CoroutineLink::Awaited   ? "awaited"
                     : one.link == CoroutineLink::Resumed ? "resumed"
                                                          : "created",
                     one.parent, coroutineName(*line.trace, line.coroutines->all[one.parent].function))});
  else if (one.createdIn != kNoCoroutine)
    notes.after.push_back({{}, "created in " + line.trace->name(one.createdIn)});
  if (one.isOnSeveralThreads)
    notes.after.push_back({palette.dim, "[on several threads]"});
  if (!one.isEnded)
    notes.after.push_back({palette.warn, "[no end recorded]"});
  if (one.isLeftByException)
    notes.after.push_back({palette.error, "[left by exception]"});
  return notes;
}

void printCoroutineTree(Output &out, const Palette &palette, const TraceInput &input,
                        const std::vector<analysis::CoroutineNode> &nodes, const CoroutineLineOptions &options) {
  const analysis::NamedTrace trace = namedTrace(input, options.names.style);
  std::vector<CoroutineNodeLine> lines;
  for (const analysis::CoroutineNode &node : nodes)
    lines.push_back({&node, &trace});
  printTable(out, palette, analysis::coroutineNodeColumns(), lines, options.table, 0,
             [&](const CoroutineNodeLine &line) { return notesOf(palette, line, options.names); });
}

void printEachCoroutine(Output &out, const Palette &palette, const TraceInput &input,
                        const analysis::Coroutines &coroutines, const std::vector<uint32_t> &which,
                        const CoroutineLineOptions &options) {
  const analysis::NamedTrace trace = namedTrace(input, options.names.style);
  std::vector<CoroutineLine> lines;
  for (const uint32_t number : which)
    lines.push_back({number, &coroutines, &trace, input.originNs()});
  printTable(out, palette, analysis::coroutineColumns(), lines, options.table, analysis::processFacts(input.table()),
             [&](const CoroutineLine &line) { return notesOf(palette, line); });
}

} // namespace ada::cli
