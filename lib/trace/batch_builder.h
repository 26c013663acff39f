// Collects events until there are enough for a TraceSink::events().
#pragma once

#include "ada/trace/model.h"

#include <algorithm>
#include <memory>

namespace ada::model {

/// The last event stays here until the next one comes, so that details that
/// follow it can be added. Errors of the sink stick: everything after one is
/// ignored.
class BatchBuilder {
public:
  explicit BatchBuilder(TraceSink &sink) : sink_(sink), events_(std::make_unique<Event[]>(kEvents)) {}

  void add(const Event &event) {
    if (count_ >= full_)
      flush();
    events_[count_++] = event;
  }
  /// Room for the next events, at least one and at most `count`, which the caller fills in.
  std::span<Event> add(uint64_t count) {
    if (count_ >= full_)
      flush();
    const std::span<Event> room(events_.get() + count_, std::min<uint64_t>(count, full_ - count_));
    count_ += room.size();
    return room;
  }
  /// Forgets the last `count` of the events that the last add() gave room for.
  void takeBack(size_t count) { count_ -= count; }
  /// A Mark or Value; copies the texts.
  void addText(Event event, std::string_view name, std::string_view json) {
    if (count_ >= full_)
      flush();
    event.extra = static_cast<uint32_t>(texts_.size());
    texts_.push_back({copy(name), copy(json)});
    events_[count_++] = event;
  }
  bool hasLast() const noexcept { return count_ > 0; }
  const Event &last() const noexcept { return events_[count_ - 1]; }
  /// A detail of the last event, which must be there, or of an event that add() gave room for:
  /// details come in the order of the events. False if the event already has as many as it can have.
  bool addDetail(Detail detail, bool copyPayload) { return addDetail(events_[count_ - 1], detail, copyPayload); }
  bool addDetail(Event &event, Detail detail, bool copyPayload);

  /// After this there is no last event.
  void flush();
  /// The next event is number `seq` of its thread: Batch::firstSeq. The first one is 0.
  void continueAt(uint64_t seq) {
    if (count_ > 0)
      flush();
    nextSeq_ = seq;
  }
  const Expected<void> &status() const noexcept { return state_; }
  /// Takes over an error of the sink that occurred elsewhere.
  void check(const Expected<void> &result) {
    if (state_ && !result)
      state_ = result;
  }

private:
  // So few that a batch stays in the processor's first cache between source and sink.
  static constexpr size_t kEvents = 512, kCopyBytes = 1 << 18;
  std::string_view copy(std::string_view text);

  TraceSink &sink_;
  std::unique_ptr<Event[]> events_;
  size_t count_ = 0, full_ = kEvents; // `full_` is 0 once enough bytes were copied
  std::vector<Text> texts_;
  std::vector<Detail> details_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t blockUsed_ = 0, blockSize_ = 0;
  size_t copied_ = 0;
  uint64_t nextSeq_ = 0; // of events_[0]
  Expected<void> state_;
};

} // namespace ada::model
