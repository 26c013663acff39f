// Prints call paths.
#include "graph_lines.h"
#include "base/quantities.h"
#include "line_text.h"

#include <algorithm>

namespace ada::cli {

namespace {

double percentOf(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The name of a node that does not belong to a function.
const char *nameOfNone(uint32_t function) {
  return function == PathTree::kRest ? "(other paths)" : function == PathTree::kRecorder ? "(recorder)" : "";
}

// Whether the node's share of time is below the minimum. In a tree without any time, no node is small.
bool isSmall(const PathTree::Node &node, uint64_t whole, double minPercent) {
  return minPercent > 0 && whole > 0 && percentOf(node.totalNs, whole) < minPercent;
}

} // namespace

void GraphText::printHeading(const analysis::CallPathGroup &group) {
  if (lines_)
    out_.write("\n");
  if (group.thread)
    out_.print("{}\n", input_.label(*group.thread));
  else if (group.process)
    out_.print("{}\n", input_.table().processes[*group.process].name);
  out_.print("{}{:>11} {:>11} {:>7} {:>13}  {}{}\n", palette_.dim, "total", "self", "total", "calls",
             options_.view == GraphView::Callers ? "function, and its callers below it" : "function", palette_.reset);
}

void GraphText::printLine(const PathTree &tree, uint32_t number, uint64_t whole) {
  const PathTree::Node &node = tree[number];
  const uint32_t depth = node.depth - 1;
  out_.print("{}{:>11} {:>11}{} {:>5.1f} % {:>13}  {:{}}", palette_.number, formatDuration(node.totalNs),
             formatDuration(node.selfNs), palette_.reset, percentOf(node.totalNs, whole), formatCount(node.calls), "",
             2 * std::min(depth, kDeepestIndent));
  if (depth > kDeepestIndent)
    out_.print("{}(depth {}){} ", palette_.dim, depth, palette_.reset);
  if (node.function == PathTree::kNoFunction)
    out_.print("{}(not called by a traced function){}", palette_.dim, palette_.reset);
  else if (!PathTree::isFunction(node.function))
    out_.print("{}{}{}", palette_.dim, nameOfNone(node.function), palette_.reset);
  else
    out_.print("{}{}{}", palette_.name, names_.name(node.function), palette_.reset);
  if (options_.names.source && PathTree::isFunction(node.function))
    if (const std::string place = names_.source(node.function); !place.empty())
      out_.print("  {}{}{}", palette_.dim, place, palette_.reset);
  out_.write("\n");
}

void GraphText::print(const analysis::CallPathGroup &group, const PathTree &tree) {
  if (tree.size() <= 1)
    return;
  printHeading(group);
  isCut_ |= tree.isCut();
  const uint64_t whole = tree[PathTree::kRoot].totalNs;
  for (uint32_t node = 1; node < tree.size();) {
    if (isSmall(tree[node], whole, options_.minPercent)) {
      hidden_ += tree.endOf(node) - node;
      node = tree.endOf(node);
    } else if (tree[node].function == PathTree::kNoFunction && tree[node].depth > 2) {
      ++node; // not printed: the end of the callers' path is visible without it
    } else if (lines_ >= options_.limit) {
      ++cut_, ++node;
    } else {
      printLine(tree, node, whole);
      ++lines_, ++node;
    }
  }
}

void GraphText::finish() {
  if (hidden_)
    out_.print("{}... and {} with less than {} % of the time; --min-percent=0 shows all{}\n", palette_.dim,
               formatCount(hidden_, "path"), options_.minPercent, palette_.reset);
  if (cut_)
    out_.print("{}... and {}; --limit=0 shows all{}\n", palette_.dim, formatCount(cut_, "more line"), palette_.reset);
  if (isCut_)
    out_.print("{}there are more paths than fit into memory; later ones are combined as (other paths){}\n",
               palette_.dim, palette_.reset);
}

void GraphJson::print(const analysis::CallPathGroup &group, const PathTree &tree) {
  const uint64_t whole = tree[PathTree::kRoot].totalNs;
  const bool isView = options_.view != GraphView::Calls;
  for (uint32_t node = 1; node < tree.size();) {
    const PathTree::Node &entry = tree[node];
    if (isSmall(entry, whole, options_.minPercent)) {
      node = tree.endOf(node);
      continue;
    }
    ++node;
    if ((isView && entry.depth != 2) || lines_ >= options_.limit)
      continue;
    ++lines_;
    list_.next();
    JsonMembers json;
    if (group.thread)
      json = threadFields(input_, *group.thread);
    else if (group.process)
      json = processFields(input_.table().processes[*group.process]);
    const auto name = [&](uint32_t function) {
      return PathTree::isFunction(function) ? names_.name(function) : nameOfNone(function);
    };
    if (isView)
      json.text("function", name(tree[entry.parent].function))
          .textOrNull(options_.view == GraphView::Callers ? "caller" : "callee", name(entry.function));
    else
      json.number("depth", entry.depth - 1).text("function", name(entry.function));
    json.textOrNull("source", PathTree::isFunction(entry.function) ? names_.source(entry.function) : "");
    json.number("calls", entry.calls).number("total_ns", entry.totalNs).number("self_ns", entry.selfNs);
    out_.write(json.object());
  }
}

} // namespace ada::cli
