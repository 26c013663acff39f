// adatrace load: loads sessions into a database for many machines.
#include "command.h"
#include "fleet/refused_blocks.h"
#include "fleet/session_loads.h"
#include "options/option_values.h"
#include "output/convert_progress.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <csignal>

namespace ada::cli {

namespace load_command {
namespace {

struct Options {
  LoadOptions load;
  std::vector<std::string> sessions;
  std::string refused;
  ClusterRequest cluster;
  bool sql = false, init = false, replace = false;
};

int loadOne(SessionLoads &loads, const Options &options, const std::string &path) {
  RefusedBlocks refused(options.refused);
  std::function<Expected<void>(const RefusedBlock &)> keep;
  if (!options.refused.empty())
    keep = [&](const RefusedBlock &block) { return refused.keep(path, block); };
  const Loaded loaded = loads.load(path, LoadUnit::Session, options.replace, keep);
  if (const int number = loaded.isInterrupted ? ConvertLine::interruption() : 0) {
    complain(fmt::format("{}: interrupted; load it again to continue from here", oneLine(path)));
    signal(number, SIG_DFL);
    raise(number);
    return kSignalBase + number;
  }
  if (loaded.refusedRows)
    warning("the server rejected {} of {}; they were saved in {}", formatCount(loaded.refusedRows, "row"),
            oneLine(path), oneLine(options.refused));
  const int code = loaded.refusedRows ? kProblemsFound : loaded.code;
  if (options.load.quiet || loaded.name.empty() || (loaded.code != kOk && loaded.code != kProblemsFound))
    return code;
  if (loaded.wasThere)
    complain(fmt::format("{} is already loaded", oneLine(path)));
  else
    complain(fmt::format(
        "{} of {} in {} ({}){}{}, {} sent", formatCount(loaded.calls, "call"), oneLine(path), formatDuration(loaded.ns),
        formatRate(loaded.calls, loaded.ns),
        loaded.spans == loaded.calls && !loaded.sums
            ? std::string()
            : fmt::format(", as {} and {}", formatCount(loaded.spans, "call"), formatCount(loaded.sums, "sum")),
        loaded.skippedRows ? fmt::format(", {} of them already loaded", formatCount(loaded.skippedRows))
                           : std::string(),
        formatBytes(loaded.sentBytes)));
  return code;
}

int run(Options &options, const Invocation &) {
  const std::string &cluster = options.cluster.name;
  if (!options.init && (!cluster.empty() || options.sql))
    return fail(kWrongUsage, "load: --cluster and --sql need --init");
  if (options.cluster.isReplicated && cluster.empty())
    return fail(kWrongUsage, "load: --replicated needs --cluster");
  if (cluster.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != cluster.npos)
    return fail(kWrongUsage, "load: --cluster: a name can contain only letters, digits and _");
  settle(options.load, "load");
  if (options.sessions.empty() && !options.init)
    return fail(kWrongUsage, "load: name a session (--init alone creates the tables)");
  SessionLoads loads(options.load, "load");
  loads.begin();
  if (options.sql) {
    Output().write(need("load", tableStatements(loads.servers().front(), options.cluster)));
    return kOk;
  }
  if (const int code = loads.prepare(
          [&](Server &server) { return options.init ? makeTables(server, options.cluster) : checkTables(server); }))
    return code;
  int worst = kOk;
  for (const std::string &session : options.sessions) {
    const int code = loadOne(loads, options, session);
    if (code == kServerDown || code == kAccessDenied || code == kOtherSchema || code == kServerFull)
      return code; // the remaining sessions would fail, too
    worst = std::max(worst, code);
  }
  return worst;
}

void declare(CommandLine &line, Options &options) {
  line.option("session", options.sessions, "Whole sessions, or files of any format that adatrace can read").type("");
  line.flag("--init", options.init, "Create the database and its tables if they do not exist");
  line.option("--cluster", options.cluster.name,
              "With --init: create the tables on the cluster with this name in the servers' configuration")
      .type("NAME");
  line.flag("--replicated", options.cluster.isReplicated, "With --cluster: create Replicated tables");
  line.flag("--sql", options.sql, "With --init: only print the statements");
  line.flag("--replace", options.replace,
            "Replace a session that was loaded when it was shorter, or with other options");
  line.option("--refused", options.refused,
              "Save rows that the server rejects permanently to files in this directory and continue; without this "
              "option, the first such rows end the load")
      .type("DIRECTORY");
  declareLoadOptions(line, options.load);
  addQuiet(line, options.load.quiet, "No closing line and no progress");
  addWhen(line, "--progress", options.load.progress);
}

} // namespace
} // namespace load_command

const Command kLoad = {
    "load",
    "Load sessions of many machines into a ClickHouse database",
    "adatrace load --init --to=clickhouse://db.example:8123/traces\n"
    "adatrace load --to=clickhouse://db.example:8123/traces --label release=1.4 ada-traces/session_*\n"
    "# status 4: no answer; 5: user or password rejected; 6: tables missing or of another version; 7: disk full",
    withOptions<load_command::declare, load_command::run>,
};

} // namespace ada::cli
