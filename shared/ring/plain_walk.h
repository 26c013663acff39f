// Reads and expands the records of a chunk in one pass, as long as all of them are ordinary.
//
// Nearly all records are calls, and returns of the innermost call, complete, in the order of their stamps. They need
// none of the rules of chunk_walk.h, no batch, and no decision about time or module that was not already made for the
// record before. Any other record ends the pass and is left untouched: takeRecords() and expand() continue with it.
// They would give the same events for all records.
#pragma once

#include "chunk_walk.h"

namespace ada::ring {

namespace detail {

// Applies to many consecutive records: how to read their stamps and functions.
struct PlainSpan {
  uint64_t firstStamp = 1, stamps = 0; // the number of stamps, from the first on
  ClockMap::Segment segment;           // the stamps are in it, and not before its base
  uint64_t firstUnit = 0;              // of the module's entries, in units of 16 bytes
  uint64_t entries = 0, moduleBits = 0;
  uint64_t own = 0; // 1 if no two of its open calls can have one frame, or if that is to be looked for

  bool covers(uint64_t stamp, uint64_t ordinal) const { return stamp - firstStamp < stamps && ordinal < entries; }
  // The ordinal of an entry of the module; for anything else, a number that is not less than `entries`.
  uint64_t ordinal(uint64_t what) const {
    static_assert(sizeof(ada_function) == 3 * (ADA_RECORD_KIND_MASK + 1));
    constexpr uint64_t kThird = 0xAAAAAAAAAAAAAAAB; // times 3 is 1, modulo 2^64
    return ((what & kPayloadMask) / (ADA_RECORD_KIND_MASK + 1) - firstUnit) * kThird;
  }

