// Loads sessions into a database: the code that load and ship share.
#include "session_loads.h"
#include "exit_codes.h"
#include "input/chosen_calls.h"
#include "input/trace_input.h"
#include "options/option_values.h"
#include "output/convert_progress.h"
#include "session_identity.h"
#include "terminal/terminal.h"
#include "trace/base/file_tree.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "ada/trace/convert.h"
#include "formats/clickhouse/sip_hash.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>

namespace ada::cli {

namespace {

// "1%" or "0.01"; more than 0 and at most 1.
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

// Finds out whether the input is a whole session.
struct WholeSink : model::TraceSink {
  bool isRoot = true;
  Expected<void> begin(const model::TraceInfo &info) override {
    isRoot = info.isRoot;
    return {};
  }
  Expected<void> events(const model::Batch &) override { return {}; }
};

// The processes' places. A trace without times of day gets them by assuming that its last event happened when its
// newest file was written.
std::vector<formats::ProcessPlace> placesOf(const TraceInput &input, uint64_t lastWrittenNs,
                                            const std::function<void(const std::string &)> &say) {
  std::vector<formats::ProcessPlace> places;
  bool isGuessed = false;
  for (const model::Process &process : input.table().processes) {
    formats::ProcessPlace &place = places.emplace_back(formats::placeOf(process));
    if (place.epochOffsetNs)
      continue;
    place.epochOffsetNs = lastWrittenNs > input.endNs() ? lastWrittenNs - input.endNs() : 0;
    isGuessed = true;
  }
  if (isGuessed)
    say(fmt::format("warning: {} does not record the time of day at which it began; its last event is assumed to be as "
                    "old as its newest file",
                    input.name()));
  return places;
}

// The request that the options and the files make.
LoadRequest requestOf(const LoadOptions &options, const SessionIdentity &identity) {
  LoadRequest request;
  request.row.session = identity.session;
  // The version of the rows is part of the plan, because a load that an older version began can't be continued.
  const std::string plan = std::to_string(identity.content) + "\n" + options.plan;
  request.row.plan = formats::sipHash64(plan + "\nrows of version 5");
  for (const std::string_view version : {"3", "4"})
    request.earlierPlans.push_back(formats::sipHash64(fmt::format("{}\nrows of version {}", plan, version)));
  request.row.labels = options.labelPairs;
  for (const auto &[key, value] : options.labelPairs)
    if (key == "release")
      request.row.release = value;
  formats::SpanBlockOptions &blocks = request.blocks;
  blocks.mostRows = options.blockRows;
  blocks.stepNs = options.stepNs;
  blocks.allCalls = options.spans || (!options.stepNs && !options.slowest && !options.share);
  blocks.slowest = options.slowest;
  blocks.points = blocks.allCalls || options.points;
  blocks.sample = options.share;
  return request;
}

} // namespace

void declareLoadOptions(CommandLine &line, LoadOptions &options) {
  line.option(
          "--to", options.to,
          "The database, at the server's HTTP port: clickhouse://HOST:PORT/DATABASE [port 8123]; for a cluster, one "
          "server per shard: clickhouse://HOST:PORT,HOST:PORT/DATABASE; with TLS: clickhouses://HOST:PORT/DATABASE "
          "[port 8443]. Put the user and the password in CLICKHOUSE_USER and CLICKHOUSE_PASSWORD")
      .type("ADDRESS")
      .required();
  line.option("--credentials", options.credentials,
              "Read the user and the password from this file instead: lines user=NAME and password=PASSWORD, readable "
              "only by its owner")
      .type("FILE");
  line.option("--label", options.labels,
              "Label these sessions with NAME=VALUE; release=1.4 becomes a column of each call; may be repeated")
      .type("NAME=VALUE")
      .repeatable();
  addDuration(line, "--retry-for", options.retryForNs,
              "How long to keep trying while the server does not answer, is overloaded or has a full disk [1m]");
  options.choices.push_back(
      addDuration(line, "--aggregate", options.stepNs,
                  "Load sums and percentiles of each function per period (10s), instead of single calls"));
  options.choices.push_back(addCount(line, "--slowest", options.slowest,
                                     "Load only the N slowest calls of each function, with or without --aggregate"));
  options.choices.push_back(
      line.option("--sample", options.sample,
                  "Load only this share of the calls (1%), chosen at random, with or without --aggregate")
          .type("SHARE"));
  options.choices.push_back(line.flag("--spans", options.spans, "Load all single calls in addition to --aggregate"));
  options.choices.push_back(line.flag("--points", options.points,
                                      "With --aggregate, --slowest or --sample: also load instants, counters, flows "
                                      "and marks, which are always loaded with all single calls"));
  addCount(line, "--block-rows", options.blockRows, "Calls per request, at most 1000000 [200000]");
  addCount(line, "--connections", options.connections, "Number of concurrent requests with calls [2]");
  const size_t before = line.all().size();
  addThreads(line, options.threads);
  declareFilter(line, options.filter);
  const std::vector<Option> all = line.all();
  options.choices.insert(options.choices.end(), all.begin() + static_cast<ptrdiff_t>(before), all.end());
}

void settle(LoadOptions &options, const char *command) {
  options.filter.settle(command);
  for (const std::string &text : options.labels) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      stop(kWrongUsage, "{}: --label: '{}' is not NAME=VALUE", command, oneLine(text));
    options.labelPairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::ranges::sort(options.labelPairs);
  if (options.blockRows == 0 || options.blockRows > 1'000'000)
    stop(kWrongUsage, "{}: --block-rows: 1 to 1000000", command);
  constexpr uint64_t kMaxConnections = 32;
  if (options.connections == 0 || options.connections > kMaxConnections)
    stop(kWrongUsage, "{}: --connections: 1 to {}", command, kMaxConnections);
  if (!options.sample.empty()) {
    const std::optional<double> share = shareOf(options.sample);
    if (!share)
      stop(kWrongUsage, "{}: --sample: '{}' is not a share like 1% or 0.01", command, oneLine(options.sample));
    options.share = *share;
  }
  if (options.spans && (options.slowest || options.share > 0))
    stop(kWrongUsage, "{}: --spans loads all calls, --slowest and --sample some: choose one", command);
  if (options.choices[0].isGiven() && options.stepNs == 0)
    stop(kWrongUsage, "{}: --aggregate: the period must be longer than 0", command);
  for (const Option &option : options.choices)
    for (const std::string &value : option.values())
      options.plan += option.name() + "\n" + value + "\n";
  for (const std::string &label : options.labels)
    options.plan += "--label\n" + label + "\n";
  options.plan += std::to_string(options.blockRows);
}

int SessionLoads::complainOf(const Error &error) const {
  if (!trouble_ || !Patience::mayPass(error))
    return fail(exitCodeOf(error), "{}: {}", command_, error.text());
  trouble_(error.text());
  return exitCodeOf(error);
}

Patience SessionLoads::patience(std::function<void()> clear) const {
  // Several connections run into the same problem at the same time, which is reported only once.
  struct Said {
    std::mutex mutex;
    std::string text;
    std::chrono::steady_clock::time_point when;
  };
  return {.forNs = options_.retryForNs,
          .isInterrupted = [] { return ConvertLine::interruption() != 0; },
          .say =
              [clear = std::move(clear), said = std::make_shared<Said>()](const std::string &text) {
                const std::lock_guard lock(said->mutex);
                constexpr auto kSameTime = std::chrono::seconds(5);
                const auto now = std::chrono::steady_clock::now();
                if (std::exchange(said->text, text) == text && now - said->when < kSameTime)
                  return;
                said->when = now;
                clear();
                warning("{}", text);
              },
          .tellsOfWaiting = !trouble_};
}

void SessionLoads::begin() {
  const auto addresses = need(command_, parseAddresses(options_.to));
  const auto credentials = need(command_, readCredentials(options_.credentials));
  for (const ServerAddress &address : addresses)
    servers_.emplace_back(address, credentials, [] { return ConvertLine::interruption() != 0; });
}

int SessionLoads::prepare(const std::function<Expected<void>(Server &)> &prepare) {
  for (Server &server : servers_) {
    if (auto ready = patience([] {}).retry([&] { return prepare(server); }); !ready)
      return complainOf(ready.error());
    if (servers_.size() > 1 && !server.isOfCluster())
      return fail(kWrongUsage, "{}: {} has the tables of a single server; several servers need the tables of a cluster",
                  command_, server.address().shown);
  }
  return kOk;
}

Loaded SessionLoads::load(const std::string &path, LoadUnit unit, bool replaces,
                          const std::function<Expected<void>(const RefusedBlock &)> &refused) {
  Loaded loaded;
  const auto failed = [&](const Error &error) {
    loaded.code = complainOf(error);
    return loaded;
  };
  std::optional<TraceInput> input;
  try {
    input = TraceInput::open({.path = path, .threads = options_.threads, .from = {}, .to = {}, .say = say_});
  } catch (const Exit &exit) { // the next session may be readable
    loaded.code = exit.code;
    return loaded;
  }
  const std::string name = input->name();
  if (name == "standard input") {
    loaded.code =
        fail(kWrongUsage, "{}: standard input can't be loaded: it has no name and can't be read again", command_);
    return loaded;
  }
  WholeSink whole;
  model::ReadRequest nothing;
  nothing.threads.emplace();
  if (auto read = input->source().readPart(whole, nothing); !read)
    return failed(read.error());
  if (!whole.isRoot && unit == LoadUnit::Session) {
    loaded.code = fail(kWrongUsage,
                       "{}: {} is a part of a session; only whole sessions can be loaded, so that no call is loaded "
                       "twice (choose calls with --thread and similar options)",
                       command_, name);
    return loaded;
  }
  const auto identity = identify(name, input->table());
  if (!identity)
    return failed(identity.error());
  Server &server = servers_[identity->session % servers_.size()];
  ConvertLine line(options_.quiet ? When::Never : options_.progress, "loading");
  std::error_code error;
  const std::string place = std::filesystem::absolute(name, error).lexically_normal().string();
  loaded.name = unit == LoadUnit::Session
                    ? lastNameOf(name)
                    : lastNameOf(std::filesystem::path(place).parent_path().string()) + "/" + lastNameOf(name);
  LoadRequest request = requestOf(options_, *identity);
  request.row.name = loaded.name;
  request.row.path = place;
  request.places = placesOf(*input, identity->lastWrittenNs, say_);
  request.replaces = replaces;
  request.connections = static_cast<unsigned>(options_.connections);
  request.refused = refused;
  request.patience = patience([&line] { line.clear(); });
  analysis::PartOptions part{.calls = options_.filter.options, .threads = options_.threads, .from = {}, .to = {}};
  const uint64_t minDurationNs = std::exchange(part.calls.minDurationNs, 0);
  request.read = [&](model::TraceSink &sink) {
    ChosenCalls chosen(part, minDurationNs, sink);
    ConvertProgress progress(input->source(), chosen.sink(), line);
    return model::convert(input->source(), progress);
  };
  const uint64_t sentBefore = server.sentBytes();
  Loader loader(server, request);
  const auto result = loader.load();
  line.clear();
  loaded.ns = line.nanoseconds();
  loaded.sentBytes = server.sentBytes() - sentBefore;
  if (ConvertLine::interruption()) {
    loaded.isInterrupted = true;
    return loaded;
  }
  if (!result)
    return failed(result.error());
  loaded.wasThere = result->wasThere;
  if (!loaded.wasThere) {
    for (const model::Loss &loss : result->losses)
      say_(fmt::format("warning: not carried over: {} {}", formatCount(loss.count), loss.what));
    loaded.calls = result->calls, loaded.spans = result->spans, loaded.sums = result->sums;
    loaded.skippedRows = result->skippedRows, loaded.refusedRows = result->refusedRows;
  }
  loaded.code = input->close();
  return loaded;
}

} // namespace ada::cli
