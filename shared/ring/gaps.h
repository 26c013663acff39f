// Where events of a thread were lost: between which two of its events, and how many.
//
// The drain of a running process and the recovery of a dead one find gaps while they expand records (expander.h). A
// list is bounded: when there are too many, the two that are closest to each other become one. So everything that was
// lost lies in a gap of the list, and the parts of gaps in which nothing was lost are as short as possible.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada::ring {

inline constexpr size_t kMaxGaps = 256; // of one thread

struct Gap {
  uint64_t fromNs, toNs; // the last event before it, and the first one after it
  uint64_t events;
};

// By time; a gap may begin with the event that ended the one before. Plain data; zeroed, it is empty.
struct GapList {
  Gap gaps[kMaxGaps + 1];
  size_t count;

  // Gaps come in the order in which they begin.
  void add(const Gap &gap) {
    if (count > 0 && gap.fromNs < gaps[count - 1].toNs)
      join(gaps[count - 1], gap);
    else
      gaps[count++] = gap;
    reduceTo(kMaxGaps);
  }

  // Everything after its beginning is part of it.
  void addLast(Gap gap) {
    for (; count > 0 && gaps[count - 1].toNs > gap.fromNs; --count) {
      const Gap &last = gaps[count - 1];
      gap.fromNs = last.fromNs < gap.fromNs ? last.fromNs : gap.fromNs;
      gap.toNs = last.toNs > gap.toNs ? last.toNs : gap.toNs;
      gap.events += last.events;
    }
    add(gap);
  }

  void reduceTo(size_t most) {
    while (count > most)
      joinNearest();
  }

  // More was lost in the gap that this time lies in; ignored if that gap is not in the list any more.
  void countIn(uint64_t ns, uint64_t events) {
    size_t low = 0, high = count; // the last one that begins at `ns` or before
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (gaps[middle].fromNs <= ns)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > 0 && ns <= gaps[low - 1].toNs)
      gaps[low - 1].events += events;
  }

  // Forgets the gaps before the first event that is kept.
  void removeBefore(uint64_t ns) {
    size_t gone = 0;
    while (gone < count && gaps[gone].toNs <= ns)
      ++gone;
    for (size_t i = gone; gone > 0 && i < count; ++i)
      gaps[i - gone] = gaps[i];
    count -= gone;
  }

private:
  static void join(Gap &first, const Gap &second) {
    first.toNs = second.toNs > first.toNs ? second.toNs : first.toNs;
    first.events += second.events;
  }
  void joinNearest() {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i)
      if (gaps[i + 1].fromNs - gaps[i].toNs < gaps[best + 1].fromNs - gaps[best].toNs)
        best = i;
    join(gaps[best], gaps[best + 1]);
    --count;
    for (size_t i = best + 1; i < count; ++i)
      gaps[i] = gaps[i + 1];
  }
};

// The gaps of a thread whose records are being expanded. Plain data; without `makeList` nothing is listed.
struct GapLog {
  GapList *list = nullptr;          // null until there was a gap
  GapList *(*makeList)() = nullptr; // memory for it, zeroed; null if there is none
  Gap open = {0, 0, 0};             // whose end is not known yet
  bool isOpen = false;
  uint64_t lastEventNs = 0; // 0: there was none yet. Then a gap begins here:
  uint64_t startNs = 0;
  uint64_t threadLost = 0; // the part of ada_ring_thread.lost that is in gaps
  uint64_t ended = 0;      // how many gaps have ended

  uint64_t nextBeginNs() const { return lastEventNs ? lastEventNs : startNs; }
  // Events were lost after the last one.
  void lose(uint64_t events) {
    if (!isOpen)
      open = {nextBeginNs(), 0, 0}, isOpen = true;
    open.events += events;
  }
  // There is an event.
  void end(uint64_t ns) {
    if (__builtin_expect(isOpen, 0))
      close(ns);
    lastEventNs = ns;
  }
  // Events were lost that belong to the gap around a time.
  void loseAt(uint64_t ns, uint64_t events) {
    if (isOpen && ns >= open.fromNs)
      open.events += events;
    else if (list)
      list->countIn(ns, events);
  }
  // The gap that no event has followed yet, if the thread has lost `lost` events in all;
  // it is known up to `toNs`. False if there is none.
  bool last(uint64_t lost, uint64_t toNs, Gap &gap) const {
    if (!isOpen && lost <= threadLost)
      return false;
    gap = isOpen ? open : Gap{nextBeginNs(), 0, 0};
    gap.events += lost > threadLost ? lost - threadLost : 0;
    gap.toNs = toNs > gap.fromNs ? toNs : gap.fromNs;
    return true;
  }
  // That many events of the last gap are not lost after all: it is known what they were.
  void restore(uint64_t events) {
    Gap *last = isOpen ? &open : list && list->count > 0 ? &list->gaps[list->count - 1] : nullptr;
    if (last)
      last->events -= events < last->events ? events : last->events;
  }

private:
  [[gnu::cold]] void close(uint64_t ns) {
    isOpen = false;
    ++ended;
    if (!list && makeList)
      list = makeList();
    if (!list)
      return;
    open.fromNs = open.fromNs < ns ? open.fromNs : ns;
    open.toNs = ns;
    list->add(open);
  }
};

} // namespace ada::ring
