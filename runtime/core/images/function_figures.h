// With option `budget`: what is known about the calls of each function, and which functions are to be switched off.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// Owned by the drain, except for `state`, which the images' lock guards; the drain reads `state` without the lock.
struct FunctionFigures {
  enum State : uint8_t {
    Counted, // may be switched off
    Off,
    Free, // always recorded: it has a trigger, or the program switched it on again
  };
  uint64_t calls;              // calls recorded
  uint64_t newCalls, newUnits; // recorded in the period, and the cost of recording them
  uint32_t period;
  uint8_t state;
};
static_assert(sizeof(FunctionFigures) == 32);

// A call of a function that is off takes at least two tests of a byte, even if it was inlined: no processor does that
// more often.
constexpr uint64_t kMaxCallsPerNs = 4;

// A speed-up of 1: speed-ups are in units of a 1024th.
constexpr uint64_t kSpeedUpOne = 1024;

// A function that may be chosen.
struct HotFunction {
  uint64_t units;
  uint64_t image, function; // its place in Images
};

// Chooses the fewest functions to switch off so that the others cost no more than `allowed`, and returns their number.
// The chosen ones are moved to the end, the most expensive one last.
inline uint64_t chooseHottest(HotFunction *functions, uint64_t count, uint64_t allowed) {
  auto swap = [&](uint64_t a, uint64_t b) {
    const HotFunction kept = functions[a];
    functions[a] = functions[b], functions[b] = kept;
  };
  // A heap: the function at i costs no less than those at 2i + 1 and 2i + 2.
  auto sink = [&](uint64_t at, uint64_t end) {
    for (uint64_t child = 2 * at + 1; child < end; at = child, child = 2 * at + 1) {
      if (child + 1 < end && functions[child + 1].units > functions[child].units)
        ++child;
      if (functions[at].units >= functions[child].units)
        return;
      swap(at, child);
    }
  };
  uint64_t units = 0, left = count;
  for (uint64_t i = 0; i < count; ++i)
    units += functions[i].units;
  for (uint64_t i = count / 2; i-- > 0;)
    sink(i, count);
  for (; left > 0 && units > allowed; sink(0, left)) {
    units -= functions[0].units;
    swap(0, --left);
  }
  return count - left;
}

} // namespace ada::runtime
