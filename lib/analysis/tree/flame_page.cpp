// The flame page: one or two sessions as flame graphs, in one self-contained HTML file.
#include "flame_page.h"

#include "analysis/events/session_match.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/text.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

namespace ada::analysis {

namespace {

//===--- the page ---------------------------------------------------------===//

template <class... Values> void append(std::string &out, fmt::format_string<Values...> text, Values &&...values) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Values>(values)...);
}

// Writes JSON that is safe inside <script>. Only `</script` or a comment could break out of it, and both need a '<'.
void writeForScript(std::string &out, std::string_view json) {
  for (size_t at = 0; at < json.size();) {
    const size_t end = std::min(json.find('<', at), json.size());
    out.append(json.substr(at, end - at));
    if (end < json.size())
      out.append("\\u003c");
    at = end + 1;
  }
}
void writeText(std::string &out, std::string_view text) { writeForScript(out, jsonString(oneLine(text))); }

// Writes "name":[…] with one number per element.
template <class List, class Value>
void writeColumn(std::string &out, std::string_view name, const List &list, Value value) {
  append(out, "\"{}\":[", name);
  for (bool isFirst = true; const auto &entry : list) {
    append(out, "{}{}", isFirst ? "" : ",", value(entry));
    isFirst = false;
  }
  out.append("]");
}

int64_t numberOf(uint32_t function) {
  return PathTree::isFunction(function) ? int64_t(function) : function == PathTree::kRest ? -1 : -2;
}

using Node = FlameNode;

void writeFigures(std::string &out, std::string_view name, const std::vector<Node> &nodes, FunctionSum Node::*which) {
  append(out, "\"{}\":{{", name);
  writeColumn(out, "calls", nodes, [&](const Node &node) { return (node.*which).calls; });
  out.append(",");
  writeColumn(out, "total", nodes, [&](const Node &node) { return (node.*which).totalNs; });
  out.append(",");
  writeColumn(out, "self", nodes, [&](const Node &node) { return (node.*which).selfNs; });
  out.append("}");
}

void writeWhole(std::string &out, std::string_view name, const FunctionSum &whole) {
  append(out, ",\"{}\":[{},{},{}]", name, whole.calls, whole.totalNs, whole.selfNs);
}

// Writes [function, calls, total, self] per function, followed by the other session's figures.
void writeSums(std::string &out, const FlameTree &tree, bool isDifference) {
  out.append(",\"sums\":[");
  bool isFirst = true;
  for (size_t i = 0; i < tree.sums.size(); ++i) {
    const FunctionSum &now = tree.sums[i], before = isDifference ? tree.sumsBefore[i] : FunctionSum();
    if (now.calls + before.calls == 0)
      continue;
    const size_t functions = tree.sums.size() - 2; // the last two entries: paths that did not fit, and the recorder
    const int64_t function = i < functions ? int64_t(i) : int64_t(functions) - int64_t(i) - 1;
    append(out, "{}[{},{},{},{}", isFirst ? "" : ",", function, now.calls, now.totalNs, now.selfNs);
    if (isDifference)
      append(out, ",{},{},{}", before.calls, before.totalNs, before.selfNs);
    out.append("]");
    isFirst = false;
  }
  out.append("]");
}

void writeSheet(std::string &out, const FlameSheet &sheet, bool isDifference) {
  const std::vector<Node> &nodes = sheet.tree.nodes;
  out.append("{\"label\":");
  writeText(out, sheet.label);
  append(out, ",\"isCut\":{},", sheet.isCut);
  writeColumn(out, "depth", nodes, [](const Node &node) { return node.depth; });
  out.append(",");
  writeColumn(out, "function", nodes, [](const Node &node) { return numberOf(node.function); });
  out.append(",");
  writeColumn(out, "paths", nodes, [](const Node &node) { return node.paths; });
  out.append(",");
  writeFigures(out, "now", nodes, &Node::figures);
  out.append(",");
  if (isDifference)
    writeFigures(out, "before", nodes, &Node::before);
  else
    out.append("\"before\":null");
  writeWhole(out, "whole", sheet.tree.whole);
  if (isDifference)
    writeWhole(out, "wholeBefore", sheet.tree.wholeBefore);
  else
    out.append(",\"wholeBefore\":null");
  writeSums(out, sheet.tree, isDifference);
  out.append("}");
}

