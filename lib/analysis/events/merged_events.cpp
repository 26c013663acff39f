// All threads' events in one sequence by time.
//
// Reads each thread in pieces of some hundred or ten thousand events, so that it can merge any threadwise source.
#include "merged_events.h"
#include "trace/base/try.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace ada::analysis {

std::vector<uint32_t> allThreads(const TraceTable &table) {
  std::vector<uint32_t> all(table.threads.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

namespace {

constexpr uint64_t kOver = ~uint64_t(0); // MergePlace::seq of a thread that has ended

// A piece of a thread that outlives the read.
class Piece : public TableSink {
public:
  Piece(TraceTable &table, uint32_t thread, const MergePlace &from) : TableSink(table), passed_(from.passed) {
    request_.threads = {thread};
    request_.isFurther = true;
    request_.toSeq = from.seq;
    request_.withOpenCalls = from.withOpenCalls && from.seq > 0;
  }

  bool wantsDetails() const override { return true; }
  Expected<void> events(const model::Batch &batch) override {
    for (model::Event event : batch.events) {
      if (event.kind == model::Kind::Mark || event.kind == model::Kind::Value) {
        const model::Text &text = batch.texts[event.extra];
        event.extra = static_cast<uint32_t>(texts_.size());
        texts_.push_back({keep(text.name), keep(text.json)});
      } else if (event.details) {
        const auto details = batch.details.subspan(event.extra, event.details);
        event.extra = static_cast<uint32_t>(details_.size());
        for (model::Detail detail : details) {
          const auto *bytes = reinterpret_cast<const char *>(detail.payload.data());
          detail.payload = std::as_bytes(std::span(keep({bytes, detail.payload.size()})));
          details_.push_back(detail);
        }
      }
      numberless_ += event.isEarlier;
      events_.push_back(event);
    }
    if (batch.keptFromNs)
      earlier_ = {{}, {}, {}, 0, batch.keptFromNs, batch.unknownCalls};
    return {};
  }

  /// Gets the next `size` events if these are used up. Afterwards there is an event, or the thread has ended.
  Expected<void> fill(model::TraceSource &source, uint64_t size) {
    while (!isFilled() && !isOver_) {
      events_.clear();
      texts_.clear();
      details_.clear();
      kept_.clear();
      numberless_ = 0;
      request_.fromSeq = request_.toSeq;
      request_.toSeq += size;
      ADA_TRY(source.readPart(*this, request_));
      hasOpenCalls_ = std::exchange(request_.withOpenCalls, false);
      isOver_ = events_.empty();
      at_ = static_cast<size_t>(std::min<uint64_t>(passed_, events_.size()));
      passed_ -= at_;
    }
    return {};
  }
  /// The place of the next event.
  MergePlace place() const { return {request_.fromSeq, hasOpenCalls_, at_}; }
  bool isOver() const { return isOver_; }
  bool isFilled() const { return at_ < events_.size(); }
  const model::Event &event() const { return events_[at_]; }
  uint64_t seq() const { return request_.fromSeq + at_ - std::min(at_, numberless_); }
  model::Batch batch() const {
    return {events_, texts_, details_, request_.fromSeq, earlier_.keptFromNs, earlier_.unknownCalls};
  }
  void next() { ++at_; }

private:
  std::string_view keep(std::string_view text) { return kept_.emplace_back(text); }

  model::ReadRequest request_;
  uint64_t passed_;           // events that are still to be left out
  bool hasOpenCalls_ = false; // the piece begins with calls that were open
  std::vector<model::Event> events_;
  std::vector<model::Text> texts_;
  std::vector<model::Detail> details_;
  std::deque<std::string> kept_;
  model::Batch earlier_;           // what the thread's first batch says about open calls
  size_t at_ = 0, numberless_ = 0; // of them, the number of events without a number
  bool isOver_ = false;
};

} // namespace

Expected<void> mergeEvents(const Trace &trace, const EventUse &use) {
  std::vector<MergePlace> first; // that the source has
  for (const uint32_t thread : trace.threads)
    first.push_back({.seq = trace.source.cuts(thread, 1).front()});
  return mergeEventsFrom(trace, first, use);
}

Expected<void> mergeEventsFrom(const Trace &trace, std::vector<MergePlace> &places, const EventUse &use) {
  struct Head {
    uint64_t ns; // of the thread's next event
    size_t thread;
  };
  const auto isLater = [](const Head &a, const Head &b) { return a.ns != b.ns ? a.ns > b.ns : a.thread > b.thread; };
  std::vector<Head> heap; // the earliest is on top
  const auto push = [&](Head head) {
    heap.push_back(head);
    std::push_heap(heap.begin(), heap.end(), isLater);
  };
  // A thread is read from its first event to its last one only. In a session of many short processes few of them run at
  // the same time, and the fewer they are the larger their pieces can be: each one costs the decoding of what is before
  // it in its block.
  std::vector<std::unique_ptr<Piece>> pieces(trace.threads.size());
  size_t open = 0;
  // At most a million events in all, and few threads at a time share an eighth of that: with arguments, an event has
  // some hundred bytes.
  const auto pieceSize = [&] {
    constexpr uint64_t kMax = 1 << 20, kOfFew = 1 << 17, kLeastPiece = 64, kPiece = 4096, kLongPiece = 65536;
    return std::max(std::clamp(kMax / (open + 1), kLeastPiece, kPiece), std::min(kOfFew / (open + 1), kLongPiece));
  };
  const auto fill = [&](size_t thread) -> Expected<void> {
    Piece &piece = *pieces[thread];
    ADA_TRY(piece.fill(trace.source, pieceSize()));
    if (!piece.isOver()) {
      push({piece.event().timeNs, thread});
      return {};
    }
    pieces[thread].reset();
    places[thread].seq = kOver;
    --open;
    return {};
  };
  const auto begin = [&](size_t thread) {
    pieces[thread] = std::make_unique<Piece>(trace.table, trace.threads[thread], places[thread]);
    ++open;
    return fill(thread);
  };
  for (size_t i = 0; i < trace.threads.size(); ++i) {
    const std::optional<model::ThreadExtent> &extent = trace.table.threads[trace.threads[i]].extent;
    const MergePlace &place = places[i];
    if (place.seq == kOver)
      continue;
    if (place.seq == 0 && place.passed == 0 && extent && extent->events > 0)
      push({extent->firstNs, i});
    else // calls that began earlier may come first
      ADA_TRY(begin(i));
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), isLater);
    const size_t thread = heap.back().thread;
    heap.pop_back();
    if (!pieces[thread]) {
      ADA_TRY(begin(thread));
      continue;
    }
    Piece &piece = *pieces[thread];
    do { // as long as no other thread has an earlier event
      if (auto used = use(piece.seq(), piece.event(), piece.batch()); !used) {
        for (size_t i = 0; i < pieces.size(); ++i)
          if (pieces[i])
            places[i] = pieces[i]->place();
        return used;
      }
      piece.next();
    } while (piece.isFilled() && (heap.empty() || isLater(heap.front(), {piece.event().timeNs, thread})));
    ADA_TRY(fill(thread));
  }
  return {};
}

} // namespace ada::analysis
