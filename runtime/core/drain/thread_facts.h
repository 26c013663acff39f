// What is known about each thread of the trace, for the manifest. It outlives the thread.
#pragma once

#include "core/base/stepped_array.h"
#include "core/files/sched_file.h"
#include "shared/ring/gaps.h"

namespace ada::runtime {

class ThreadWriter;

// A thread's figures in the parts of the trace before the current one.
struct EarlierParts {
  uint64_t lost[ADA_LOST_REASONS];
  uint64_t leftOut, inferred, strays;
  uint64_t gapNs, gapEvents; // how far a continuing gap was reported, and how many of its events
};

struct ThreadFacts {
  uint32_t number, tid; // N of thread_N; tid 0: it has not written anything, or belongs to earlier parts
  char name[16];
  uint64_t events, removed, details, timeStart, timeEnd; // `removed`: those of the events that max_size removed
  uint64_t leftOut;                                      // by min_duration and max_depth
  uint64_t inferred, strays; // exits that no hook saw; exits that came when their calls were not open
  uint64_t lost[ADA_LOST_REASONS], lostInAll[ADA_LOST_REASONS]; // in this part of the trace; and since it began
  uint64_t found; // exits that earlier parts count as lost, but that turned out to be events of this one
  EarlierParts before;
  SchedFile::HeldSum held;
  TextPiece sched; // its scheduling record, if that is complete and in no file
  // Who knows where these were lost: the thread while it lives; otherwise there are `gapCount` gaps from `gapsAt` on.
  const ThreadWriter *live;
  uint64_t gapsAt, gapCount;

  // What the next part has to know of this one and those before it.
  EarlierParts beforeNext() const {
    EarlierParts next = before;
    for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
      next.lost[r] = lostInAll[r];
    next.leftOut += leftOut, next.inferred += inferred, next.strays += strays;
    return next;
  }
};

// Those of all threads, by number. A zero-initialised object is empty.
class FactsOfThreads {
public:
  // Ensures that there is memory for threads with numbers below `threads`. False if there is none.
  bool reserve(uint64_t threads) { return facts_.reserve(threads < kMax ? threads : kMax); }
  void release() { facts_.release(), gaps_.release(); }

  bool has(uint64_t number) const { return number < facts_.ready(); }
  uint64_t count() const { return count_; }
  ThreadFacts &operator[](uint64_t number) { return facts_[number]; }
  const ThreadFacts &operator[](uint64_t number) const { return facts_[number]; }
  // The thread's facts, to be filled in; null if there is no memory.
  ThreadFacts *add(uint64_t number) {
    if (!facts_.reserve(number + 1))
      return nullptr;
    count_ = number + 1 > count_ ? number + 1 : count_;
    return &facts_[number];
  }

  // The thread has ended: its slot may belong to another after this. Changes `list` to what is kept.
  void keepGaps(uint64_t number, ring::GapList &list) {
    ThreadFacts &f = facts_[number];
    f.live = nullptr, f.gapsAt = gapCount_, f.gapCount = 0;
    if (gapCount_ >= kManyGaps)
      list.reduceTo(1);
    if (!gaps_.reserve(gapCount_ + list.count))
      return;
    for (size_t i = 0; i < list.count; ++i)
      gaps_[gapCount_++] = list.gaps[i];
    f.gapCount = list.count;
  }
  // Lists the times at which events of the thread were lost.
  void listGaps(const ThreadFacts &f, ring::GapList &list) const;
  // A new part begins: threads that have ended belong to the others.
  void beginPart() {
    for (uint64_t i = 0; i < count_; ++i)
      if (!facts_[i].live)
        facts_[i].tid = 0;
    gapCount_ = 0;
  }

private:
  static constexpr uint64_t kMax = 1u << 24;
  static constexpr uint64_t kManyGaps = 1u << 20; // 24 MiB; threads that end after that keep one gap each

  SteppedArray<ThreadFacts, kMax, 4096> facts_;
  uint64_t count_ = 0;
  SteppedArray<ring::Gap, kMax, 4096> gaps_; // of threads that have ended
  uint64_t gapCount_ = 0;
};

} // namespace ada::runtime