  // The span for such a record; empty if it is not plain.
  __attribute__((noinline)) static PlainSpan of(uint64_t what, uint64_t stamp, uint64_t limitStamp, ClockMap &clock,
                                                ModuleMap &modules) {
    PlainSpan span;
    if (stamp - 1 >= limitStamp) // 0: not complete
      return span;
    const ModuleMap::Answer *answer = modules.answerFor(what & kPayloadMask, stamp);
    clock.toNanoseconds(stamp);
    span.segment = clock.segment();
    if (!answer || !span.segment.isAfterBase(stamp))
      return span;
    auto least = [](uint64_t a, uint64_t b) { return a < b ? a : b; };
    auto most = [](uint64_t a, uint64_t b) { return a < b ? b : a; };
    // An answer that holds for a single entry ends before it begins.
    const uint64_t from = most(most(1, span.segment.base.counter), most(span.segment.from, answer->from));
    const uint64_t end = least(span.segment.to, answer->to);
    span.firstStamp = from, span.stamps = end <= from ? 0 : limitStamp < end ? limitStamp - from + 1 : end - from;
    span.firstUnit = answer->begin / (ADA_RECORD_KIND_MASK + 1);
    span.entries = (answer->end - answer->begin) / sizeof(ada_function), span.moduleBits = answer->moduleBits;
    span.own = !answer->mayShare || answer->isUnexamined;
    return span;
  }
};

} // namespace detail

// A call, or a return of the innermost call, on its way to a sink.
struct PlainStep {
  Product function;
  uint64_t functionId;
  uint64_t ns, passed; // passed: since the record before
  const Frame *frame;  // of the call: still free, or that of the innermost one
};

// Takes the events of takePlainTo() one by one, as expand() emits them. It shows what such a sink has to have.
template <class Emit> class EventSink {
public:
  explicit EventSink(Emit &emit) : emit_(&emit) {}

  // The open calls begin at `frames`; the others are how many there are, and the time of the last record.
  void begin(const Frame *frames, uint64_t, uint64_t) { frames_ = frames; }
  void call(const PlainStep &step) { emit(step, step.ns, kCall); }
  void exit(const PlainStep &step) { emit(step, step.frame->beginNs, kReturn); }
  // How many records were taken, how many calls are open, how many were at the least, and the last time.
  void end(uint64_t, uint64_t, uint64_t, uint64_t) {}

private:
  __attribute__((always_inline)) void emit(const PlainStep &step, uint64_t beginNs, uint16_t kind) {
    (*emit_)(Event{step.ns, step.functionId, beginNs, static_cast<uint32_t>(step.frame - frames_), kind, true});
  }

  Emit *emit_;
  const Frame *frames_ = nullptr;
};

// Moves `w.place` past the records that it takes, and returns how many these are.
// The last record of a chunk is not plain, because the next record lies in another chunk.
//
// Processors predict well whether a record is a call or a return; to do both for each record, without a branch, takes
// half as long again.
// In a closed chunk, records are prefetched 1 KiB ahead, because they come from another processor's cache.
// In an open chunk that would take cache lines from the thread that writes to them.
template <class Sink>
__attribute__((always_inline)) inline uint64_t takePlainTo(ThreadWalk &w, const WalkRules &rules, ThreadExpansion &t,
                                                           ClockMap &clock, ModuleMap &modules, Sink &given) {
  // Without memory, or before the first STACK record, a call is not plain.
  if (w.runCount > 0 || t.gaps.isOpen || w.place + 1 >= ADA_CHUNK_RECORDS || !t.stack.frames || t.stackBase == 0)
    return 0;
  Frame *const frames = t.stack.frames, *const beyond = frames + t.stack.capacity;
  Frame *free = frames + t.stack.depth, *lowest = frames + t.floor;
  uint64_t lastNs = t.lastNs;
  const uint64_t base = t.stackBase; // a STACK record is not plain
  const ada_record *const records = recordsOf(*w.chunk), *const end = records + ADA_CHUNK_RECORDS - 1;
  const ada_record *r = records + w.place;
  uint64_t stamp = __atomic_load_n(&r->stamp, __ATOMIC_ACQUIRE);
  const size_t ahead = rules.closed ? 64 : 0;
  Sink sink = given; // whose address nobody has, so that it is in registers
  sink.begin(frames, t.stack.depth, lastNs);
  detail::PlainSpan span, other; // calls alternate between two libraries
  // Takes records until one is not plain, or is not in the span: then it returns true. No record is older than the one
  // before it, so only the span's end is looked at.
  const auto takeSpan = [&](const detail::PlainSpan covered) __attribute__((always_inline)) {
    const uint64_t origin = covered.segment.base.counter, originNs = covered.segment.base.time_ns;
    const uint64_t ticks = covered.firstStamp - origin + covered.stamps;
    for (; r < end; ++r) {
      __builtin_prefetch(r + ahead); // no access: there may be no memory at it
      // A handler's records, which are older than the one that it interrupted, are not plain. Nor is the newest record.
      const uint64_t next = __atomic_load_n(&r[1].stamp, __ATOMIC_ACQUIRE);
      const uint64_t what = __atomic_load_n(&r->what, __ATOMIC_RELAXED);
      const uint64_t ordinal = covered.ordinal(what), passedTicks = stamp - origin;
      if (__builtin_expect(passedTicks >= ticks || ordinal >= covered.entries, 0))
        return true;
      const uint64_t kind = what & ADA_RECORD_KIND_MASK, functionId = covered.moduleBits + ordinal;
      const uint64_t ns = originNs + covered.segment.scaled(passedTicks);
      if (__builtin_expect(next < stamp || ns < lastNs, 0))
        return false;
      const Product function = Product::of(functionId);
      if (kind == ADA_RECORD_CALL) {
        const uint64_t n = what >> kPositionShift, position = base + n * 16;
        // The frame of a call is below the one around it; otherwise calls were left by a jump.
        if (__builtin_expect(free == beyond || n == 0 || free[-1].position < position + covered.own, 0))
          return false;
        sink.call({function, functionId, ns, ns - lastNs, free});
        *free++ = {function, 0, ns, position};
      } else if (kind == ADA_RECORD_RETURN) {
        if (__builtin_expect(free[-1].function != function, 0))
          return false;
        sink.exit({function, functionId, ns, ns - lastNs, --free});
        lowest = free < lowest ? free : lowest;
      } else
        return false;
      lastNs = ns;
      stamp = next;
    }
    return false;
  };
  while (takeSpan(span)) {
    const uint64_t what = __atomic_load_n(&r->what, __ATOMIC_RELAXED);
    const detail::PlainSpan last = span;
    span = other, other = last;
    if (span.covers(stamp, span.ordinal(what)))
      continue;
    span = detail::PlainSpan::of(what, stamp, rules.limitStamp, clock, modules);
    if (!span.covers(stamp, span.ordinal(what)))
      break;
  }
  const uint64_t count = static_cast<uint64_t>(r - records) - w.place;
  w.place += count;
  t.lastNs = lastNs, t.stack.depth = static_cast<size_t>(free - frames), t.floor = static_cast<size_t>(lowest - frames);
  if (count > 0)
    t.gaps.lastEventNs = lastNs;
  sink.end(count, t.stack.depth, t.floor, lastNs);
  given = sink;
  return count;
}

// The same with `emit` as for expand().
template <class Emit>
inline uint64_t takePlain(ThreadWalk &w, const WalkRules &rules, ThreadExpansion &t, ClockMap &clock,
                          ModuleMap &modules, Emit &&emit) {
  EventSink sink(emit);
  return takePlainTo(w, rules, t, clock, modules, sink);
}

} // namespace ada::ring
