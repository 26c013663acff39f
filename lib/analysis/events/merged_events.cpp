// All threads' events in one sequence by time.
//
// Reads each thread in pieces of some hundred or thousand events, so that it can merge any threadwise source.
#include "merged_events.h"
#include "base/try.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <string>

namespace ada::analysis {

std::vector<uint32_t> allThreads(const TraceTable &table) {
  std::vector<uint32_t> all(table.threads.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

namespace {

// A piece of a thread that outlives the read.
class Piece : public TableSink {
public:
  /// `from`: the event of the thread to begin with.
  Piece(TraceTable &table, uint32_t thread, uint64_t size, uint64_t from) : TableSink(table), size_(size) {
    request_.threads = {thread};
    request_.isFurther = true;
    request_.toSeq = from;
    request_.withOpenCalls = from > 0;
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

  /// Gets the next piece if this one is used up. Afterwards there is an event, or the thread has ended.
  Expected<void> fill(model::TraceSource &source) {
    if (at_ < events_.size() || isOver_)
      return {};
    events_.clear();
    texts_.clear();
    details_.clear();
    kept_.clear();
    at_ = numberless_ = 0;
    request_.fromSeq = request_.toSeq;
    request_.toSeq += size_;
    auto done = source.readPart(*this, request_);
    request_.withOpenCalls = false;
    isOver_ = events_.empty();
    return done;
  }
  bool isOver() const { return isOver_; }
  const model::Event &event() const { return events_[at_]; }
  uint64_t seq() const { return request_.fromSeq + at_ - std::min(at_, numberless_); }
  model::Batch batch() const {
    return {events_, texts_, details_, request_.fromSeq, earlier_.keptFromNs, earlier_.unknownCalls};
  }
  void next() { ++at_; }

private:
  std::string_view keep(std::string_view text) { return kept_.emplace_back(text); }

  uint64_t size_;
  model::ReadRequest request_;
  std::vector<model::Event> events_;
  std::vector<model::Text> texts_;
  std::vector<model::Detail> details_;
  std::deque<std::string> kept_;
  model::Batch earlier_;           // what the thread's first batch says about open calls
  size_t at_ = 0, numberless_ = 0; // of them, the number of events without a number
  bool isOver_ = false;
};

} // namespace

Expected<void> mergeEvents(model::TraceSource &source, TraceTable &table, const std::vector<uint32_t> &threads,
                           const EventUse &use) {
  std::vector<uint64_t> first; // that the source has
  for (const uint32_t thread : threads)
    first.push_back(source.cuts(thread, 1).front());
  return mergeEventsFrom(source, table, threads, first, use);
}

Expected<void> mergeEventsFrom(model::TraceSource &source, TraceTable &table, const std::vector<uint32_t> &threads,
                               const std::vector<uint64_t> &first, const EventUse &use) {
  const uint64_t size = std::clamp<uint64_t>((1 << 20) / (threads.size() + 1), 64, 4096);
  std::vector<std::unique_ptr<Piece>> pieces;
  std::vector<size_t> heap; // the earliest is on top
  const auto isLater = [&](size_t a, size_t b) {
    const uint64_t left = pieces[a]->event().timeNs, right = pieces[b]->event().timeNs;
    return left != right ? left > right : a > b;
  };
  const auto push = [&](size_t thread) -> Expected<void> {
    auto filled = pieces[thread]->fill(source);
    if (filled && !pieces[thread]->isOver()) {
      heap.push_back(thread);
      std::push_heap(heap.begin(), heap.end(), isLater);
    }
    return filled;
  };
  for (size_t i = 0; i < threads.size(); ++i) {
    pieces.push_back(std::make_unique<Piece>(table, threads[i], size, first[i]));
    ADA_TRY(push(i));
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), isLater);
    const size_t thread = heap.back();
    heap.pop_back();
    Piece &piece = *pieces[thread];
    ADA_TRY(use(piece.seq(), piece.event(), piece.batch()));
    piece.next();
    ADA_TRY(push(thread));
  }
  return {};
}

} // namespace ada::analysis
