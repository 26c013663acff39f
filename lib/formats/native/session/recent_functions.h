// The numbers of the functions that were called last, by id.
#pragma once

#include <array>
#include <cstdint>

namespace ada::atf {

/// A few functions account for most calls, so most numbers are found here. There is one process's at a time, because a
/// session may have ten thousand.
class RecentFunctions {
public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Entry {
    uint64_t id = 0;
    uint32_t number = kNone; ///< of another function unless `id` is the one that was asked for
  };

  /// Those of a process. It forgets those of any other.
  RecentFunctions &in(uint32_t process) {
    if (process_ != process)
      entries_ = {}, process_ = process;
    return *this;
  }
  Entry &of(uint64_t id) { return entries_[(id ^ id >> 32) % entries_.size()]; }

private:
  uint32_t process_ = kNone;
  std::array<Entry, 1024> entries_;
};

} // namespace ada::atf
