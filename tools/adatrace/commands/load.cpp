// Adatrace load: sessions into a database of many machines.
#include "base/quantities.h"
#include "base/text.h"
#include "command.h"
#include "fleet/loader.h"
#include "fleet/session_identity.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/convert_progress.h"
#include "trace/chosen_calls.h"
#include "trace/trace_input.h"

#include "ada/trace/convert.h"
#include "formats/clickhouse/sip_hash.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace ada::cli {

namespace {

constexpr uint64_t kRetryForNs = 60'000'000'000;

struct Options {
  std::string to, credentials;
  std::vector<std::string> sessions, labels, threads;
  FilterArguments filter;
  std::string plan; // what chooses calls, and the labels
  uint64_t retryForNs = kRetryForNs, blockRows = 200'000;
  uint64_t stepNs = 0, slowest = 0;
  std::string sample;
  double share = 0; // that `sample` means
  bool spans = false;
  std::string progress = "auto";
  ClusterRequest cluster;
  bool sql = false, init = false, replace = false, quiet = false;
};

// "1%" or "0.01"; more than nothing, and at most all.
std::optional<double> shareOf(std::string_view text) {
  const bool isPercent = text.ends_with('%');
  text.remove_suffix(isPercent);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  value /= isPercent ? 100 : 1;
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !(value > 0 && value <= 1))
    return std::nullopt;
  return value;
}

using Labels = std::vector<std::pair<std::string, std::string>>;

int failWith(const Error &error) { return fail(exitCodeOf(error), "load: {}", error.text()); }

std::optional<Labels> labelsOf(const std::vector<std::string> &texts) {
  Labels labels;
  for (const std::string &text : texts) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) {
      fail(kWrongUsage, "load: --label: '{}' is not NAME=VALUE", oneLine(text));
      return std::nullopt;
    }
    labels.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::ranges::sort(labels);
  return labels;
}

// Learns whether it is a whole session.
struct WholeSink : model::TraceSink {
  bool isRoot = true;
  Expected<void> begin(const model::TraceInfo &info) override {
    isRoot = info.isRoot;
    return {};
  }
  Expected<void> events(const model::Batch &) override { return {}; }
};

// Times of day of traces that do not know them: their last event came when the file was written.
std::vector<model::ProcessPlace> placesOf(const TraceInput &input, uint64_t lastWrittenNs) {
  std::vector<model::ProcessPlace> places;
  bool isGuessed = false;
  for (const model::Process &process : input.table().processes) {
    model::ProcessPlace &place = places.emplace_back(model::placeOf(process));
    if (place.epochOffsetNs)
      continue;
    place.epochOffsetNs = lastWrittenNs > input.endNs() ? lastWrittenNs - input.endNs() : 0;
    isGuessed = true;
  }
  if (isGuessed)
    warning("{} does not say at which time of day it began; its last event is taken to be as old as its newest file",
            input.name());
  return places;
}

// False after a complaint.
bool isLoadable(const TraceInput &input, int &code) {
  if (input.name() == "standard input") {
    code = fail(kWrongUsage, "load: standard input can't be loaded: it has no name and can't be read again");
    return false;
  }
  WholeSink whole;
  model::ReadRequest nothing;
  nothing.threads.emplace();
  if (auto read = input.source().readPart(whole, nothing); !read) {
    code = failWith(read.error());
    return false;
  }
  if (!whole.isRoot)
    code = fail(kWrongUsage,
                "load: {} is a part of a session; only whole sessions can be loaded, so that no call is "
                "loaded twice (--thread and the like choose calls)",
                input.name());
  return whole.isRoot;
}

Patience patienceOf(const Options &options, const std::function<void()> &clear) {
  return {.forNs = options.retryForNs,
          .isInterrupted = [] { return ConvertLine::interruption() != 0; },
          .say = [clear](const std::string &text) { clear(), warning("{}", text); }};
}

