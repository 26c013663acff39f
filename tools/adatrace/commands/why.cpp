// Adatrace why: shows how one call spent its time.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/why_lines.h"

#include "base/quantities.h"
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
  std::string call;
  Format format = Format::Text;
  std::optional<double> minPercent;
  uint64_t limit = 0;
};

struct ChosenCall {
  uint32_t thread = 0;
  Span span;
};

bool readNumber(std::string_view text, uint64_t &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Finds the call of --call=THREAD:NUMBER or PID/THREAD:NUMBER. If there is none, that ends the command.
ChosenCall callOf(const std::string &text, TraceInput &input) {
  const size_t slash = text.find('/'), colon = text.find(':');
  const size_t start = slash == std::string::npos ? 0 : slash + 1;
  uint64_t pid = 0, number = 0, seq = 0;
  if (colon == std::string::npos || colon < start ||
      !readNumber(std::string_view(text).substr(start, colon - start), number) ||
      !readNumber(std::string_view(text).substr(colon + 1), seq) ||
      (start && !readNumber(std::string_view(text).substr(0, slash), pid)))
    stop(kWrongUsage, "why: --call={} is not THREAD:NUMBER, like 0:17; `adatrace dump` shows both", text);
  std::vector<uint32_t> found;
  for (const uint32_t thread : input.threads())
    if (const model::Thread &about = input.table().threads[thread];
        about.number == number && (!start || input.table().processOf(about).pid == pid))
      found.push_back(thread);
  if (found.empty())
    stop(kCantRead, "why: {} has no thread {}", input.name(), number);
  if (found.size() > 1)
    stop(kWrongUsage, "why: several processes have a thread {}; --call=PID/{} names one", number, text);
  const auto call = need(analysis::callAt(input.source(), input.table(), found[0], seq));
  if (!call)
    stop(kCantRead, "why: event {} of thread {} does not begin a call", seq, number);
  return {found[0], *call};
}

ChosenCall slowestOf(const Options &options, TraceInput &input) {
  analysis::FilterOptions filter;
  filter.included = options.functions;
  input.setRange(filter);
  uint32_t thread = 0;
  const auto call = need(analysis::longestCall(input.source(), input.table(), input.threads(), filter, thread));
  if (call)
    return {thread, *call};
  complain(fmt::format("why: {} has no call of such a function", input.name()));
  (void)warnAboutUnmatched("--function", options.functions, input.table().functions);
  throw Exit{kProblemsFound};
}

int run(Options &options, const Invocation &invocation) {
  if (options.functions.empty() == options.call.empty())
    return fail(kWrongUsage, "why: name a call: --function=GLOB for the slowest one, or --call=THREAD:NUMBER");
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
    "Show where a call's time went: its own code, callees, and threads that it waited for",
    "adatrace why --function='server::handle'\n"
    "adatrace why --call=3:1742 ada-traces/session_20261121_101500",
    withOptions<why_command::declare, why_command::run>,
};

} // namespace ada::cli
