// Describes detail events, windows, timing anchors and functions that are off.
#include "formats/native/info/info_tables.h"

#include "formats/native/directories.h"
#include "shared/select/function_glob.h"
#include "trace/base/estimates.h"
#include "trace/base/file_tree.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>

namespace ada::atf {

static std::string detailPath(const ThreadTrace &thread) { return detailPathIn(thread.path); }

static uint64_t bytesOf(const std::string &path) { return fileBytes(path).value_or(0); }

uint64_t detailCountOf(const ThreadTrace &thread) {
  if (bytesOf(detailPath(thread)) == 0)
    return 0;
  if (thread.info && thread.info->detailCount && thread.index && thread.index->isComplete())
    return *thread.info->detailCount;
  const auto reader = DetailReader::open(detailPath(thread), {.checksum = ChecksumPolicy::Defer});
  return reader ? reader->size() : 0;
}

static std::string_view optionOf(const Manifest &manifest, std::string_view name) {
  for (const auto &[option, value] : manifest.options)
    if (option == name)
      return value;
  return {};
}

std::string detailSummary(const ProcessTrace &process) {
  uint64_t events = 0, bytes = 0, recorded = 0;
  for (const ThreadTrace &thread : process.threads()) {
    events += detailCountOf(thread);
    recorded += thread.index ? thread.index->size() : 0;
    bytes += bytesOf(detailPath(thread));
  }
  const Manifest *manifest = process.manifest();
  const std::string globs(manifest ? optionOf(*manifest, "detail") : "");
  if (events == 0 && globs.empty())
    return {};
  std::string text = formatCount(events, "event");
  if (events > recorded) // one for a call or an exit, and more for the same
    text += " (those of vector registers and contents count apart)";
  text += ", " + formatBytes(bytes);
  if (globs.empty())
    return text;
  uint64_t functions = 0;
  manifest->eachSymbol([&](const Symbol &symbol) {
    const std::string mangled(symbol.name), file(symbol.file), demangled(manifest->displayName(symbol.functionId));
    functions += select::means(globs.c_str(), {mangled.c_str(), demangled.c_str(), file.c_str()});
  });
  return text + fmt::format(", of {} ({})", formatCount(functions, "function"), globs);
}

static std::string causeOf(const WindowTrigger &trigger, const ProcessTrace &process) {
  const auto function = [&] {
    return trigger.functionId ? std::string(process.shortDisplayName(*trigger.functionId)) : std::string("a function");
  };
  std::string text = trigger.kind == "call"        ? "call of " + function()
                     : trigger.kind == "slow"      ? "slow call of " + function()
                     : trigger.kind == "exception" ? "exception left " + function()
                     : trigger.kind == "signal"    ? "fatal signal"
                     : trigger.kind == "api"       ? "ada_trigger()"
                     : trigger.kind == "outside"   ? "adatrace trigger"
                                                   : trigger.kind;
  if (trigger.thread)
    text += fmt::format(" in thread {}", *trigger.thread);
  return text;
}

formats::InfoTable windowTable(const ProcessTrace &process, std::optional<uint64_t> originNs) {
  formats::InfoTable table{.key = "windows",
                           .what = "windows",
                           .heading = fmt::format("{:>6} {:>13} {:>13} {:>15} {:>9}  first cause", "window", "from",
                                                  "to", "pre-roll", "triggers"),
                           .shown = 25};
  const auto after = [&](uint64_t ns) {
    return originNs ? formatDuration(ns > *originNs ? ns - *originNs : 0) : std::to_string(ns);
  };
  for (const DetailWindow &window : process.manifest()->windows) {
    const std::string cause = window.triggers.empty() ? "" : causeOf(window.triggers[0], process);
    JsonMembers members;
    members.number("time_start_ns", window.startNs)
        .number("time_end_ns", window.endNs)
        .number("pre_roll_ms", uint64_t{window.preRollMs})
        .number("pre_roll_available_ms", uint64_t{window.preRollAvailableMs})
        .number("triggers", uint64_t{window.triggerCount})
        .textOrNull("first_cause", cause);
    table.rows.push_back(
        {.text = fmt::format(
             "{:>6} {:>13} {:>13} {:>15} {:>9}  {}", table.rows.size(), after(window.startNs), after(window.endNs),
             fmt::format("{} of {} ms", window.preRollAvailableMs, window.preRollMs), formatCount(window.triggerCount),
             cause.empty() ? "-" : fmt::format("{} at {}", cause, after(window.triggers[0].timeNs))),
         .members = std::move(members)});
  }
  return table;
}

std::string switchedOffSummary(const Manifest &manifest) {
  const size_t count = manifest.switchedOff.size();
  return fmt::format("{} {} switched off by the budget of {}; {}", formatCount(count, "function"),
                     count == 1 ? "was" : "were", manifest.budget,
                     MissingCalls(manifest.allEstimated(), manifest.allAtMost()).text(count == 1));
}

formats::InfoTable switchedOffTable(const ProcessTrace &process, std::optional<uint64_t> originNs) {
  const Manifest &manifest = *process.manifest();
  formats::InfoTable table{.key = "switched_off",
                           .what = "functions that are off",
                           .heading = fmt::format("{:>11} {:>13} {:>15} {:>15}  switched off by the budget", "off at",
                                                  "calls", "if as before", "missing at most"),
                           .shown = 25};
  const auto after = [&](uint64_t ns) {
    return originNs ? formatDuration(ns > *originNs ? ns - *originNs : 0) : std::to_string(ns);
  };
  std::vector<const SwitchedOffFunction *> functions;
  for (const SwitchedOffFunction &function : manifest.switchedOff)
    functions.push_back(&function);
  std::ranges::stable_sort(functions, std::ranges::greater(), [](const auto *f) { return f->estimatedCalls; });
  for (const SwitchedOffFunction *function : functions) {
    const std::string name(process.shortDisplayName(function->functionId));
    const MissingCalls missing(function->estimatedCalls, function->mostCalls);
    JsonMembers members;
    members.text("function", name)
        .number("off_ns", function->offNs)
        .number("on_ns", function->onNs)
        .number("calls", function->calls);
    missing.putMembers(members);
    table.rows.push_back(
        {.text = fmt::format("{:>11} {:>13} {:>15} {:>15}  {}{}", after(function->offNs), formatCount(function->calls),
                             "~" + formatCount(missing.ifAsBefore), missing.most ? formatCount(missing.most) : "?",
                             name, function->onNs ? " (on again at " + after(*function->onNs) + ")" : std::string()),
         .members = std::move(members)});
  }
  return table;
}

// "12.5 s", or "value/timescale" if the timescale is not positive.
static std::string mediaText(const TimingAnchor &anchor) {
  if (anchor.mediaTimescale <= 0)
    return fmt::format("{}/{}", anchor.mediaValue, anchor.mediaTimescale);
  return fmt::format("{:.6f} s", static_cast<double>(anchor.mediaValue) / static_cast<double>(anchor.mediaTimescale));
}

formats::InfoTable anchorTable(const Manifest &manifest, std::optional<uint64_t> originNs) {
  formats::InfoTable table{.key = "timing_anchors",
                           .what = "timing anchors",
                           .heading = fmt::format("{:>13} {:>18}  timing anchor", "at", "media time"),
                           .shown = 25};
  for (const TimingAnchor &anchor : manifest.timingAnchors) {
    JsonMembers members;
    members.text("label", anchor.label).number("host_time_ns", anchor.hostTimeNs);
    members.number("media_value", anchor.mediaValue).number("media_timescale", anchor.mediaTimescale);
    std::string at = std::to_string(anchor.hostTimeNs);
    if (originNs)
      at = anchor.hostTimeNs < *originNs ? "-" + formatDuration(*originNs - anchor.hostTimeNs)
                                         : formatDuration(anchor.hostTimeNs - *originNs);
    table.rows.push_back({.text = fmt::format("{:>13} {:>18}  {}", at, mediaText(anchor), oneLine(anchor.label)),
                          .members = std::move(members)});
  }
  return table;
}

} // namespace ada::atf
