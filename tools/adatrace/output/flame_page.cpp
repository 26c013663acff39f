// Writes flame graphs as one HTML page: flame/page.html with its style, script and data inserted.
#include "flame_page.h"

#include "base/json.h"
#include "flame/assets.h"

#include <array>
#include <string_view>

namespace ada::cli {

namespace {

// Writes JSON that is safe inside <script>. Only `</script` or a comment could break out of it, and both need a '<'.
void writeForScript(Output &out, std::string_view json) {
  for (size_t at = 0; at < json.size();) {
    const size_t end = std::min(json.find('<', at), json.size());
    out.write(json.substr(at, end - at));
    if (end < json.size())
      out.write("\\u003c");
    at = end + 1;
  }
}
void writeText(Output &out, std::string_view text) { writeForScript(out, jsonString(oneLine(text))); }

// Writes "name":[…] with one number per element.
template <class List, class Value> void writeColumn(Output &out, std::string_view name, const List &list, Value value) {
  out.print("\"{}\":[", name);
  for (bool isFirst = true; const auto &entry : list) {
    out.print("{}{}", isFirst ? "" : ",", value(entry));
    isFirst = false;
  }
  out.write("]");
}

int64_t numberOf(uint32_t function) {
  return PathTree::isFunction(function) ? int64_t(function) : function == PathTree::kRest ? -1 : -2;
}

using Node = analysis::FlameNode;

void writeFigures(Output &out, std::string_view name, const std::vector<Node> &nodes, FunctionSum Node::*which) {
  out.print("\"{}\":{{", name);
  writeColumn(out, "calls", nodes, [&](const Node &node) { return (node.*which).calls; });
  out.write(",");
  writeColumn(out, "total", nodes, [&](const Node &node) { return (node.*which).totalNs; });
  out.write(",");
  writeColumn(out, "self", nodes, [&](const Node &node) { return (node.*which).selfNs; });
  out.write("}");
}

void writeWhole(Output &out, std::string_view name, const FunctionSum &whole) {
  out.print(",\"{}\":[{},{},{}]", name, whole.calls, whole.totalNs, whole.selfNs);
}

// Writes [function, calls, total, self] per function, followed by the other session's figures.
void writeSums(Output &out, const analysis::FlameTree &tree, bool isDifference) {
  out.write(",\"sums\":[");
  bool isFirst = true;
  for (size_t i = 0; i < tree.sums.size(); ++i) {
    const FunctionSum &now = tree.sums[i], before = isDifference ? tree.sumsBefore[i] : FunctionSum();
    if (now.calls + before.calls == 0)
      continue;
    const size_t functions = tree.sums.size() - 2; // the last two entries: paths that did not fit, and the recorder
    const int64_t function = i < functions ? int64_t(i) : int64_t(functions) - int64_t(i) - 1;
    out.print("{}[{},{},{},{}", isFirst ? "" : ",", function, now.calls, now.totalNs, now.selfNs);
    if (isDifference)
      out.print(",{},{},{}", before.calls, before.totalNs, before.selfNs);
    out.write("]");
    isFirst = false;
  }
  out.write("]");
}

void writeSheet(Output &out, const FlameSheet &sheet, bool isDifference) {
  const std::vector<Node> &nodes = sheet.tree.nodes;
  out.write("{\"label\":");
  writeText(out, sheet.label);
  out.print(",\"isCut\":{},", sheet.isCut);
  writeColumn(out, "depth", nodes, [](const Node &node) { return node.depth; });
  out.write(",");
  writeColumn(out, "function", nodes, [](const Node &node) { return numberOf(node.function); });
  out.write(",");
  writeColumn(out, "paths", nodes, [](const Node &node) { return node.paths; });
  out.write(",");
  writeFigures(out, "now", nodes, &Node::figures);
  out.write(",");
  if (isDifference)
    writeFigures(out, "before", nodes, &Node::before);
  else
    out.write("\"before\":null");
  writeWhole(out, "whole", sheet.tree.whole);
  if (isDifference)
    writeWhole(out, "wholeBefore", sheet.tree.wholeBefore);
  else
    out.write(",\"wholeBefore\":null");
  writeSums(out, sheet.tree, isDifference);
  out.write("}");
}

void writeData(Output &out, const FlamePage &page, NameStyle style) {
  out.write("{\"title\":");
  writeText(out, page.title);
  out.write(",\"before\":");
  page.before ? writeText(out, *page.before) : out.write("null");
  out.write(",\"functions\":[");
  for (bool isFirst = true; const model::Function &function : page.functions) {
    out.write(isFirst ? "\n[" : ",\n[");
    writeText(out, nameOf(function, style));
    out.write(",");
    writeText(out, sourceOf(function));
    out.write("]");
    isFirst = false;
  }
  out.write("],\n\"trees\":[");
  for (bool isFirst = true; const FlameSheet &sheet : page.sheets) {
    out.write(isFirst ? "\n" : ",\n");
    writeSheet(out, sheet, page.before.has_value());
    isFirst = false;
  }
  out.write("]}");
}

// A single-file page can't import modules. So the module is put before the script, and the line that imports it is
// removed.
void writeScript(Output &out) {
  const std::string_view script = flame_assets::flame_js;
  const size_t line = script.find("\nimport ") + 1;
  out.write(flame_assets::numbers_js);
  out.write(script.substr(0, line));
  out.write(script.substr(script.find('\n', line)));
}

} // namespace

void printFlamePage(Output &out, const FlamePage &page, NameStyle style) {
  std::string_view rest = flame_assets::page_html;
  for (size_t at; (at = rest.find('@')) != rest.npos;) {
    const size_t end = rest.find('@', at + 1);
    const std::string_view part = rest.substr(at + 1, end - at - 1);
    out.write(rest.substr(0, at));
    if (part == "STYLE")
      out.write(flame_assets::flame_css);
    else if (part == "SCRIPT")
      writeScript(out);
    else
      writeData(out, page, style);
    rest.remove_prefix(end + 1);
  }
  out.write(rest);
}

} // namespace ada::cli
