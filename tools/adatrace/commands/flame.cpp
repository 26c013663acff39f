// Adatrace flame: writes flame graphs as one page to open in a browser, or to mail.
#include "base/quantities.h"
#include "command.h"
#include "fleet/loaded_sessions.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/flame_page.h"
#include "trace/trace_input.h"

#include "analysis/events/session_match.h"
#include "analysis/tree/call_paths.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unistd.h>

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
  if (now.input.hasAllThreads())
    warnAboutUnmatched(options.filter.options, page.functions);
  const int problems = now.input.close(now.paths.damage);
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
