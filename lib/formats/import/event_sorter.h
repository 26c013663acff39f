// Puts events that come in any order into that of threads and times, however many there are.
#ifndef ADA_LIB_FORMATS_IMPORT_EVENT_SORTER_H
#define ADA_LIB_FORMATS_IMPORT_EVENT_SORTER_H

#include "base/temporary_file.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::model {

/// An event on its way to its place. What `type`, `function` and `endNs` mean is up to the reader.
struct LooseEvent {
  std::uint64_t timeNs = 0, endNs = 0;
  std::uint64_t tie = 0; ///< at the same time in the same thread the smaller one comes first, else the earlier add()
  std::uint32_t thread = 0, function = 0;
  std::uint8_t type = 0;
  // The sorter's own.
  std::uint32_t textBytes = 0;
  std::uint64_t textAt = 0, number = 0;
};

/// Memory: some 60 megabytes. What goes past that lies in temporary files without a name, and is merged at the end.
class EventSorter {
public:
  /// `kept` is how many events stay in memory. Fewer in tests only.
  explicit EventSorter(std::size_t kept = 1 << 19, std::size_t keptText = 16 << 20)
      : kept_(kept), keptText_(keptText) {}

  /// Errors: E_IO.
  Expected<void> add(LooseEvent event, std::string_view text = {});
  /// Hands all of them out, thread by thread, until `take` says no. Once.
  Expected<void> drain(const std::function<bool(const LooseEvent &, std::string_view text)> &take);

  std::uint64_t count() const { return count_; }
  std::uint64_t firstNs() const { return firstNs_; } ///< earliest time of any
  std::uint64_t lastNs() const { return lastNs_; }   ///< latest time or end of any

private:
  struct Run {
    std::uint64_t offset = 0, count = 0; // in runs_, in events
  };
  class RunReader;

  Expected<void> spill();
  Expected<std::string_view> textOf(const LooseEvent &event);

  std::size_t kept_, keptText_;
  std::vector<LooseEvent> pending_;
  std::vector<Run> spilled_;
  TemporaryFile runs_, texts_;
  std::string pendingText_; // behind what texts_ has
  std::string window_;      // a part of texts_
  std::uint64_t windowAt_ = 0;
  std::uint64_t count_ = 0, firstNs_ = ~std::uint64_t{0}, lastNs_ = 0;
};

} // namespace ada::model

#endif // ADA_LIB_FORMATS_IMPORT_EVENT_SORTER_H
