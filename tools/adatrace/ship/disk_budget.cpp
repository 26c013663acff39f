// Chooses the traces to delete from the disk.
#include "disk_budget.h"

namespace ada::cli {

std::vector<Goes> whatGoes(const std::vector<OnDisk> &all, const DiskRules &rules) {
  std::vector<Goes> goes;
  std::vector<bool> isChosen(all.size());
  uint64_t bytes = 0;
  for (const OnDisk &one : all)
    bytes += one.bytes;
  const auto choose = [&](size_t i, bool isUnsent) {
    goes.push_back({i, isUnsent});
    isChosen[i] = true;
    bytes -= all[i].bytes;
  };
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].confirmedNs && rules.deleteAfterNs && *all[i].confirmedNs >= *rules.deleteAfterNs)
      choose(i, false);
  if (rules.mostBytes == 0)
    return goes;
  for (const bool isUnsent : {false, true})
    for (size_t i = 0; i < all.size() && bytes > rules.mostBytes; ++i)
      if (!isChosen[i] && all[i].isComplete && (isUnsent ? rules.dropsUnsent : all[i].confirmedNs.has_value()))
        choose(i, isUnsent);
  return goes;
}

} // namespace ada::cli
