// Calls that continue from one part of a thread to the next: what each part shows of them, joined in order.
#pragma once

#include "off_cpu_of_calls.h"
#include "shared/assert.h"
#include "thread_workers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace ada::analysis {

/// A call that continues from one part to another, as one of them shows it. A consumer (part_reader.h) notes in `note`
/// what it will want to know about it: at its end if it has ended in the part, otherwise when the part ends.
template <class Note> struct CrossingCall {
  uint64_t functionId = 0, beginNs = 0;
  uint64_t beginSeq = Span::kNoSeq; ///< if it began in the part
  uint64_t childrenNs = 0;          ///< as far as the part shows
  OffCpuOfCall off = {};            ///< likewise
  uint32_t function = 0;            ///< its number for the reader of the part
  bool isEarlier = false;           ///< it began before the trace did
  // If the part has its end:
  bool hasEnded = false, isOutermost = false;
  SpanEnd how = SpanEnd::Open;
  uint64_t endNs = 0, endSeq = 0;
  Note note = {};
};

/// What a part of a thread leaves to be joined with the parts before and after it.
template <class Note> struct PartEnds {
  using Call = CrossingCall<Note>;
  ThreadPart part;
  std::vector<Call> before, after; ///< open at the part's start; begun in the part and open at its end
  bool hasEvents = false;
  uint64_t firstNs = 0, lastNs = 0; ///< of the part's own events, if off-CPU times are followed
};

/// The calls that are open after the parts of a thread that were joined so far.
template <class Note> struct OpenCalls {
  using Call = CrossingCall<Note>;
  std::vector<Call> calls; ///< outermost first
  uint64_t lastNs = 0;     ///< the time of the last event

  /// Joins the next part, or the first one of another thread. Calls use(span, off, begun, ended) for each call that
  /// ended in it, the innermost first; `begun` and `ended` are the notes of the part that it began in and of this one.
  /// False, and nothing was done, if the calls open at the part's start are not those that the parts before left open.
  template <class Use> bool join(PartEnds<Note> &ends, const TraceTable &table, Use &&use) {
    if (!ends.part.continues())
      *this = {};
    if (!ends.hasEvents)
      return true;
    if (!fit(ends))
      return false;
    addTimes(ends, table);
    for (; const Call *end = nextEnd(ends); calls.pop_back())
      use(spanOf(*end), calls.back().off, calls.back().note, end->note);
    openAfter(ends);
    return true;
  }

  // The steps of join():

  bool fit(const PartEnds<Note> &ends) const {
    return !ends.part.continues() || std::equal(calls.begin(), calls.end(), ends.before.begin(), ends.before.end(),
                                                [](const Call &a, const Call &b) {
                                                  return a.functionId == b.functionId && a.beginNs == b.beginNs;
                                                });
  }
  /// Adds the part's times to the open calls, and those between it and the part before.
  void addTimes(const PartEnds<Note> &ends, const TraceTable &table) {
    if (table.threads[ends.part.thread].offCpu && lastNs > 0 && ends.firstNs > 0)
      addBetween(ends, table);
    lastNs = ends.lastNs ? ends.lastNs : lastNs;
    if (!ends.part.continues())
      return;
    ADA_ASSERT(fit(ends));
    for (size_t i = 0; i < calls.size(); ++i)
      calls[i].childrenNs += ends.before[i].childrenNs, calls[i].off += ends.before[i].off;
  }
  /// The innermost open call as the part shows it, if it ended there.
  const Call *nextEnd(const PartEnds<Note> &ends) const {
    return !calls.empty() && ends.part.continues() && ends.before[calls.size() - 1].hasEnded
               ? &ends.before[calls.size() - 1]
               : nullptr;
  }
  /// The whole of that call.
  Span spanOf(const Call &end) const {
    const Call &begun = calls.back();
    Span span;
    span.functionId = span.functionIndex = end.function;
    span.beginNs = end.beginNs, span.beginSeq = begun.beginSeq;
    span.endNs = end.endNs, span.endSeq = end.endSeq, span.how = end.how;
    span.childrenNs = std::min(begun.childrenNs, span.durationNs());
    span.depth = static_cast<uint32_t>(calls.size() - 1);
    span.outermost = end.isOutermost, span.isEarlier = begun.isEarlier;
    return span;
  }
  void openAfter(PartEnds<Note> &ends) {
    calls.insert(calls.end(), std::make_move_iterator(ends.after.begin()), std::make_move_iterator(ends.after.end()));
  }

private:
  void addBetween(const PartEnds<Note> &ends, const TraceTable &table) {
    OffCpuFollower between = followerOf(table, ends.part.thread);
    between.skipTo(lastNs);
    OffCpuOfCall sum;
    between.take(lastNs, ends.firstNs, [&](const OffCpu &off) { sum.add(off); });
    for (Call &call : calls) {
      call.off.all += sum.all;
      if (&call == &calls.back())
        call.off.self += sum.self;
    }
  }
};

/// Receives the calls that ended in parts which it has read, and began in others.
template <class Note> class CrossedCalls {
public:
  virtual ~CrossedCalls() = default;
  /// `span` has the function's number in the part where the call ended, and everything else that is known of it;
  /// `begun` and `ended` are what was noted where it began and where it ended.
  virtual void crossed(const Span &span, const OffCpuOfCall &off, const Note &begun, const Note &ended) = 0;
};

/// Joins all parts of all threads, in order.
template <class Note> class PartJoin {
public:
  /// `to`, which must live until run(), gets the calls that ended in the part.
  void add(PartEnds<Note> ends, CrossedCalls<Note> &to) { parts_.push_back({std::move(ends), &to}); }
  /// False if parts do not fit together, because the trace is damaged, or because more calls are open at a cut than can
  /// be listed there. The threads must then be read in one piece.
  bool run(const TraceTable &table) {
    std::ranges::sort(parts_, {},
                      [](const Part &part) { return std::pair(part.ends.part.thread, part.ends.part.number); });
    OpenCalls<Note> open;
    return std::ranges::all_of(parts_, [&](Part &part) {
      return open.join(part.ends, table,
                       [&](const Span &span, const OffCpuOfCall &off, const Note &begun, const Note &ended) {
                         part.to->crossed(span, off, begun, ended);
                       });
    });
  }

private:
  struct Part {
    PartEnds<Note> ends;
    CrossedCalls<Note> *to;
  };
  std::vector<Part> parts_;
};

} // namespace ada::analysis
