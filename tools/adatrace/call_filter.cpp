//===- call_filter.cpp - which calls of a thread tree and report show -----===//
#include "call_filter.h"
#include "option_values.h"
#include "trace_input.h"

#include "select/function_glob.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace ada::cli {

void declareFilter(CLI::App &app, FilterOptions &options, bool durations) {
  const auto globs = [&](const char *name, std::vector<std::string> &target,
                         const char *text) {
    app.add_option(name, target, text)->type_name("GLOBS")->allow_extra_args(false);
  };
  globs("-f,--function", options.functions,
        "Only these functions and what they call (globs on mangled name, demangled "
        "name with or without parameters, or source file; separated by '|')");
  app.add_flag("--only", options.only,
               "With --function: the functions themselves without what they call");
  globs("--exclude", options.excluded, "Leave these functions out with all they call");
  globs("--hide", options.hidden,
        "Leave these functions out, but not what they call");
  app.add_option("--depth,--max-depth", options.depth,
                 "At most this many calls inside one another, of those shown")
      ->type_name("N")
      ->check(CLI::Range(1u, ~0u).description(""));
  if (!durations)
    return;
  addDuration(app, "--min-duration", options.minDurationNs,
              "Leave out calls that took less (10us, 1.5ms, 2s), with all they call");
}

CallFilter::CallFilter(const FilterOptions &options, const TraceInput &input,
                       const atf::ProcessTrace &process)
    : options(&options), process(&process), fromNs(input.fromNs()),
      toNs(input.toNs()) {}

uint8_t CallFilter::flagsOf(uint64_t functionId) {
  const uint32_t number = index.add(functionId);
  if (number >= flags.size())
    flags.resize(number + 1);
  uint8_t &known = flags[number];
  if (known)
    return known;
  std::string mangled, demangled(process->displayName(functionId)), file;
  if (const Manifest *manifest = process->manifest())
    if (const Symbol *symbol = manifest->find(functionId)) {
      mangled = symbol->name;
      file = symbol->file;
    }
  const ada::select::Names names = {mangled.c_str(), demangled.c_str(),
                                    file.c_str()};
  const auto any = [&](const std::vector<std::string> &globs) {
    return std::any_of(globs.begin(), globs.end(), [&](const std::string &glob) {
      return ada::select::means(glob.c_str(), names);
    });
  };
  known = static_cast<uint8_t>(
      kKnown | (options->functions.empty() || any(options->functions) ? kWanted : 0) |
      (any(options->excluded) ? kExcluded : 0) | (any(options->hidden) ? kHidden : 0));
  return known;
}

bool CallFilter::enter(uint64_t functionId, uint64_t beginNs) {
  Frame frame = frames.empty() ? Frame{false, false, 0} : frames.back();
  const uint8_t now = flagsOf(functionId);
  frame.inside |= (now & kWanted) != 0;
  frame.closed |= (now & kExcluded) != 0;
  const bool chosen = options->only ? (now & kWanted) != 0 : frame.inside;
  const bool shown = chosen && !frame.closed && !(now & kHidden) &&
                     (beginNs < toNs || toNs == ~uint64_t(0)) && frame.shownInside < options->depth;
  frame.shownInside += shown;
  frames.push_back(frame);
  return shown;
}

bool CallFilter::accepts(const Span &span) const {
  return span.durationNs() >= options->minDurationNs && span.endNs >= fromNs;
}

bool CallFilter::leave(const Span &span) {
  frames.pop_back();
  return accepts(span);
}

void CallFilter::closeFrom(size_t depth) {
  for (; depth < frames.size(); ++depth)
    frames[depth].closed = true;
}

} // namespace ada::cli
