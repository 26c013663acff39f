// Prints the lines of a call tree.
#include "tree_lines.h"
#include "off_cpu_text.h"
#include "report_lines.h"
#include "terminal/line_text.h"
#include "trace/base/quantities.h"

#include "analysis/calls/value_texts.h"
#include "analysis/tree/tree_table.h"

#include <algorithm>

namespace ada::cli {

using analysis::CallNode;

//===--- text -------------------------------------------------------------===//

void TreeText::printHeading() {
  const model::ThreadExtent &extent = *input_.table().threads[thread_].extent;
  if (lines_)
    out_.write("\n");
  if (const uint32_t process = input_.table().threads[thread_].process; options_.kinds) {
    const analysis::ProcessKind &kind = options_.kinds->of(process);
    if (kind.areSeveral())
      out_.print("{}{} ×{}, the longest:{}\n", palette_.dim, kind.command, formatCount(kind.processes), palette_.reset);
  }
  out_.print("{}", input_.label(thread_));
  if (!options_.isFollowed)
    out_.print(": {}", formatCount(extent.events, "event"));
  if (!options_.isFollowed && extent.events && extent.lastNs >= extent.firstNs)
    out_.print(" in {}", formatDuration(extent.lastNs - extent.firstNs));
  out_.print("\n{}{}{:>11} {:>11}  call{}\n", palette_.dim, options_.begin ? fmt::format("{:>13} ", "begin") : "",
             "total", "self", palette_.reset);
  hasHeading_ = true;
}

void TreeText::print(const CallNode &node, uint32_t depth) {
  if (!hasHeading_)
    printHeading();
  if (options_.begin)
    out_.print("{:>13} ", node.isLoop() ? "" : formatTime(node.beginNs, input_.originNs()));
  const char *group = node.isLoop() ? "repeated" : node.areInitialisers ? "static initialisers" : nullptr;
  hasInitialisers_ |= node.areInitialisers;
  const bool isPlain = !group && !node.texts;
  const std::string_view name = isPlain ? names_.name(node.function) : std::string_view();
  char *at = out_.reserve(256 + name.size());
  const SymbolKind kind = node.isLoop() ? SymbolKind::Function : input_.table().functions[node.function].kind;
  at = put(at, palette_.number.text);
  at = isPoint(kind) ? putBlanks(at, 11) : putDurationRight(at, node.totalNs, 11);
  at = put(at, " ");
  at = node.isLoop() || isPoint(kind) ? putBlanks(at, 11) : putDurationRight(at, node.selfNs, 11);
  at = put(at, palette_.reset.text);
  at = putBlanks(at, 2 + 2 * std::min(depth, analysis::kDeepestIndent));
  if (depth > analysis::kDeepestIndent) {
    at = put(put(at, palette_.dim.text), "(depth ");
    at = put(put(put(at, uint64_t(depth)), ")"), palette_.reset.text);
    at = put(at, " ");
  }
  if (isPlain)
    at = put(put(put(at, palette_.name.text), name), palette_.reset.text);
  out_.commit(at);
  if (group)
    out_.print("{}{}{}", palette_.dim, group, palette_.reset);
  else if (node.texts)
    out_.print("{}{}{}{}{}{}", palette_.name,
               analysis::withArguments(names_.name(node.function), node.texts->arguments, kind), palette_.reset,
               node.texts->result.empty() ? "" : " → ", node.texts->result, node.textsVary ? ", …" : "");
  if (node.count > 1)
    out_.print(" {}×{}{}", palette_.number, formatCount(node.count), palette_.reset);
  if (node.nested > 1)
    out_.print(" {}[recursive: {} calls, {} deep]{}", palette_.dim, formatCount(node.calls), formatCount(node.nested),
               palette_.reset);
  if (!group && input_.table().functions[node.function].isInlined)
    out_.print(" {}[inlined]{}", palette_.dim, palette_.reset);
  if (node.isEarlier)
    out_.print(" {}[began before the trace]{}", palette_.dim, palette_.reset);
  if (node.how != SpanEnd::Return)
    out_.print(" {}{}{}{}", node.how == SpanEnd::Exception ? palette_.error : palette_.warn, endNote(node.how),
               palette_.reset, node.how == SpanEnd::Open ? input_.openText(node.beginNs, node.totalNs) : std::string());
  if (const std::string off = offCpuText(node.selfOff, true); !off.empty())
    out_.print(" {}[{}]{}", palette_.warn, off, palette_.reset);
  if (options_.names.source && !group)
    if (const std::string place = names_.source(node.function); !place.empty())
      out_.print("  {}{}{}", palette_.dim, place, palette_.reset);
  out_.write("\n");
  if (!node.isLoop() && node.selfOff.recorderNs > 0) // shown like a call that it made
    out_.print("{}{}{:>11}{:>{}}{}recorder{}\n", options_.begin ? fmt::format("{:>13} ", "") : "", palette_.number,
               formatDuration(node.selfOff.recorderNs), "", 14 + 2 * std::min(depth + 1, analysis::kDeepestIndent),
               palette_.error, palette_.reset);
}

//===--- rows -------------------------------------------------------------===//

TreeRows::TreeRows(Output &out, const TraceInput &input, const TreeLineOptions &options, const Palette &palette)
    : TreeLines(out, input, options),
      rows_(out, palette, infoOf(analysis::treeColumns()), options.table, analysis::processFacts(input.table())) {}

void TreeRows::print(const CallNode &node, uint32_t depth) {
  rows_.write(analysis::treeColumns(),
              analysis::TreeLine{&node, depth, thread_, &input_.table(), &names_, input_.originNs(), input_.endNs()});
}

} // namespace ada::cli
