// Waits until something happens below a directory of sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ada::cli {

/// Uses inotify. Without it (its limits are per user), waits only by time.
class DirectoryWatch {
public:
  DirectoryWatch();
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch &) = delete;
  DirectoryWatch &operator=(const DirectoryWatch &) = delete;

  /// From here on, watches only these directories.
  void set(const std::vector<std::string> &directories);
  /// Returns when something was made, renamed or deleted in one of them, after `mostNs`, or when `isInterrupted`
  /// returns true.
  void wait(uint64_t mostNs, const std::function<bool()> &isInterrupted);

private:
  int inotify_;
  std::map<std::string, int> watched_; // inotify's number of each directory
};

} // namespace ada::cli
