// Adatrace why: shows how one call spent its time.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/why_lines.h"

#include <charconv>
#include <memory>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace why_command {
namespace {

struct Options {
  InputOptions input;
  NameOptions names;
  std::vector<std::string> functions;
  std::string call;
  Format format = Format::Text;
};

struct ChosenCall {
  uint32_t thread = 0;
  Span span;
};

bool readNumber(std::string_view text, uint64_t &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Finds the call of --call=THREAD:NUMBER or PID/THREAD:NUMBER. Sets the exit code if there is no such call.
std::optional<ChosenCall> callOf(const std::string &text, TraceInput &input, int &exitCode) {
  const size_t slash = text.find('/'), colon = text.find(':');
  const size_t start = slash == std::string::npos ? 0 : slash + 1;
  uint64_t pid = 0, number = 0, seq = 0;
  if (colon == std::string::npos || colon < start ||
      !readNumber(std::string_view(text).substr(start, colon - start), number) ||
      !readNumber(std::string_view(text).substr(colon + 1), seq) ||
      (start && !readNumber(std::string_view(text).substr(0, slash), pid))) {
    exitCode = fail(kWrongUsage, "why: --call={} is not THREAD:NUMBER, like 0:17; `adatrace dump` shows both", text);
    return std::nullopt;
  }
  std::vector<uint32_t> found;
  for (const uint32_t thread : input.threads())
    if (const model::Thread &about = input.table().threads[thread];
        about.number == number && (!start || input.table().processOf(about).pid == pid))
      found.push_back(thread);
  if (found.size() != 1) {
    exitCode = found.empty() ? fail(kCantRead, "why: {} has no thread {}", input.name(), number)
                             : fail(kWrongUsage, "why: several processes have a thread {}; --call=PID/{} names one",
                                    number, text);
    return std::nullopt;
  }
  const auto call = analysis::callAt(input.source(), input.table(), found[0], seq);
  if (!call)
    exitCode = fail(kCantRead, "{}", call.error().text());
  else if (!*call)
    exitCode = fail(kCantRead, "why: event {} of thread {} does not begin a call", seq, number);
  return call && *call ? std::optional(ChosenCall{found[0], **call}) : std::nullopt;
}

std::optional<ChosenCall> slowestOf(const Options &options, TraceInput &input, int &exitCode) {
  analysis::FilterOptions filter;
  filter.included = options.functions;
  input.setRange(filter);
  ChosenCall chosen;
  const auto call = analysis::longestCall(input.source(), input.table(), input.threads(), filter, chosen.thread);
  if (!call) {
    exitCode = fail(kCantRead, "{}", call.error().text());
  } else if (!*call) {
    exitCode = fail(kCantRead, "why: {} has no call of such a function", input.name());
    warnAboutUnmatched("--function", options.functions, input.table().functions);
  } else {
    chosen.span = **call;
    return chosen;
  }
  return std::nullopt;
}

int run(const Options &options, const Invocation &invocation) {
  int exitCode = kOk;
  std::optional<TraceInput> input = TraceInput::open(options.input, exitCode);
  if (!input)
    return exitCode;
  const std::optional<ChosenCall> call =
      options.call.empty() ? slowestOf(options, *input, exitCode) : callOf(options.call, *input, exitCode);
  if (!call)
    return exitCode;
  const auto why = analysis::explainCall(input->source(), input->table(), call->thread, call->span);
  if (!why)
    return fail(kCantRead, "{}", why.error().text());
  Output out;
  if (options.format == Format::Json)
    printWhyJson(out, *input, *why, options.names.style);
  else
    printWhy(out, Palette(invocation.color, STDOUT_FILENO), *input, *why, options.names.style);
  out.flush();
  if (!why->hasSched)
    warning("{} has no on-CPU times for this thread: calls of functions that wait count as waiting", input->name());
  return input->close();
}

std::function<int()> declare(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  declareInput(line, options->input);
  addGlobs(line, "-f,--function", options->functions,
           "Explain the slowest call of these functions (globs, separated by '|')");
  line.option("--call", options->call, "Explain this call, given by its thread and number as `dump` shows them (0:17)")
      .type("THREAD:NUMBER");
  declareNames(line, options->names);
  addFormat(line, options->format, {Format::Text, Format::Json}, "text, or json (one object) [text]");
  return [options, &invocation] {
    if (options->functions.empty() == options->call.empty())
      return fail(kWrongUsage, "why: name a call: --function=GLOB for the slowest one, or --call=THREAD:NUMBER");
    return run(*options, invocation);
  };
}

} // namespace
} // namespace why_command

const Command kWhy = {
    "why",
    "Show where a call's time went: its own code, callees, and threads that it waited for",
    "adatrace why --function='server::handle'\n"
    "adatrace why --call=3:1742 ada-traces/session_20261121_101500",
    why_command::declare,
};

} // namespace ada::cli
