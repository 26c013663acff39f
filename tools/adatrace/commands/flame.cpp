// Adatrace flame: writes flame graphs as one page to open in a browser, or to mail.
#include "command.h"
#include "fleet/loaded_sessions.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "trace/trace_input.h"

#include "analysis/events/session_match.h"
#include "analysis/tree/call_paths.h"
#include "analysis/tree/flame_tree.h"
#include "base/json.h"
#include "flame/assets.h"
#include "output/function_names.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace ada::cli {

namespace flame_command {
namespace {

struct Options {
  std::vector<Option> all; // of this command
  InputOptions input;
  FilterArguments filter;
  NameOptions names;
  std::string against, credentials;
  uint64_t paths = 50'000;
};

// One entry of the page's list of trees.
struct FlameSheet {
  std::string label;
  analysis::FlameTree tree;
  bool isCut = false; ///< the trace had more paths than fit on the page
};

struct FlamePage {
  std::string title;
  std::optional<std::string> before; ///< the session to compare with
  std::vector<model::Function> functions;
  std::vector<FlameSheet> sheets;
};

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

// A session with the paths of each of its threads.
struct Session {
  TraceInput input;
  analysis::CallPaths paths;
};

Session readSession(const InputOptions &place, const analysis::FilterOptions &filter) {
  Session session{TraceInput::open(place), {}};
  analysis::CallPathsOptions options{.filter = filter, .by = analysis::PathsBy::Thread};
  session.input.setRange(options.filter);
  session.paths =
      need(analysis::readCallPaths(session.input.source(), session.input.table(), session.input.threads(), options));
  return session;
}

// The paths of a session's threads, with function numbers common to both sessions: all threads together, and each under
// a key that is the same in both sessions.
struct ThreadTrees {
  PathTree all{~size_t(0)};
  std::map<std::string, PathTree> byKey;

