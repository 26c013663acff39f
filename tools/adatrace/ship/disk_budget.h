// Which traces go from the disk: those that are confirmed and old enough, and more of them if there is too little room.
#ifndef ADATRACE_SHIP_DISK_BUDGET_H
#define ADATRACE_SHIP_DISK_BUDGET_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

struct DiskRules {
  std::optional<std::uint64_t> deleteAfterNs; ///< of confirmed ones: so long after they were confirmed
  std::uint64_t mostBytes = 0;                ///< of all together; 0: any number
  bool dropsUnsent = false;                   ///< complete ones that are not confirmed may go for `mostBytes`, too
};

/// What the rules look at, oldest first.
struct OnDisk {
  std::string name;
  std::uint64_t bytes = 0;
  bool isComplete = false;                  ///< nobody writes to it any more
  std::optional<std::uint64_t> confirmedNs; ///< how long ago
};

struct Goes {
  std::size_t index; ///< in the list
  bool isUnsent;
};

/// What has to go, in the order in which it should. Never what is still recorded; what is not confirmed only if the
/// rules say so and the confirmed ones are not enough.
std::vector<Goes> whatGoes(const std::vector<OnDisk> &all, const DiskRules &rules);

} // namespace ada::cli
#endif // ADATRACE_SHIP_DISK_BUDGET_H
