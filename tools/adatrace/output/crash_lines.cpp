// Explains how a recorded program died.
#include "crash_lines.h"
#include "base/quantities.h"
#include "stack_lines.h"

#include <algorithm>
#include <unistd.h>

namespace ada::cli {

void explainDeath(const std::string &directory, When color) try {
  constexpr size_t kCalls = 8, kFrames = 30, kOthers = 20;
  InputOptions place;
  place.path = directory;
  TraceInput input = TraceInput::open(place);
  StackTable table = StackTable::read(input, {}, kCalls);
  // It is not known which thread was hit. All stop at the same moment, so it is one of those that recorded last.
  std::vector<analysis::ThreadEnd> &ends = table.threads();
  std::erase_if(ends, [](const analysis::ThreadEnd &end) { return end.open.empty() && end.finished.empty(); });
  std::ranges::stable_sort(ends, [&](const analysis::ThreadEnd &a, const analysis::ThreadEnd &b) {
    return std::tuple(!a.open.empty(), table.lastEventNs(a.thread)) >
           std::tuple(!b.open.empty(), table.lastEventNs(b.thread));
  });
  if (ends.empty())
    return;
  table.readValues(ends[0].thread, ends[0].open);
  table.readValues(ends[0].thread, ends[0].finished);
  Output out(STDERR_FILENO);
  const Palette palette(color, STDERR_FILENO);
  const StackLineOptions options{.names = {}, .mostFrames = kFrames};
  if (ends.size() > 1)
    out.write("the thread that recorded last:\n");
  printStack(out, palette, table, ends[0], options);
  if (ends.size() > 1)
    out.write("other threads:\n");
  for (size_t i = 1; i < std::min(ends.size(), kOthers + 1); ++i) {
    out.write("  ");
    printStackLine(out, palette, table, ends[i], options);
  }
  if (ends.size() > kOthers + 1)
    out.print("  ... and {}; adatrace stacks shows them\n", formatCount(ends.size() - kOthers - 1, "more thread"));
} catch (const Exit &) { // what can't be read has been reported
}

} // namespace ada::cli
