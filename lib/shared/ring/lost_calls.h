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
#pragma once

#include "expander.h"

namespace ada::ring {

// Plain data; zeroed, nothing was lost.
struct LostCalls {
  static constexpr unsigned kMostMarks = 8;

  uint32_t opened = 0, closed = 0; // calls entered, and left
  uint32_t closedBefore = 0;       // left before `resync`
  uint32_t markCount = 0;
  uint64_t resync = 0;             // the frame that was jumped back to, 0 if none
  uint64_t marks[kMostMarks] = {}; // the outermost first: the frame, and in the upper bits `opened` of that time
  bool hasMore = false;            // there were more marks than these

  bool any() const { return (opened | closed | closedBefore | markCount) != 0 || resync != 0; }

  // A record is lost. Returns how many events are lost with it.
  uint32_t note(uint64_t what) {
    const uint64_t frame = what & kPayloadMask;
    switch (kindOf(what)) {
    case ADA_RECORD_CALL:
      ++opened;
      return 1;
    case ADA_RECORD_RETURN:
    case ADA_RECORD_EXCEPTION:
      if (opened > 0)
        --opened;
      else
        ++closed, markCount = 0;
      while (markCount > 0 && openedAt(markCount - 1) > opened)
        --markCount;
      hasMore = hasMore && opened > 0;
      return 1;
    case ADA_RECORD_MARK:
      if (markCount < kMostMarks && opened < 1u << (64 - kPositionShift))
        marks[markCount++] = frame | static_cast<uint64_t>(opened) << kPositionShift;
      else
        hasMore = true;
      return 0;
    case ADA_RECORD_RESYNC: {
      unsigned i = markCount;
      while (i > 0 && (marks[i - 1] & kPayloadMask) != frame)
        --i;
      if (i == 0 && hasMore) // it is not known how many: the reader's placeholders stay
        return 0;
      if (i == 0)
        closedBefore += closed, closed = 0, resync = frame;
      const uint32_t left = opened - (i > 0 ? openedAt(i - 1) : 0);
      markCount = i, opened -= left;
      return left;
    }
    }
    return 0;
  }

  // Calls put(what) for each record that reports this, until put() returns false. Then there may be more.
  template <class Put> void tell(Put &&put) {
    if (const uint32_t count = closedBefore; count > 0) {
      closedBefore = 0;
      if (!put(gap(count, 0)))
        return;
    }
    if (const uint64_t frame = resync) {
      resync = 0;
      if (!put(frame | ADA_RECORD_RESYNC))
        return;
    }
    hasMore = false;
    while (true) {
      const uint32_t before = markCount > 0 ? openedAt(0) : opened; // the next mark
      if ((closed | before) != 0) {
        const uint64_t what = gap(closed, before);
        closed = 0, opened -= before;
        for (unsigned i = 0; i < markCount; ++i)
          marks[i] -= static_cast<uint64_t>(before) << kPositionShift;
        if (!put(what))
          return;
      }
      if (markCount == 0)
        return;
      const uint64_t frame = marks[0];
      --markCount;
      for (unsigned i = 0; i < markCount; ++i)
        marks[i] = marks[i + 1];
      if (!put(frame | ADA_RECORD_MARK))
        return;
    }
  }

private:
  uint32_t openedAt(unsigned mark) const { return static_cast<uint32_t>(marks[mark] >> kPositionShift); }
  static uint64_t gap(uint64_t closed, uint64_t opened) {
    constexpr uint64_t kLimit = (1u << 30) - 1;
    return (closed < kLimit ? closed : kLimit) << 34 | (opened < kLimit ? opened : kLimit) << 4 | ADA_RECORD_GAP;
  }
};

} // namespace ada::ring
