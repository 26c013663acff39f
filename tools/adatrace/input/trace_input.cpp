// Opens the trace that a subcommand reads.
#include "trace_input.h"
#include "exit_codes.h"
#include "options/anchor_times.h"
#include "options/option_values.h"
#include "process/session_place.h"
#include "terminal/terminal.h"
#include "trace/base/quantities.h"

#include "analysis/events/call_name.h"
#include "formats/table.h"

#include <algorithm>

namespace ada::cli {

void declareSessionArgument(CommandLine &line, std::string &path) {
  line.option("session", path,
              "A session (a directory, or a file of `pack`), or a process directory, thread directory or index.atf in "
              "it [the newest session under ./ada-traces]")
      .type("");
}

void declareInput(CommandLine &line, InputOptions &options) {
  declareSessionArgument(line, options.path);
  const CommandLine::Section part(line, heading::kPart);
  addThreads(line, options.threads);
  line.option("--from", options.from,
              "Only calls that are active at or after this time since the start of the trace (10us, 1.5ms, 2s; a "
              "number without a unit is in nanoseconds; @N: N nanoseconds on the trace's clock; @LABEL, @LABEL+10ms: "
              "an ada_timing_anchor of the program)")
      .type("TIME");
  line.option("--to", options.to, "Only calls that begin before this time").type("TIME");
  line.flag("--absolute", options.absolute,
            "Show and accept times on the trace's clock, not since the start of the trace");
}

void TraceInput::selectThreads(const InputOptions &options) {
  selected_.clear();
  pid_ = options.pid;
  const analysis::ThreadChoice choice(options.threads, table_.threads);
  for (const model::Thread &thread : table_.threads)
    if (choice.wants(thread) && isProcess(options, table_.processOf(thread)))
      selected_.push_back(thread.index);
}

void TraceInput::selectTimes(const InputOptions &options) {
  bool any = false;
  for (const model::Thread &thread : table_.threads)
    if (thread.extent && thread.extent->events) {
      start_ = any ? std::min(start_, thread.extent->firstNs) : thread.extent->firstNs;
      end_ = std::max(end_, thread.extent->lastNs);
      any = true;
    }
  isAbsolute_ = options.absolute;
  origin_ = isAbsolute_ ? 0 : start_;
  const auto read = [&](const char *option, const std::string &text, uint64_t &time) {
    if (isAnchorTime(text))
      time = anchorTime(option, text, table_.processes).onClock(start_);
    else if (!text.empty())
      time = needTime(option, text, options.absolute).onClock(start_);
  };
  read("--from", options.from, from_);
  read("--to", options.to, to_);
}

// Each warning is printed once, whichever reader found it.
void TraceInput::tell(const Error &problem) {
  hasProblems_ = true;
  const std::string text = problem.text();
  if (!told_.insert(text).second)
    return;
  messages_.add(problem.code == "E_BAD_CHECKSUM"
                    ? fmt::format("warning: {}; its events are shown, but some may be wrong", text)
                    : text);
}

void TraceInput::tell(const Warning &flaw) {
  hasProblems_ |= flaw.code == "W_DETAIL_FOREIGN"; // some arguments and results can't be shown
  if (told_.insert(flaw.message).second)
    messages_.add("warning: " + flaw.message);
}

TraceInput TraceInput::open(const InputOptions &options) {
  const std::string place = sessionOrNewest(options.path);
  TraceInput input(place, options.say);
  input.source_ = need(formats::openThreadwise(place));
  // Read only the announcements (processes and threads), no events.
  analysis::TableSink sink(input.table_);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  nothing.sharesFunctions = options.sharesFunctions;
  need(input.source_->readPart(sink, nothing));
  input.selectThreads(options);
  if (input.selected_.empty() && !options.threads.empty())
    stop(kWrongUsage, "--thread matches no readable thread of {}; `adatrace info {}` lists the threads", input.name_,
         pathForShell(place));
  input.selectTimes(options);
  if (input.close() != kOk && input.selected_.empty())
    throw Exit{kCantRead};
  return input;
}

void TraceInput::warnWithoutArguments() const {
  warning("{} has no arguments: record them with `adatrace record --detail=GLOB PROGRAM`", name_);
}

int TraceInput::close(const analysis::Damage &besides) {
  for (const Warning &flaw : source_->warnings())
    tell(flaw);
  for (const Warning &flaw : besides.warnings)
    tell(flaw);
  for (const Error &problem : source_->problems())
    tell(problem);
  for (const Error &problem : besides.problems)
    tell(problem);
  messages_.finish();
  return hasProblems_ ? kProblemsFound : kOk;
}

uint64_t TraceInput::eventCount() const {
  uint64_t count = 0;
  for (const uint32_t thread : selected_)
    count += table_.threads[thread].extent->events;
  return count;
}

std::string TraceInput::openText(uint64_t beginNs, uint64_t shownNs) const {
  const uint64_t open = openNs(beginNs);
  return open > shownNs ? " for " + formatDuration(open) : std::string();
}

std::string TraceInput::callName(uint32_t thread, uint64_t seq) const {
  return analysis::callName(table_, severalProcesses(), thread, seq);
}

std::string TraceInput::label(uint32_t number) const {
  return analysis::threadLabel(table_, number, severalProcesses());
}

} // namespace ada::cli
