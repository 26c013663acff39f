// adatrace top: shows what functions cost while a session is being recorded.
#include "command.h"
#include "options/option_values.h"
#include "output/live_screen.h"
#include "output/top_lines.h"
#include "process/live_session.h"
#include "terminal/screen.h"
#include "trace/base/try.h"

#include "formats/table.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <unistd.h>

namespace ada::cli {

namespace top_command {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string target, sort = "self";
  uint64_t intervalNs = 1'000'000'000, count = 0, limit = 0;
  TableOptions table;
};

constexpr uint64_t kRows = 20; // shown unless --limit says otherwise, or the screen is smaller

// Small letters are for the time since the last look, capitals for all the time.
constexpr LivePage::SortKey kKeys[] = {
    {'c', "calls"},     {'t', "total"},     {'s', "self"},     {'m', "mean"},     {'p', "p99"},
    {'C', "all calls"}, {'T', "all total"}, {'S', "all self"}, {'M', "all mean"}, {'P', "all p99"},
};
constexpr const char *kFooter = "c calls  t total  s self  m mean  p p99  capitals: in sum  ";

class Looks : public LivePage {
public:
  Looks(LiveSession session, const TableOptions &table, const Palette &palette)
      : session_(std::move(session)), table_(table), palette_(palette) {
    state_.session = session_.name();
  }

  Expected<bool> look() override {
    // First, so that whatever is written before it turns false is read.
    state_.isLive = session_.isLive();
    const auto source = ADA_TRY(formats::openThreadwise(session_.path()));
    const auto now = Clock::now();
    if (last_ != Clock::time_point())
      state_.intervalNs = static_cast<uint64_t>(std::chrono::nanoseconds(now - last_).count());
    last_ = now;
    ADA_TRY(rates_.update(*source, [this](const model::Process &process) { return session_.has(process.name); }));
    return state_.isLive;
  }
  void print(Output &out, const TableOptions &table, size_t limit) {
    state_.sortedBy = sortedBy, state_.isPaused = isPaused;
    printTop(out, palette_, rates_, state_, table, limit);
  }
  std::string page(unsigned rows, unsigned columns) override {
    constexpr unsigned kOthers = 5; // lines: head, headings, columns that did not fit, an empty one, keys
    TableOptions fitted = table_;
    fitted.width = columns;
    std::string page;
    Output out(page);
    print(out, fitted, std::max(rows, kOthers + 1) - kOthers);
    out.flush();
    return page;
  }
  std::span<const SortKey> sortKeys() const override { return kKeys; }

private:
  LiveSession session_;
  const TableOptions &table_;
  const Palette palette_;
  analysis::CallRates rates_;
  TopState state_;
  Clock::time_point last_;
};

// Tables one after the other.
int runPlain(const Options &options, Looks &looks, bool isLive) {
  Output out;
  for (uint64_t number = 1;; ++number) {
    if (number > 1 && options.table.isText())
      out.write("\n");
    looks.print(out, options.table, options.limit ? options.limit : kRows);
    out.flush();
    if (number == options.count || (options.count == 0 && !isLive))
      return kOk;
    std::this_thread::sleep_for(std::chrono::nanoseconds(options.intervalNs));
    isLive = need(looks.look());
  }
}

int run(Options &options, const Invocation &invocation) {
  options.table.check("top", infoOf(analysis::rateColumns()));
  if (options.intervalNs == 0)
    return fail(kWrongUsage, "top: --interval must be longer than 0");
  if (options.table.format == Format::Json && options.count != 1)
    return fail(kWrongUsage, "top: --format=json needs --count=1; use --format=jsonl for more than one look");
  const Palette palette = invocation.palette();
  Looks looks(LiveSession::named(options.target), options.table, palette);
  looks.sortedBy = options.sort;
  const bool isLive = need(looks.look());
  if (!options.table.isText() || !Screen::isPossible())
    return runPlain(options, looks, isLive);
  need(showLive(looks, isLive,
                {.interval = std::chrono::nanoseconds(options.intervalNs),
                 .looks = options.count,
                 .keys = kFooter,
                 .palette = palette}));
  return kOk;
}

void declare(CommandLine &line, Options &options) {
  line.option("target", options.target, "A process that records, or a session [the newest session under ./ada-traces]")
      .type("PID|SESSION");
  addDuration(line, "--interval", options.intervalNs, "Time between two looks [1s]");
  addCount(line, "--count", options.count, "End after this many looks [when the recording ends, or with q]");
  addLimit(line, options.limit, "At most this many functions, if not on a screen [20]");
  addSort(line, options.sort, sortWords(analysis::rateColumns()), "function");
  addTableOptions(line, options.table, "function");
}

} // namespace
} // namespace top_command

const Command kTop = {
    "top",
    "Show what functions cost while a session is being recorded",
    "adatrace top\n"
    "adatrace top 4711 --sort=p99\n"
    "adatrace top --interval=5s --count=3 ada-traces/session_20261121_101500 > top.txt",
    withOptions<top_command::declare, top_command::run>,
};

} // namespace ada::cli
