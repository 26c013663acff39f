// Dumps everything in a file, in the terms of its format.
#include "raw_dump.h"
#include "exit_codes.h"
#include "options/option_values.h"
#include "terminal/terminal.h"

#include "formats/table.h"

#include <fcntl.h>
#include <unistd.h>

namespace ada::cli {

// The session reader needs a path. An index file that is compressed or comes through a pipe gets one that stays valid
// until the program ends.
static void giveName(model::TraceLocation &place, InputOptions &options) {
  const std::string path = need(place.bytes->asFile());
  if (place.bytes->damage())
    complain(place.bytes->damage()->text());
  if (path == options.path)
    return;
  const int kept = ::open(path.c_str(), O_RDONLY);
  if (kept < 0 || ::dup2(kept, STDIN_FILENO) < 0)
    stop(kCantRead, "{}: cannot be opened again", place.name());
  ::close(kept);
  options.path = "/dev/stdin"; // shows the user what it is
}

std::optional<int> dumpRaw(InputOptions &options, bool json, bool merged) {
  if (options.path.empty())
    return std::nullopt;
  auto place = need(model::locate(options.path));
  const model::FormatChoice found = model::recognise(place);
  if (!found)
    return fail(kCantRead, "{}", model::notATrace(place).text());
  if (!found.format->dumpRaw) {
    if (place.bytes)
      giveName(place, options);
    return std::nullopt;
  }
  if (merged)
    return fail(kWrongUsage, "dump: --merged is for ATF sessions; {} is already one sequence", place.name());
  if (!options.threads.empty() && !found.format->hasThreads)
    return fail(kWrongUsage,
                "dump: --thread is for sessions and wtf-trace; `adatrace convert --thread=… {} OUT` extracts a thread",
                place.name());
  std::optional<analysis::TimeBound> from, to;
  for (const auto &[name, text, bound] : {std::tuple("--from", &options.from, &from), {"--to", &options.to, &to}})
    if (!text->empty())
      *bound = needTime(name, *text, options.absolute);
  model::RawDumpOptions raw{.json = json, .threads = options.threads};
  if (from || to)
    raw.range = [&](uint64_t start) {
      return model::TimeRange{from ? from->onClock(start) : 0, to ? to->onClock(start) : ~uint64_t(0)};
    };
  Output out;
  const auto read = found.format->dumpRaw(
      place, raw,
      {[&](std::string_view text) { out.write(text); }, [](const Warning &flaw) { warning("{}", flaw.message); }});
  out.flush();
  if (!read)
    return fail(kCantRead, "{}", read.error().text());
  if (!read->problem)
    return kOk;
  return fail(read->isUsable ? kProblemsFound : kCantRead, "{}", read->problem->text());
}

} // namespace ada::cli
