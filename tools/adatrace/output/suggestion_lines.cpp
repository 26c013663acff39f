// Prints which functions are best left out of a trace, and writes the lists that leave them out.
#include "suggestion_lines.h"
#include "base/quantities.h"
#include "exit_codes.h"

#include <filesystem>
#include <fstream>

namespace ada::cli {

namespace fs = std::filesystem;

// The size of the trace's events, without detail files, which don't change.
static uint64_t indexBytes(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  uint64_t bytes = 0;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path().stem() == "index" && at->is_regular_file(error))
      bytes += at->file_size(error);
  return bytes;
}

static double part(uint64_t of, uint64_t all) { return all ? static_cast<double>(of) / static_cast<double>(all) : 0; }

static int write(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  return file ? int(kOk) : fail(kCantRead, "{}: cannot be written", path);
}

int printSuggestion(Output &out, const Palette &palette, const analysis::Suggestion &suggestion,
                    const TraceInput &input, const std::string &path) {
  const uint64_t bytes = indexBytes(input.name()), events = input.eventCount();
  const auto saved = [&](uint64_t calls) {
    return static_cast<uint64_t>(static_cast<double>(bytes) * std::min(1.0, part(2 * calls, events)));
  };
  const auto line = [&](uint64_t calls, std::string_view name) {
    out.print("{:>12} {:>7.1f}% {}{:>11} {:>11}{}  {}{}{}\n", formatCount(calls),
              part(calls, suggestion.allCalls) * 100, palette.number, formatDuration(calls * suggestion.callCostNs),
              formatBytes(saved(calls)), palette.reset, palette.name, name, palette.reset);
  };
  if (suggestion.leaveOut.empty()) {
    out.write("no function is worth leaving out\n");
    if (path.empty())
      return kOk;
  } else {
    out.print("{}{:>12} {:>8} {:>11} {:>11}  left out{}\n", palette.dim, "calls", "of all", "saves time", "saves size",
              palette.reset);
    for (const analysis::TracedName &name : suggestion.leaveOut)
      line(name.figures.calls, oneLine(name.function->displayName));
    if (suggestion.leaveOut.size() > 1)
      line(suggestion.calls, "together");
    out.print("{}Recording a call takes about {}. The time of these functions becomes their callers' self time; what "
              "they call is still shown.{}\n",
              palette.dim, formatDuration(suggestion.callCostNs), palette.reset);
  }
  if (path.empty()) {
    out.print("{}--filter-file=FILE writes the lists for the compiler and for `adatrace record`.{}\n", palette.dim,
              palette.reset);
    return kOk;
  }
  const std::string globs = path + ".globs";
  if (const int code = write(path, analysis::ignoreListOf(suggestion)))
    return code;
  if (const int code = write(globs, analysis::globsOf(suggestion) + "\n"))
    return code;
  out.print(
      "when compiling:  ada-clang --ada-ignorelist={0}\nwhen recording:  adatrace record --exclude \"$(cat {1})\"\n",
      path, globs);
  return kOk;
}

} // namespace ada::cli
