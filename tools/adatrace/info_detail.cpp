//===- info_detail.cpp - what adatrace info says about detail -------------===//
#include "info_detail.h"
#include "quantities.h"

#include "select/function_glob.h"

#include <filesystem>

namespace ada::cli {

static std::string detailPath(const atf::ThreadTrace &thread) {
  return thread.path + "/detail.atf";
}

static uint64_t bytesOf(const std::string &path) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

uint64_t detailCountOf(const atf::ThreadTrace &thread) {
  if (bytesOf(detailPath(thread)) == 0)
    return 0;
  if (thread.info && thread.info->detailCount && thread.index &&
      thread.index->isComplete())
    return *thread.info->detailCount;
  const auto reader = atf::DetailReader::open(
      detailPath(thread), {.checksum = atf::ChecksumPolicy::Defer});
  return reader ? reader->size() : 0;
}

static std::string_view optionOf(const Manifest &manifest, std::string_view name) {
  for (const auto &[option, value] : manifest.options)
    if (option == name)
      return value;
  return {};
}

std::string detailSummary(const atf::ProcessTrace &process) {
  uint64_t events = 0, bytes = 0;
  for (const atf::ThreadTrace &thread : process.threads()) {
    events += detailCountOf(thread);
    bytes += bytesOf(detailPath(thread));
  }
  const Manifest *manifest = process.manifest();
  const std::string globs(manifest ? optionOf(*manifest, "detail") : "");
  if (events == 0 && globs.empty())
    return {};
  std::string text = fmt::format("{} event{}, {}", formatCount(events),
                                 events == 1 ? "" : "s", formatBytes(bytes));
  if (globs.empty())
    return text;
  uint64_t functions = 0;
  for (const Symbol &symbol : manifest->symbols()) {
    const std::string mangled(symbol.name), file(symbol.file),
        demangled(manifest->displayName(symbol.functionId));
    functions +=
        select::means(globs.c_str(), {mangled.c_str(), demangled.c_str(), file.c_str()});
  }
  return text + fmt::format(", of {} function{} ({})", formatCount(functions),
                            functions == 1 ? "" : "s", globs);
}

static std::string causeOf(const WindowTrigger &trigger, const atf::ProcessTrace &process) {
  const auto function = [&] {
    return trigger.functionId ? std::string(process.shortDisplayName(*trigger.functionId))
                              : std::string("a function");
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

void printWindows(Output &out, const Palette &palette, const atf::ProcessTrace &process,
                  uint64_t startNs, size_t limit) {
  const Manifest &manifest = *process.manifest();
  if (manifest.windows.empty())
    return;
  const auto after = [&](uint64_t ns) {
    return formatDuration(ns > startNs ? ns - startNs : 0);
  };
  out.print("  {}{:>6} {:>13} {:>13} {:>15} {:>9}  first cause{}\n", palette.dim, "window",
            "from", "to", "pre-roll", "triggers", palette.reset);
  size_t listed = 0;
  for (const DetailWindow &window : manifest.windows) {
    if (listed == limit)
      break;
    out.print("  {:>6} {:>13} {:>13} {:>15} {:>9}  {}\n", listed++, after(window.startNs),
              after(window.endNs),
              fmt::format("{} of {} ms", window.preRollAvailableMs, window.preRollMs),
              formatCount(window.triggerCount),
              window.triggers.empty()
                  ? "-"
                  : fmt::format("{} at {}", causeOf(window.triggers[0], process),
                                after(window.triggers[0].timeNs)));
  }
  if (manifest.windows.size() > listed)
    out.print("  ... and {} more; --all lists them\n",
              formatCount(manifest.windows.size() - listed));
}

} // namespace ada::cli