  ThreadTrees(const Session &session, const std::vector<uint32_t> &numbers) {
    const std::vector<std::string> keys = analysis::threadKeys(session.input.table());
    for (const analysis::CallPathGroup &group : session.paths.groups) {
      all.merge(group.tree, numbers);
      PathTree &own = byKey.try_emplace(keys[*group.thread], ~size_t(0)).first->second;
      own.merge(group.tree, numbers);
      own.sort();
    }
    all.sort();
  }
};

// The last part of the path. The rest is the same for both sessions, or known to the person who made the page.
std::string titleOf(const TraceInput &input) {
  const std::string name = std::filesystem::path(input.name()).lexically_normal().filename().string();
  return name.empty() ? input.name() : name;
}

void addSheets(FlamePage &page, const Session &session, const ThreadTrees &now, const ThreadTrees *before,
               uint64_t most) {
  const PathTree none;
  const auto add = [&](const std::string &label, const PathTree &tree, const PathTree *other) {
    page.sheets.push_back({label, analysis::makeFlameTree(tree, other, page.functions.size(), most), tree.isCut()});
  };
  add("all threads", now.all, before ? &before->all : nullptr);
  if (now.byKey.size() + (before ? before->byKey.size() : 0) <= 1)
    return;
  // The single threads together may take as much of the page as "all threads".
  most = std::max<uint64_t>(100, most / now.byKey.size());
  const std::vector<std::string> keys = analysis::threadKeys(session.input.table());
  std::set<std::string> done;
  for (const analysis::CallPathGroup &group : session.paths.groups) {
    const std::string &key = keys[*group.thread];
    const auto other = before ? before->byKey.find(key) : now.byKey.end();
    const PathTree *earlier = !before ? nullptr : other == before->byKey.end() ? &none : &other->second;
    add(session.input.label(*group.thread), now.byKey.at(key), earlier);
    done.insert(key);
  }
  if (before)
    for (const auto &[key, tree] : before->byKey)
      if (!done.contains(key))
        add("only in the other session: thread " + key, none, &tree);
}

// Makes one tree of all chosen sessions in a database.
int runFleet(const Options &options) {
  Server server = need("flame", openDatabase(options.input.from, options.credentials));
  std::vector<analysis::CallPaths> sides;
  FlamePage page;
  page.title = options.input.path.empty() ? server.address().shown : options.input.path;
  std::vector<std::string> labels = {options.input.path};
  if (!options.against.empty())
    labels.push_back(*(page.before = options.against));
  for (const std::string &label : labels)
    sides.push_back(need("flame", callPathsOf(server, need("flame", sessionsWith(server, label)))));
  std::vector<const std::vector<model::Function> *> lists;
  for (const analysis::CallPaths &side : sides)
    lists.push_back(&side.functions);
  analysis::JoinedFunctions joined = analysis::joinFunctions(lists);
  page.functions = std::move(joined.functions);
  std::vector<PathTree> trees;
  for (size_t side = 0; side < sides.size(); ++side) {
    PathTree &tree = trees.emplace_back(~size_t(0));
    tree.merge(sides[side].groups.front().tree, joined.numbers[side]);
    tree.sort();
  }
  const PathTree *before = trees.size() > 1 ? &trees[1] : nullptr;
  page.sheets.push_back({"all sessions",
                         analysis::makeFlameTree(trees[0], before, page.functions.size(), options.paths),
                         trees[0].isCut()});
  Output out;
  printFlamePage(out, page, options.names.style);
  return kOk;
}

int run(Options &options, const Invocation &) {
  options.filter.settle("flame");
  for (const Option &option : options.all)
    if (isDatabase(options.input.from) && option.isGiven() && !option.isArgument() &&
        !std::set<std::string>{"--from", "--against", "--credentials", "--paths", "--names"}.contains(option.name()))
      return fail(kWrongUsage, "flame: {} can't be used with sessions in a database", option.name());
  if (isTerminal(STDOUT_FILENO))
    return fail(kWrongUsage, "flame: the output is an HTML page; redirect it to a file: adatrace flame {}> flame.html",
                options.input.path.empty() ? "" : options.input.path + " ");
  if (isDatabase(options.input.from))
    return runFleet(options);
  Session now = readSession(options.input, options.filter.options);
  std::optional<Session> before;
  if (!options.against.empty()) {
    InputOptions place = options.input;
    place.path = options.against;
    before = readSession(place, options.filter.options);
  }

  FlamePage page;
  page.title = titleOf(now.input);
  std::vector<const std::vector<model::Function> *> lists = {&now.paths.functions};
  if (before) {
    page.before = titleOf(before->input);
    lists.push_back(&before->paths.functions);
  }
  analysis::JoinedFunctions joined = analysis::joinFunctions(lists);
  page.functions = std::move(joined.functions);
  const ThreadTrees trees(now, joined.numbers[0]);
  std::optional<ThreadTrees> others;
  if (before)
    others.emplace(*before, joined.numbers[1]);
  if (!now.paths.groups.empty() || (before && !before->paths.groups.empty()))
    addSheets(page, now, trees, others ? &*others : nullptr, options.paths);

  Output out;
  printFlamePage(out, page, options.names.style);
  out.flush();
  if (now.paths.groups.empty())
    warning("{}{}", now.input.eventCount() ? "no calls match the filters: " : "there are no events in ",
            now.input.name());
  int problems = kOk;
  if (now.input.hasAllThreads())
    problems = warnAboutUnmatched(options.filter.options, page.functions);
  problems = std::max(problems, now.input.close(now.paths.damage));
  return before ? std::max(problems, before->input.close(before->paths.damage)) : problems;
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.names);
  line.option(
          "--against", options.against,
          "Compare with this earlier session: functions that take more time now are red, those that take less are blue")
      .type("SESSION");
  line.option("--credentials", options.credentials, "With --from=clickhouse://…: as for `load`").type("FILE");
  addCount(line, "--paths", options.paths, "Include at most this many paths, those that took longest [50000]");
  options.all = line.all();
  line.find("--from").addText(". Or clickhouse://HOST:PORT/DATABASE: use the sessions in this database that have the "
                              "label given as SESSION (release=1.4), or all");
}

} // namespace
} // namespace flame_command

const Command kFlame = {
    "flame",
    "Write a flame graph as one self-contained HTML page",
    "adatrace flame > flame.html\n"
    "adatrace flame ada-traces/session_20261121_101500 --against ada-traces/session_20261120_090000 > difference.html",
    withOptions<flame_command::declare, flame_command::run>,
};

} // namespace ada::cli
