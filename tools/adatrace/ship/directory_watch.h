// Waits until something happens below a directory of sessions.
#ifndef ADATRACE_SHIP_DIRECTORY_WATCH_H
#define ADATRACE_SHIP_DIRECTORY_WATCH_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ada::cli {

/// By inotify; without it (its limits are the user's) by time alone.
class DirectoryWatch {
public:
  DirectoryWatch();
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch &) = delete;
  DirectoryWatch &operator=(const DirectoryWatch &) = delete;

  /// From here on these, and no others.
  void set(const std::vector<std::string> &directories);
  /// Returns when something was made, renamed or deleted in one of them, after `mostNs`, or when `isInterrupted`.
  void wait(std::uint64_t mostNs, const std::function<bool()> &isInterrupted);

private:
  int inotify_;
  std::map<std::string, int> watched_; // directories: their numbers
};

} // namespace ada::cli
#endif // ADATRACE_SHIP_DIRECTORY_WATCH_H
