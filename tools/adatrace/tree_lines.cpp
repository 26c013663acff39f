//===- tree_lines.cpp - prints the lines of a call tree -------------------===//
#include "tree_lines.h"
#include "quantities.h"

#include <algorithm>

namespace ada::cli {

// Deeper calls are not indented further, they say how deep they are.
static constexpr uint32_t kDeepestIndent = 50;

void TreeLines::line(const CallNode &node, FunctionNames &names, uint32_t depth) {
  if (lines == limit) {
    cut = true;
    return;
  }
  if (!heading.empty())
    out.print("{}{}\n{}{:>11} {:>11}  call{}\n", lines ? "\n" : "", heading, palette.dim,
              "total", "self", palette.reset);
  heading.clear();
  ++lines;
  out.print("{}{:>11} {:>11}{}  {:{}}", palette.number, formatDuration(node.totalNs),
            node.isLoop() ? std::string() : formatDuration(node.selfNs), palette.reset,
            "", 2 * std::min(depth, kDeepestIndent));
  if (depth > kDeepestIndent)
    out.print("{}(depth {}){} ", palette.dim, depth, palette.reset);
  if (node.isLoop())
    out.print("{}repeated{}", palette.dim, palette.reset);
  else if (values)
    out.print("{}{}{}{}", palette.name,
              withArguments(names.name(node.function), values->arguments(node.beginSeq)),
              palette.reset,
              node.how == SpanEnd::Return ? values->result(node.endSeq) : std::string());
  else
    out.print("{}{}{}", palette.name, names.name(node.function), palette.reset);
  if (node.count > 1)
    out.print(" {}×{}{}", palette.number, formatCount(node.count), palette.reset);
  if (node.nested > 1)
    out.print(" {}[recursive: {} calls, {} deep]{}", palette.dim,
              formatCount(node.calls), formatCount(node.nested), palette.reset);
  if (node.how == SpanEnd::Exception)
    out.print(" {}[left by exception]{}", palette.error, palette.reset);
  else if (node.how == SpanEnd::Open)
    out.print(" {}[still open]{}", palette.warn, palette.reset);
  else if (node.how == SpanEnd::Missing)
    out.print(" {}[no exit recorded]{}", palette.warn, palette.reset);
  if (source && !node.isLoop())
    if (const std::string place = names.source(node.function); !place.empty())
      out.print("  {}{}{}", palette.dim, place, palette.reset);
  out.write("\n");
}

void TreeLines::subtree(const CallTree &tree, uint32_t node, FunctionNames &names,
                        uint32_t depth) {
  // Not recursive: traces are as deep as the traced program's recursion.
  std::vector<std::pair<uint32_t, uint32_t>> pending = {{node, depth}};
  while (!pending.empty() && !cut) {
    const auto [next, level] = pending.back();
    pending.pop_back();
    const CallNode &call = tree[next];
    if (call.nested > 1 && call.children.size() == 1 &&
        tree[call.children[0]].children.empty()) {
      // Nothing but the recursion: its innermost level needs no line of its own.
      const CallNode &inner = tree[call.children[0]];
      CallNode whole = call;
      ++whole.nested;
      whole.calls += inner.calls;
      whole.selfNs += inner.selfNs;
      line(whole, names, level);
      continue;
    }
    line(call, names, level);
    for (size_t i = call.children.size(); i > 0; --i)
      pending.emplace_back(call.children[i - 1], level + 1);
  }
}

} // namespace ada::cli
