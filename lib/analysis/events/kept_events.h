// Events that outlive their batch.
#pragma once

#include "ada/trace/model.h"

#include "trace/base/try.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ada::analysis {

/// Events with their texts and details.
class KeptEvents {
public:
  /// `event` is the one at `index` in the batch, or what has been made of it.
  void keep(const model::Event &event, const model::Batch &batch, size_t index) {
    Kept kept{.event = event,
              .number = batch.numbers.empty() ? 0 : batch.numbers[index],
              .name = {},
              .json = {},
              .details = {},
              .payloads = {}};
    if (isText(event.kind)) {
      kept.name = batch.texts[event.extra].name;
      kept.json = batch.texts[event.extra].json;
    } else if (event.details) {
      for (const model::Detail &detail : batch.details.subspan(event.extra, event.details)) {
        kept.details.push_back(detail);
        kept.payloads.emplace_back(reinterpret_cast<const char *>(detail.payload.data()), detail.payload.size());
      }
    }
    hasNumbers_ = !batch.numbers.empty();
    all_.push_back(std::move(kept));
    if (event.isEarlier) {
      keptFromNs_ = batch.keptFromNs;
      unknownCalls_ = batch.unknownCalls;
    }
  }
  size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  /// Drops the events from number `size` on.
  void cut(size_t size) { all_.resize(size); }
  /// The same, but keeps those for which `stays` returns true.
  template <class Stays> void cut(size_t size, Stays &&stays) {
    size_t kept = size;
    for (size_t i = size; i < all_.size(); ++i)
      if (stays(all_[i].event))
        std::swap(all_[kept++], all_[i]);
    all_.resize(kept);
  }
  /// Applies `change` (which may fail) to each of the first `count` events, passes them to `sink`, and drops them.
  template <class Change> Expected<void> release(size_t count, model::TraceSink &sink, Change &&change) {
    std::vector<model::Event> events;
    std::vector<model::Text> texts;
    std::vector<model::Detail> details;
    std::vector<uint64_t> numbers;
    for (size_t i = 0; i < count; ++i) {
      Kept &kept = all_[i];
      model::Event event = kept.event;
      ADA_TRY(change(event));
      if (isText(event.kind)) {
        event.extra = static_cast<uint32_t>(texts.size());
        texts.push_back({kept.name, kept.json});
      } else {
        event.extra = static_cast<uint32_t>(details.size());
        for (size_t k = 0; k < kept.details.size(); ++k) {
          details.push_back(kept.details[k]);
          details.back().payload = std::as_bytes(std::span(kept.payloads[k]));
        }
      }
      events.push_back(event);
      if (hasNumbers_)
        numbers.push_back(kept.number);
    }
    auto done = events.empty() ? Expected<void>()
                               : sink.events({events, texts, details, 0, keptFromNs_, unknownCalls_, numbers});
    all_.erase(all_.begin(), all_.begin() + static_cast<ptrdiff_t>(count));
    return done;
  }

private:
  struct Kept {
    model::Event event;
    uint64_t number; // in the thread, if the sink wants it
    std::string name, json;
    std::vector<model::Detail> details;
    std::vector<std::string> payloads;
  };
  std::vector<Kept> all_;
  bool hasNumbers_ = false;
  uint64_t keptFromNs_ = 0, unknownCalls_ = 0; // of calls that began earlier
};

} // namespace ada::analysis
