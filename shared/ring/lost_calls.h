// What a thread does while its records are being lost.
//
// The thread keeps this account itself. The first records after the gap say how its stack has
// changed; expander.h reads them.
//
// The end of a lost call is lost, too, or is recorded after the gap: the reader has a placeholder for it.
// But a jump leaves calls whose ends will never be reported.
// So the records of setjmp's callers (MARK, RESYNC) are followed as well:
//
//   - A jump back to a lost call leaves the lost calls since its mark. Their ends are counted here.
//   - A jump back to any other call leaves all lost calls. Only the reader knows which recorded calls it leaves,
//     so the RESYNC is reported after the gap, and after the calls that had returned before it.
//   - Marks of calls that are still open are reported as well. There may be jumps to them after the gap.
//
// Then events and losses together are what the program did, if the last calls of a thread end.
// test/unit/runtime/lost_calls_test.cpp checks it for all short programs and all choices of lost records.
#pragma once

#include "expander.h"

namespace ada::ring {

// Plain data; zeroed, nothing was lost.
struct LostCalls {
  // Where a jump has led or may lead.
  struct Landing {
    uint64_t frame;
    uint64_t calls; // of a jump to a recorded call: the calls that had returned since the jump before;
                    // of a mark: `opened` at that time, plus `reported`
  };
  // As CallStack::Grow. Without memory, jumps to a recorded call become one, and marks are forgotten.
  using Grow = Landing *(*)(Landing *old, size_t oldCapacity, size_t newCapacity);
  static constexpr uint32_t kOwn = 2; // landings without memory of their owner

  uint32_t opened = 0, closed = 0; // calls entered; and left since the last jump to a recorded call
  uint32_t reported = 0;           // calls that were entered before these, since the first mark
  uint32_t capacity = 0;           // of `more`
  // The first are those of jumps to recorded calls, each further out than the one before. From `marks` on there are
  // those of marks, the outermost first. The ones before `begin` are reported.
  uint32_t begin = 0, marks = 0, end = 0;
  Landing own[kOwn] = {};
  Landing *more = nullptr; // the owner's

  bool any() const { return (opened | closed) != 0 || begin < end; }
  // Whether the reader has to hear of a jump, because this does not count all ends.
  bool hasJumps() const { return begin < marks; }

  // A record is lost. Returns how many events are lost with it.
  uint32_t note(uint64_t what, Grow grow) {
    switch (kindOf(what)) {
    case ADA_RECORD_CALL:
      ++opened;
      return 1;
    case ADA_RECORD_RETURN:
    case ADA_RECORD_EXCEPTION:
      if (opened > 0)
        --opened;
      else
        ++closed, end = marks;
      while (end > marks && openedAt(end - 1) > opened)
        --end;
      return 1;
    case ADA_RECORD_MARK:
      if (hasRoom(grow))
        at(end++) = {what & kPayloadMask, uint64_t{opened} + reported};
      return 0;
    case ADA_RECORD_RESYNC:
      return jumpTo(what & kPayloadMask, grow);
    }
    return 0;
  }

  // Calls put(what) for each record that reports this, until put() returns false. Then there may be more.
  template <class Put> void tell(Put &&put) {
    while (begin < marks) {
      Landing &jump = at(begin);
      if (jump.calls > 0) {
        const auto calls = static_cast<uint32_t>(jump.calls);
        jump.calls = 0;
        if (!put(gap(calls, 0)))
          return;
      }
      ++begin;
      if (!put(jump.frame | ADA_RECORD_RESYNC))
        return;
    }
    while (any()) {
      const uint32_t before = begin < end ? openedAt(begin) : opened; // the next mark
      if ((closed | before) != 0) {
        const uint32_t part = before < kMaxLostCalls ? before : kMaxLostCalls, left = closed;
        closed = 0, opened -= part, reported += part;
        if (!put(gap(left, part)))
          return;
        continue;
      }
      marks = begin + 1;
      if (!put(at(begin++).frame | ADA_RECORD_MARK))
        return;
    }
  }

private:
  Landing &at(uint32_t i) { return i < kOwn ? own[i] : more[i - kOwn]; }
  uint32_t openedAt(uint32_t mark) { return static_cast<uint32_t>(at(mark).calls - reported); }

  // Whether there is room for one more landing.
  bool hasRoom(Grow grow) {
    if (begin == marks && marks == end)
      begin = marks = end = reported = 0;
    if (end < kOwn + capacity)
      return true;
    const uint32_t wanted = capacity ? capacity * 2 : 256;
    if (Landing *made = grow(more, capacity, wanted))
      more = made, capacity = wanted;
    return end < kOwn + capacity;
  }

  uint32_t jumpTo(uint64_t frame, Grow grow) {
    uint32_t i = end;
    while (i > marks && at(i - 1).frame != frame)
      --i;
    const uint32_t left = opened - (i > marks ? openedAt(i - 1) : 0);
    opened -= left, end = i;
    if (i > marks)
      return left;
    if (const bool isFurther = closed == 0 && begin < marks; isFurther || (!hasRoom(grow) && begin < marks)) {
      at(marks - 1).frame = frame, at(marks - 1).calls += closed;
    } else {
      at(end++) = {frame, closed};
      marks = end;
    }
    closed = 0;
    return left;
  }

  static uint64_t gap(uint64_t closed, uint64_t opened) {
    constexpr uint64_t kLimit = (1u << 30) - 1;
    return (closed < kLimit ? closed : kLimit) << 34 | opened << 4 | ADA_RECORD_GAP;
  }
};

} // namespace ada::ring