int loadOne(std::vector<Server> &servers, const Options &options, const Labels &labels, const std::string &path) {
  int code = kOk;
  std::optional<TraceInput> input =
      TraceInput::open({.path = path, .threads = options.threads, .from = {}, .to = {}}, code);
  if (!input || !isLoadable(*input, code))
    return code;
  const std::string name = input->name();
  const auto identity = identify(name, input->table());
  if (!identity)
    return failWith(identity.error());
  Server &server = servers[identity->session % servers.size()];
  ConvertLine line(options.quiet ? "never" : options.progress, "loading");
  std::error_code error;
  LoadRequest request{.row = {.session = identity->session,
                              .plan = model::sipHash64(std::to_string(identity->content) + "\n" + options.plan),
                              .name = sessionName(name),
                              .path = std::filesystem::absolute(name, error).lexically_normal().string(),
                              .release = {},
                              .labels = labels},
                      .places = placesOf(*input, identity->lastWrittenNs),
                      .replaces = options.replace,
                      .blocks = {.release = {},
                                 .places = {},
                                 .mostRows = options.blockRows,
                                 .stepNs = options.stepNs,
                                 .allCalls = options.spans || (!options.stepNs && !options.slowest && !options.share),
                                 .slowest = options.slowest,
                                 .sample = options.share,
                                 .take = {}},
                      .read = {},
                      .patience = patienceOf(options, [&line] { line.clear(); })};
  for (const auto &[key, value] : labels)
    if (key == "release")
      request.row.release = value;
  analysis::PartOptions part{.calls = options.filter.options, .threads = options.threads, .from = {}, .to = {}};
  const uint64_t minDurationNs = std::exchange(part.calls.minDurationNs, 0);
  uint64_t events = 0;
  request.read = [&](model::TraceSink &sink) {
    ChosenCalls chosen(part, minDurationNs, sink);
    ConvertProgress progress(input->source(), chosen.sink(), line);
    const auto done = model::convert(input->source(), progress);
    events = progress.eventCount();
    return done;
  };
  const uint64_t sentBefore = server.sentBytes();
  Loader loader(server, request);
  const auto result = loader.load();
  line.clear();
  if (const int number = ConvertLine::interruption()) {
    complain(fmt::format("{}: interrupted; load it again to go on where this stopped", oneLine(name)));
    signal(number, SIG_DFL);
    raise(number);
    return kSignalBase + number;
  }
  if (!result)
    return failWith(result.error());
  if (result->wasThere) {
    if (!options.quiet)
      complain(fmt::format("{} was loaded before", oneLine(name)));
    return input->close();
  }
  for (const model::Loss &loss : result->losses)
    warning("not carried over: {} {}", formatCount(loss.count), loss.what);
  if (!options.quiet)
    complain(fmt::format(
        "{} of {} in {} ({}){}{}, {} sent", formatCount(result->calls, "call"), oneLine(name),
        formatDuration(line.nanoseconds()), formatRate(result->calls, line.nanoseconds()),
        result->spans == result->calls && !result->sums
            ? std::string()
            : fmt::format(", as {} and {}", formatCount(result->spans, "call"), formatCount(result->sums, "sum")),
        result->skippedRows ? fmt::format(", {} of them were there", formatCount(result->skippedRows)) : std::string(),
        formatBytes(server.sentBytes() - sentBefore)));
  return input->close();
}

int run(Options &options) {
  if (!options.filter.settle("load"))
    return kWrongUsage;
  const auto labels = labelsOf(options.labels);
  if (!labels)
    return kWrongUsage;
  if (options.sessions.empty() && !options.init)
    return fail(kWrongUsage, "load: which session? (--init alone makes the tables)");
  auto addresses = parseAddresses(options.to);
  if (!addresses)
    return failWith(addresses.error());
  const auto credentials = readCredentials(options.credentials);
  if (!credentials)
    return failWith(credentials.error());
  std::vector<Server> servers;
  for (const ServerAddress &address : *addresses)
    servers.emplace_back(address, *credentials, [] { return ConvertLine::interruption() != 0; });
  if (options.sql) {
    const auto statements = tableStatements(servers.front(), options.cluster);
    if (!statements)
      return failWith(statements.error());
    Output().write(*statements);
    return kOk;
  }
  for (Server &server : servers) {
    const auto prepare = [&] { return options.init ? makeTables(server, options.cluster) : checkTables(server); };
    if (auto ready = patienceOf(options, [] {}).retry(prepare); !ready)
      return failWith(ready.error());
    if (servers.size() > 1 && !server.isOfCluster())
      return fail(kWrongUsage, "load: {} has the tables of a single server; several need those of a cluster",
                  server.address().shown);
  }
  int worst = kOk;
  for (const std::string &session : options.sessions) {
    const int code = loadOne(servers, options, *labels, session);
    if (code == kServerDown || code == kAccessDenied || code == kOtherSchema || code == kServerFull)
      return code; // the others would fare no better
    worst = std::max(worst, code);
  }
  return worst;
}

