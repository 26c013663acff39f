// Sorts any number of events by thread and time.
#pragma once

#include "trace/base/temporary_file.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::formats {

/// An event to be sorted. The reader decides what `type`, `function` and `endNs` mean.
struct LooseEvent {
  uint64_t timeNs = 0, endNs = 0;
  uint64_t tie = 0; ///< at equal times in a thread the smaller one comes first; if equal too, the earlier add()
  uint32_t thread = 0, function = 0;
  uint8_t type = 0;
  // The sorter's own.
  uint32_t textBytes = 0;
  uint64_t textAt = 0, number = 0;
};

/// Memory: some 60 megabytes. Events beyond that go to temporary files without a name, and are merged at the end.
class EventSorter {
public:
  /// `kept` is how many events stay in memory. Only tests use fewer.
  explicit EventSorter(size_t kept = 1 << 19, size_t keptText = 16 << 20) : kept_(kept), keptText_(keptText) {}

  /// Errors: E_IO.
  Expected<void> add(LooseEvent event, std::string_view text = {});
  /// Hands out all events, thread by thread, until `take` returns false. May be called once.
  Expected<void> drain(const std::function<bool(const LooseEvent &, std::string_view text)> &take);

  uint64_t count() const { return count_; }
  uint64_t firstNs() const { return firstNs_; } ///< earliest time of any event
  uint64_t lastNs() const { return lastNs_; }   ///< latest time or end of any event

private:
  struct Run {
    uint64_t offset = 0, count = 0; // in runs_, in events
  };
  class RunReader;

  Expected<void> spill();
  Expected<std::string_view> textOf(const LooseEvent &event);

  size_t kept_, keptText_;
  std::vector<LooseEvent> pending_;
  std::vector<Run> spilled_;
  TemporaryFile runs_, texts_;
  std::string pendingText_; // follows the bytes in texts_
  std::string window_;      // a part of texts_
  uint64_t windowAt_ = 0;
  uint64_t count_ = 0, firstNs_ = ~uint64_t{0}, lastNs_ = 0;
};

} // namespace ada::formats