void writeData(std::string &out, const FlamePage &page, NameStyle style) {
  out.append("{\"title\":");
  writeText(out, page.title);
  out.append(",\"before\":");
  if (page.before)
    writeText(out, *page.before);
  else
    out.append("null");
  out.append(",\"functions\":[");
  for (bool isFirst = true; const model::Function &function : page.functions) {
    out.append(isFirst ? "\n[" : ",\n[");
    writeText(out, nameOf(function, style));
    out.append(",");
    writeText(out, sourceOf(function));
    out.append("]");
    isFirst = false;
  }
  out.append("],\n\"trees\":[");
  for (bool isFirst = true; const FlameSheet &sheet : page.sheets) {
    out.append(isFirst ? "\n" : ",\n");
    writeSheet(out, sheet, page.before.has_value());
    isFirst = false;
  }
  out.append("]}");
}

// A single-file page can't import modules. So the module is put before the script, and the line that imports it is
// removed.
void writeScript(std::string &out, const FlameAssets &assets) {
  const size_t line = assets.script.find("\nimport ") + 1;
  out.append(assets.numbers);
  out.append(assets.script.substr(0, line));
  out.append(assets.script.substr(assets.script.find('\n', line)));
}

//===--- the trees --------------------------------------------------------===//

// The paths of a session's threads, with function numbers common to both sessions: all threads together, and each under
// a key that is the same in both sessions.
struct ThreadTrees {
  PathTree all{~size_t(0)};
  std::map<std::string, PathTree> byKey;

  ThreadTrees(const FlameSession &session, const std::vector<uint32_t> &numbers) {
    const std::vector<std::string> keys = threadKeys(session.table);
    for (const CallPathGroup &group : session.paths.groups) {
      all.merge(group.tree, numbers);
      PathTree &own = byKey.try_emplace(keys[*group.thread], ~size_t(0)).first->second;
      own.merge(group.tree, numbers);
      own.sort();
    }
    all.sort();
  }
};

// The last part of the path. The rest is the same for both sessions, or known to the person who made the page.
std::string titleOf(const std::string &path) {
  const std::string name = std::filesystem::path(path).lexically_normal().filename().string();
  return name.empty() ? path : name;
}

void addSheets(FlamePage &page, const FlameSession &session, const ThreadTrees &now, const ThreadTrees *before,
               uint64_t most) {
  const PathTree none;
  const auto add = [&](const std::string &label, const PathTree &tree, const PathTree *other) {
    page.sheets.push_back({label, makeFlameTree(tree, other, page.functions.size(), most), tree.isCut()});
  };
  add("all threads", now.all, before ? &before->all : nullptr);
  if (now.byKey.size() + (before ? before->byKey.size() : 0) <= 1)
    return;
  // The single threads together may take as much of the page as "all threads".
  most = std::max<uint64_t>(100, most / now.byKey.size());
  const std::vector<std::string> keys = threadKeys(session.table);
  std::set<std::string> done;
  for (const CallPathGroup &group : session.paths.groups) {
    const std::string &key = keys[*group.thread];
    const auto other = before ? before->byKey.find(key) : now.byKey.end();
    const PathTree *earlier = !before ? nullptr : other == before->byKey.end() ? &none : &other->second;
    add(session.label(*group.thread), now.byKey.at(key), earlier);
    done.insert(key);
  }
  if (before)
    for (const auto &[key, tree] : before->byKey)
      if (!done.contains(key))
        add("only in the other session: thread " + key, none, &tree);
}

} // namespace

FlamePage makeFlamePage(const FlameSession &now, const FlameSession *before, size_t most) {
  FlamePage page;
  page.title = titleOf(now.path);
  std::vector<const std::vector<model::Function> *> lists = {&now.paths.functions};
  if (before) {
    page.before = titleOf(before->path);
    lists.push_back(&before->paths.functions);
  }
  JoinedFunctions joined = joinFunctions(lists);
  page.functions = std::move(joined.functions);
  const ThreadTrees trees(now, joined.numbers[0]);
  std::optional<ThreadTrees> others;
  if (before)
    others.emplace(*before, joined.numbers[1]);
  if (!now.paths.groups.empty() || (before && !before->paths.groups.empty()))
    addSheets(page, now, trees, others ? &*others : nullptr, most);
  return page;
}

std::string flameHtml(const FlamePage &page, const FlameAssets &assets, NameStyle style) {
  std::string out;
  std::string_view rest = assets.page;
  for (size_t at; (at = rest.find('@')) != rest.npos;) {
    const size_t end = rest.find('@', at + 1);
    const std::string_view part = rest.substr(at + 1, end - at - 1);
    out.append(rest.substr(0, at));
    if (part == "STYLE")
      out.append(assets.style);
    else if (part == "SCRIPT")
      writeScript(out, assets);
    else
      writeData(out, page, style);
    rest.remove_prefix(end + 1);
  }
  out.append(rest);
  return out;
}

} // namespace ada::analysis
