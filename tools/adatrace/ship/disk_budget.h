// Chooses the traces to delete from the disk: those that are confirmed and old enough, and more if space is short.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

struct DiskRules {
  std::optional<uint64_t> deleteAfterNs; ///< delete confirmed traces this long after they were confirmed
  uint64_t mostBytes = 0;                ///< limit for all traces together; 0: no limit
  bool dropsUnsent = false;              ///< to keep to `mostBytes`, also delete complete, unconfirmed traces
};

/// A trace as the rules see it.
struct OnDisk {
  std::string name;
  uint64_t bytes = 0;
  bool isComplete = false;             ///< nothing writes to it any more
  std::optional<uint64_t> confirmedNs; ///< how long ago
};

struct Goes {
  size_t index; ///< in the list of traces
  bool isUnsent;
};

/// The traces to delete, in the order of deletion. `all` has the oldest first. Traces that are still being recorded are
/// never deleted; unconfirmed ones only if the rules allow it and deleting confirmed ones is not enough.
std::vector<Goes> whatGoes(const std::vector<OnDisk> &all, const DiskRules &rules);

} // namespace ada::cli
