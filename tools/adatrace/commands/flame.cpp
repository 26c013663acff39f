// adatrace flame: writes flame graphs as one page to open in a browser, or to mail.
#include "command.h"
#include "fleet/loaded_sessions.h"
#include "input/trace_input.h"
#include "options/filter_options.h"
#include "options/option_values.h"

#include "analysis/events/session_match.h"
#include "analysis/tree/call_paths.h"
#include "analysis/tree/flame_page.h"
#include "flame/assets.h"
#include "output/function_names.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
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

// A session with the paths of each of its threads.
struct Session {
  TraceInput input;
  analysis::CallPaths paths;
};

Session readSession(const InputOptions &place, const analysis::FilterOptions &filter) {
  InputOptions own = place;
  own.sharesFunctions = false;
  Session session{TraceInput::open(own), {}};
  analysis::CallPathsOptions options{.filter = filter, .by = analysis::PathsBy::Thread};
  session.input.setRange(options.filter);
  session.paths = need(analysis::readCallPaths(session.input.trace(), options));
  return session;
}

void printFlamePage(Output &out, const analysis::FlamePage &page, NameStyle style) {
  using namespace flame_assets;
  out.write(analysis::flameHtml(page, {page_html, flame_css, flame_js, numbers_js}, style));
}

// Makes one tree of all chosen sessions in a database.
int runFleet(const Options &options) {
  Server server = need("flame", openDatabase(options.input.from, options.credentials));
  std::vector<analysis::CallPaths> sides;
  analysis::FlamePage page;
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
                options.input.path.empty() ? "" : pathForShell(options.input.path) + " ");
  if (isDatabase(options.input.from))
    return runFleet(options);
  Session now = readSession(options.input, options.filter.options);
  std::optional<Session> before;
  if (!options.against.empty()) {
    InputOptions place = options.input;
    place.path = options.against;
    before = readSession(place, options.filter.options);
  }

  const auto sessionOf = [](const Session &session) {
    return analysis::FlameSession{session.input.name(), session.paths, session.input.table(),
                                  [&](uint32_t thread) { return session.input.label(thread); }};
  };
  const std::optional<analysis::FlameSession> other = before ? std::optional(sessionOf(*before)) : std::nullopt;
  const analysis::FlamePage page = analysis::makeFlamePage(sessionOf(now), other ? &*other : nullptr, options.paths);
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
