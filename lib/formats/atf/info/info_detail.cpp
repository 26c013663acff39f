// Describes detail events and the windows in which they were recorded.
#include "info_detail.h"

#include "base/format.h"
#include "base/quantities.h"
#include "formats/atf/session/directories.h"
#include "shared/select/function_glob.h"

#include <filesystem>

namespace ada::atf {

static std::string detailPath(const ThreadTrace &thread) { return detailPathIn(thread.path); }

static uint64_t bytesOf(const std::string &path) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

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
  uint64_t events = 0, bytes = 0;
  for (const ThreadTrace &thread : process.threads()) {
    events += detailCountOf(thread);
    bytes += bytesOf(detailPath(thread));
  }
  const Manifest *manifest = process.manifest();
  const std::string globs(manifest ? optionOf(*manifest, "detail") : "");
  if (events == 0 && globs.empty())
    return {};
  std::string text = fmt::format("{}, {}", formatCount(events, "event"), formatBytes(bytes));
  if (globs.empty())
    return text;
  uint64_t functions = 0;
  for (const Symbol &symbol : manifest->symbols()) {
    const std::string mangled(symbol.name), file(symbol.file), demangled(manifest->displayName(symbol.functionId));
    functions += select::means(globs.c_str(), {mangled.c_str(), demangled.c_str(), file.c_str()});
  }
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

model::InfoTable windowTable(const ProcessTrace &process, std::optional<uint64_t> originNs) {
  model::InfoTable table{.key = "windows",
                         .what = "windows",
                         .heading = fmt::format("{:>6} {:>13} {:>13} {:>15} {:>9}  first cause", "window", "from", "to",
                                                "pre-roll", "triggers"),
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

} // namespace ada::atf
