// adatrace dump: prints every event, one per line.
#include "command.h"
#include "input/live_input.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/dump_lines.h"

#include "analysis/events/early_end.h"
#include "analysis/events/merged_events.h"
#include "formats/table.h"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace dump_command {
namespace {

struct Options {
  InputOptions input;
  FilterArguments filter;
  Format format = Format::Text;
  uint64_t limit = 0;
  bool merged = false, events = false;
  FollowOptions follow;
};

// Prints the events that pass the filter and are in the time range. Calls that are open when the range begins are
// tracked, too, so that depths are right.
class DumpSink : public analysis::TableSink {
public:
  DumpSink(TraceInput &input, const Options &options, Output &out)
      : TableSink(input.table()), input_(input), rules_(options.filter.options, input.table()),
        lines_(out, input, options.format == Format::JsonLines), left_(options.limit ? options.limit : ~uint64_t(0)) {}

  bool wantsDetails() const override { return true; }
  // All events of a batch are from one thread, because TraceInput's sources are threadwise.
  Expected<void> events(const model::Batch &batch) override {
    DumpThread &thread = threadOf(batch.events[0]);
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      if (!take(thread, seq++, event, batch))
        return analysis::earlyEnd();
    return {};
  }
  Expected<void> take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
    return take(threadOf(event), seq, event, batch) ? Expected<void>() : analysis::earlyEnd();
  }

private:
  DumpThread &threadOf(const model::Event &event) {
    if (event.thread >= threads_.size())
      threads_.resize(input_.table().threads.size());
    std::unique_ptr<DumpThread> &thread = threads_[event.thread];
    if (!thread)
      thread = std::make_unique<DumpThread>(input_, event.thread, rules_);
    return *thread;
  }
  // Returns false when enough lines have been printed.
  bool take(DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch) {
    if (!thread.take(seq, event) || !input_.isInRange(event.timeNs))
      return true;
    if (left_ == 0)
      return false;
    --left_;
    lines_.write(thread, seq, event, batch);
    return true;
  }

  const TraceInput &input_;
  analysis::FunctionRules rules_;
  DumpLines lines_;
  uint64_t left_; // lines that may still be printed
  std::vector<std::unique_ptr<DumpThread>> threads_;
};

// The session reader needs a path. An index file that is compressed or comes through a pipe gets one that stays valid
// until the program ends.
void giveName(formats::TraceLocation &place, InputOptions &options) {
  const std::string path = need(place.bytes->asFile());
  if (place.bytes->damage())
    complain(place.bytes->damage()->text());
  if (path == options.path)
    return;
  const int kept = ::open(path.c_str(), O_RDONLY);
  if (kept < 0 || ::dup2(kept, STDIN_FILENO) < 0)
    stop(kCantRead, "{}: cannot be opened again", place.name());
  ::close(kept);
  options.path = "/dev/stdin"; // shows the user what it is
}

// Dumps the file if its format has its own frames or records, and returns the exit status. Returns nothing if the
// input is a session or an index file; an index file on standard input gets a path that can be opened.
std::optional<int> dumpRaw(Options &asked) {
  InputOptions &options = asked.input;
  if (options.path.empty())
    return std::nullopt;
  auto place = need(formats::locate(options.path));
  const formats::FormatChoice found = formats::recognise(place);
  if (!found)
    return fail(kCantRead, "{}", formats::notATrace(place).text());
  if (!found.format->dumpRaw) {
    if (place.bytes)
      giveName(place, options);
    return std::nullopt;
  }
  if (asked.merged)
    return fail(kWrongUsage, "dump: --merged is for ATF sessions; {} is already one sequence", place.name());
  if (!options.threads.empty() && !found.format->hasThreads)
    return fail(
        kWrongUsage,
        "dump: --thread is for sessions and wtf-trace; `adatrace convert --thread=THREAD {} FILE` extracts a thread",
        pathForShell(place.name()));
  std::optional<analysis::TimeBound> from, to;
  for (const auto &[name, text, bound] : {std::tuple("--from", &options.from, &from), {"--to", &options.to, &to}})
    if (!text->empty())
      *bound = needTime(name, *text, options.absolute);
  formats::RawDumpOptions raw{.json = asked.format == Format::JsonLines, .threads = options.threads};
  if (from || to)
    raw.range = [&](uint64_t start) {
      return formats::TimeRange{from ? from->onClock(start) : 0, to ? to->onClock(start) : ~uint64_t(0)};
    };
  Output out;
  const auto read = found.format->dumpRaw(
      place, raw,
      {[&](std::string_view text) { out.write(text); }, [](const Warning &flaw) { warning("{}", flaw.message); }});
  out.flush();
  if (!read)
    return fail(kCantRead, "{}", read.error().text());
  if (!read->problem)
    return kOk;
  return fail(read->isUsable ? kProblemsFound : kCantRead, "{}", read->problem->text());
}

int runFollow(const Options &options) {
  if (options.merged)
    return fail(kWrongUsage, "dump: --merged can't be combined with --follow, which prints events as they are read");
  LiveInput live(options.input, options.follow, "dump");
  Output out;
  DumpSink sink(live.input(), options, out);
  while (need(live.look(sink))) {
    out.flush();
    live.wait();
  }
  out.flush();
  int unmatched = kOk;
  if (!live.isLive() && live.input().hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, live.input().table().functions);
  return std::max(unmatched, live.close());
}

int run(Options &options, const Invocation &) {
  options.filter.settle("dump");
  checkFollow(options.follow, options.input, "dump");
  if (options.follow.isWanted)
    return runFollow(options);
  if (!options.events && options.filter.options.showsAll() && !options.limit)
    if (const auto code = dumpRaw(options))
      return *code;
  TraceInput input = TraceInput::open(options.input);
  Output out;
  DumpSink sink(input, options, out);
  model::ReadRequest request;
  request.threads = input.threads();
  request.isFurther = true;
  const Expected<void> done =
      options.merged ? analysis::mergeEvents(input.trace(),
                                             [&](uint64_t seq, const model::Event &event, const model::Batch &batch) {
                                               return sink.take(seq, event, batch);
                                             })
                     : input.source().readPart(sink, request);
  out.flush();
  if (options.merged && input.threads().size() > 1 &&
      std::ranges::any_of(input.table().processes, [](const model::Process &p) { return p.timesAreOrder; }))
    warning("{} was recorded with clock=none: the order of events is known only within each thread", input.name());
  if (!done && !analysis::isEarlyEnd(done.error()))
    return fail(kCantRead, "{}", done.error().text());
  int unmatched = kOk;
  if (done && input.hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, input.table().functions);
  return std::max(unmatched, input.close());
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter, /*durations=*/false);
  addFormat(line, options.format, {Format::Text, Format::JsonLines},
            "text, or jsonl: one JSON object per line, for scripts [text]");
  line.flag("--merged", options.merged, "All threads in one sequence by time, instead of one thread after another");
  line.flag(
      "--events", options.events,
      "For other formats, too, print calls and marks instead of frames and records; a filter or --limit does the same");
  addLimit(line, options.limit, "At most this many events; 0: all [0]");
  declareFollow(line, options.follow, "print events as they are recorded");
}

} // namespace
} // namespace dump_command

const Command kDump = {
    "dump",
    "Print every event, one per line",
    "adatrace dump --format=jsonl | jq -r 'select(.kind == \"exception\") | .name'\n"
    "adatrace dump --merged --from=1ms --to=2ms ada-traces/session_20261121_101500",
    withOptions<dump_command::declare, dump_command::run>,
};

} // namespace ada::cli