std::function<int()> declare(CLI::App &app, const Invocation &) {
  auto options = std::make_shared<Options>();
  app.add_option("session", options->sessions, "Whole sessions, or files of any format that adatrace reads")
      ->type_name("");
  app.add_option(
         "--to", options->to,
         "The database, at the server's HTTP port: clickhouse://HOST:PORT/DATABASE [port 8123]; of a cluster a server "
         "for each shard: clickhouse://HOST:PORT,HOST:PORT/DATABASE; with TLS "
         "clickhouses://HOST:PORT/DATABASE [port 8443]. The user and the password are in CLICKHOUSE_USER and "
         "CLICKHOUSE_PASSWORD")
      ->type_name("ADDRESS")
      ->required();
  app.add_option("--credentials", options->credentials,
                 "A file with lines user=NAME and password=PASSWORD instead, which only its owner may read")
      ->type_name("FILE");
  app.add_flag("--init", options->init, "Make the database and its tables, if they are not there");
  app.add_option("--cluster", options->cluster.name,
                 "With --init: the tables of a cluster, which the servers' configuration calls so")
      ->type_name("NAME");
  app.add_flag("--replicated", options->cluster.isReplicated, "With --cluster: Replicated tables");
  app.add_flag("--sql", options->sql, "With --init: print the statements, and make nothing");
  app.add_option("--label", options->labels,
                 "NAME=VALUE of these sessions; release=1.4 becomes a column of each call; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--replace", options->replace,
               "Delete what was loaded of a session when it was shorter, or with other options, and load it again");
  addDuration(app, "--retry-for", options->retryForNs,
              "How long to try again while the server does not answer, is overloaded or its disk is full [1m]");
  std::vector<const CLI::Option *> filters;
  filters.push_back(addDuration(app, "--aggregate", options->stepNs,
                                "Sums and percentiles of each function for every 10s, say, instead of single calls"));
  filters.push_back(addCount(app, "--slowest", options->slowest,
                             "Of single calls only the N slowest of each function, with or without --aggregate"));
  filters.push_back(app.add_option("--sample", options->sample,
                                   "Of single calls this share, chosen by chance (1%), with or without --aggregate")
                        ->type_name("SHARE"));
  filters.push_back(app.add_flag("--spans", options->spans, "All single calls as well as --aggregate"));
  addCount(app, "--block-rows", options->blockRows, "Calls per request, 1000000 at most [200000]");
  const std::vector<CLI::Option *> before = app.get_options();
  addThreads(app, options->threads);
  declareFilter(app, options->filter);
  for (CLI::Option *option : app.get_options())
    if (std::ranges::find(before, option) == before.end())
      filters.push_back(option);
  app.add_flag("-q,--quiet", options->quiet, "No closing line and no progress");
  app.add_option("--progress", options->progress,
                 "A line of numbers while it takes long: auto (on a terminal), always, never [auto]")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  return [options, filters] {
    if (options->blockRows == 0 || options->blockRows > 1'000'000)
      return fail(kWrongUsage, "load: --block-rows: 1 to 1000000");
    const std::string &cluster = options->cluster.name;
    if (!options->init && (!cluster.empty() || options->sql))
      return fail(kWrongUsage, "load: --cluster and --sql go with --init");
    if (options->cluster.isReplicated && cluster.empty())
      return fail(kWrongUsage, "load: --replicated goes with --cluster");
    if (cluster.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != cluster.npos)
      return fail(kWrongUsage, "load: --cluster: a name of letters, digits and _");
    if (!options->sample.empty()) {
      const std::optional<double> share = shareOf(options->sample);
      if (!share)
        return fail(kWrongUsage, "load: --sample: '{}' is not a share like 1% or 0.01", oneLine(options->sample));
      options->share = *share;
    }
    if (options->spans && (options->slowest || options->share > 0))
      return fail(kWrongUsage, "load: --spans loads all calls, --slowest and --sample some: choose one");
    if (filters[0]->count() > 0 && options->stepNs == 0)
      return fail(kWrongUsage, "load: --aggregate: more than no time");
    for (const CLI::Option *option : filters)
      for (const std::string &value : option->results())
        options->plan += option->get_name() + "\n" + value + "\n";
    for (const std::string &label : options->labels)
      options->plan += "--label\n" + label + "\n";
    options->plan += std::to_string(options->blockRows);
    return run(*options);
  };
}

} // namespace

const Command kLoad = {
    "load",
    "Put sessions of many machines into a ClickHouse database",
    "adatrace load --init --to=clickhouse://db.example:8123/traces\n"
    "adatrace load --to=clickhouse://db.example:8123/traces --label release=1.4 ada-traces/session_*\n"
    "# status 4: no answer; 5: user or password refused; 6: no tables, or of another version; 7: its disk is full",
    declare,
};

} // namespace ada::cli
