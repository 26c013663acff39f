// Says what the threads of a killed process were doing.
#include "explain_death.h"
#include "death_lines.h"
#include "output/stack_lines.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <tuple>
#include <unistd.h>

namespace ada::cli {

namespace {

void tryToExplain(const std::string &directory, When color) {
  constexpr size_t kCalls = 8, kFrames = 30, kOthers = 20;
  InputOptions place;
  place.path = directory;
  TraceInput input = TraceInput::open(place);
  StackTable table = StackTable::read(input, {}, kCalls);
  const auto manifest = Manifest::read(directory + "/manifest.json");
  Output out(STDERR_FILENO);
  const Palette palette(color, STDERR_FILENO);
  if (manifest)
    printDeath(out, palette, *manifest);
  // If it is not known which thread was hit, it is one of those that recorded last: all stop at the same moment.
  const uint64_t hitTid = manifest && manifest->exit.death ? manifest->exit.death->tid : 0;
  const auto isHit = [&](const analysis::ThreadEnd &end) { return input.table().threads[end.thread].tid == hitTid; };
  std::vector<analysis::ThreadEnd> &ends = table.threads();
  std::erase_if(ends, [](const analysis::ThreadEnd &end) { return end.open.empty() && end.finished.empty(); });
  std::ranges::stable_sort(ends, [&](const analysis::ThreadEnd &a, const analysis::ThreadEnd &b) {
    return std::tuple(isHit(a), !a.open.empty(), table.lastEventNs(a.thread)) >
           std::tuple(isHit(b), !b.open.empty(), table.lastEventNs(b.thread));
  });
  if (ends.empty())
    return;
  table.readValues(ends[0].thread, ends[0].open);
  table.readValues(ends[0].thread, ends[0].finished);
  const StackLineOptions options{.names = {}, .mostFrames = kFrames};
  if (ends.size() > 1)
    out.write(isHit(ends[0]) ? "the thread that it hit:\n" : "the thread that recorded last:\n");
  printStack(out, palette, table, ends[0], options);
  if (ends.size() > 1)
    out.write("other threads:\n");
  for (size_t i = 1; i < std::min(ends.size(), kOthers + 1); ++i) {
    out.write("  ");
    printStackLine(out, palette, table, ends[i], options);
  }
  if (ends.size() > kOthers + 1)
    out.print("  ... and {}; `adatrace stacks {}` shows them\n", formatCount(ends.size() - kOthers - 1, "more thread"),
              pathForShell(directory));
}

} // namespace

void explainDeath(const std::string &directory, When color) {
  try {
    tryToExplain(directory, color);
  } catch (const Exit &) { // what can't be read has been reported
  }
}

} // namespace ada::cli
