// adatrace why: says what is wrong, or shows how one call, or one process, spent its time.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/finding_lines.h"
#include "output/process_why_lines.h"
#include "output/why_lines.h"

#include "analysis/events/call_name.h"
#include "analysis/findings/findings.h"
#include "trace/base/quantities.h"

#include <charconv>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace why_command {
namespace {

constexpr double kLeastPercent = 0.1; // smaller parts say little, and there may be many of them

struct Options {
  InputOptions input;
  NameOptions names;
  std::vector<std::string> functions;
  std::string call, process;
  Format format = Format::Text;
  std::optional<double> minPercent;
  uint64_t limit = 0;
};

struct ChosenCall {
  uint32_t thread = 0;
  Span span;
};

// Finds the call of --call=THREAD:NUMBER or PID/THREAD:NUMBER. If there is none, that ends the command.
ChosenCall callOf(const std::string &text, TraceInput &input) {
  const auto name = analysis::CallName::parse(text);
  if (!name)
    stop(kWrongUsage, "why: --call={} is not THREAD:NUMBER, like 0:17; `adatrace dump {}` shows both", text,
         pathForShell(input.path()));
  const std::vector<uint32_t> found = name->threadsIn(input.table(), input.threads());
  if (found.empty())
    stop(kCantRead, "why: {} has no thread {}", input.name(), name->thread);
  if (found.size() > 1)
    stop(kWrongUsage, "why: several processes have a thread {}; --call=PID/{} names one", name->thread, text);
  const auto call = need(analysis::callAt(input.source(), input.table(), found[0], name->seq));
  if (!call)
    stop(kCantRead, "why: event {} of thread {} does not begin a call", name->seq, name->thread);
  return {found[0], *call};
}

ChosenCall slowestOf(const Options &options, TraceInput &input) {
  analysis::FilterOptions filter;
  filter.included = options.functions;
  input.setRange(filter);
  uint32_t thread = 0;
  const auto call = need(analysis::longestCall(input.trace(), filter, thread));
  if (call)
    return {thread, *call};
  complain(fmt::format("why: {} has no call of such a function", input.name()));
  (void)warnAboutUnmatched("--function", options.functions, input.table().functions);
  throw Exit{kProblemsFound};
}

// The process of --process=PID; if several had the number, the longest. kNoProcess: the session.
uint32_t processOf(const std::string &text, const analysis::ProcessList &list, const TraceInput &input) {
  if (text == "all")
    return wholeSession(list);
  uint64_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    stop(kWrongUsage, "why: --process={} is neither a number nor all", text);
  const std::vector<uint32_t> found = runsWithPid(list, pid);
  if (found.empty())
    stop(kCantRead, "why: {} has no process {}", input.name(), pid);
  if (found.size() > 1)
    warning("{} processes had the number {} one after the other; this is the longest", found.size(), pid);
  return found[0];
}

int explainProcess(const Options &options, const Invocation &invocation) {
  TraceInput input = TraceInput::open(options.input);
  const analysis::ProcessList list = analysis::listProcesses(input.table());
  const analysis::ProcessWhy why =
      analysis::explainProcess(list, input.table(), processOf(options.process, list, input));
  Output out;
  if (options.format == Format::Text)
    printProcessWhy(out, invocation.palette(), why, options.limit, options.minPercent.value_or(kLeastPercent));
  else
    printProcessWhyJson(out, why);
  out.flush();
  return input.close();
}

int findAll(const Options &options, const Invocation &invocation) {
  if (options.input.from + options.input.to != "" || options.minPercent || options.limit)
    return fail(kWrongUsage, "why: --from, --to, --min-percent and --limit need --function, --call or --process");
  TraceInput input = TraceInput::open(options.input);
  analysis::Damage damage;
  const analysis::Findings found = need(analysis::findAll(input.trace(), input.path(), damage));
  Output out;
  if (options.format == Format::Text)
    printFindings(out, invocation.palette(), found);
  else
    printFindingsJson(out, found);
  out.flush();
  return input.close(damage);
}

int run(Options &options, const Invocation &invocation) {
  const int given = !options.functions.empty() + !options.call.empty() + !options.process.empty();
  if (given == 0)
    return findAll(options, invocation);
  if (given > 1)
    return fail(kWrongUsage, "why: --function, --call and --process exclude each other");
  if (!options.process.empty())
    return explainProcess(options, invocation);
  TraceInput input = TraceInput::open(options.input);
  const ChosenCall call = options.call.empty() ? slowestOf(options, input) : callOf(options.call, input);
  auto why = need(analysis::explainCall(input.source(), input.table(), call.thread, call.span));
  const bool isText = options.format == Format::Text;
  const WhyLimits limits = {.minPercent = options.minPercent.value_or(isText ? kLeastPercent : 0),
                            .lines = options.limit};
  const WhyLeftOut leftOut = shorten(why, limits);
  const Palette palette = invocation.palette();
  Output out;
  if (!isText)
    printWhyJson(out, input, why, options.names.style);
  else
    printWhy(out, palette, input, why, options.names.style);
  if (isText && leftOut.small)
    out.print("  {}... and {} of less than {} % of the time; --min-percent=0 shows all{}\n", palette.dim,
              formatCount(leftOut.small, "part"), limits.minPercent, palette.reset);
  if (isText && leftOut.more)
    out.print("  {}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(leftOut.more), palette.reset);
  out.flush();
  if (!why.hasSched)
    warning("{} has no on-CPU times for this thread: calls of functions that wait count as waiting", input.name());
  return input.close();
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  addGlobs(line, "-f,--function", options.functions,
           "Explain the slowest call of these functions (globs, separated by '|')");
  line.option("--call", options.call, "Explain this call, given by its thread and number as `dump` shows them (0:17)")
      .type("THREAD:NUMBER");
  line.option("--process", options.process,
              "Explain this process: what it waited for last, through its children; all: the whole session")
      .type("PID|all");
  line.option("--min-percent", options.minPercent,
              fmt::format("Leave out parts of less than this share of the call's time [{} in text, otherwise 0]",
                          kLeastPercent))
      .type("N")
      .between(0.0, 100.0);
  addLimit(line, options.limit, "At most this many lines; 0: all [0]");
  declareNames(line, options.names);
  addFormat(line, options.format, {Format::Text, Format::Json}, "text, or json (one object) [text]");
}

} // namespace
} // namespace why_command

const Command kWhy = {
    "why",
    "Say what is wrong, or where the time of a call or process went, through what it waited for",
    "adatrace why\n"
    "adatrace why --function='server::handle'\n"
    "adatrace why --call=3:1742 ada-traces/session_20261121_101500\n"
    "adatrace why --process=all",
    withOptions<why_command::declare, why_command::run>,
};

} // namespace ada::cli
