// Waits until something happens below a directory of sessions.
#include "directory_watch.h"

#include <algorithm>
#include <chrono>
#include <poll.h>
#include <set>
#include <sys/inotify.h>
#include <thread>
#include <unistd.h>

namespace ada::cli {

DirectoryWatch::DirectoryWatch() : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

DirectoryWatch::~DirectoryWatch() {
  if (inotify_ >= 0)
    ::close(inotify_);
}

void DirectoryWatch::set(const std::vector<std::string> &directories) {
  const std::set<std::string> wanted(directories.begin(), directories.end());
  std::erase_if(watched_, [&](const auto &one) {
    const bool isOver = !wanted.contains(one.first);
    if (isOver)
      ::inotify_rm_watch(inotify_, one.second);
    return isOver;
  });
  for (const std::string &directory : wanted)
    if (inotify_ >= 0 && !watched_.contains(directory)) {
      const int number = ::inotify_add_watch(inotify_, directory.c_str(),
                                             IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR | IN_EXCL_UNLINK);
      if (number >= 0)
        watched_[directory] = number;
    }
}

void DirectoryWatch::wait(uint64_t mostNs, const std::function<bool()> &isInterrupted) {
  constexpr auto kLongest = std::chrono::milliseconds(100); // until an interruption is noticed
  constexpr auto kGather = std::chrono::milliseconds(50);
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(mostNs);
  while (!isInterrupted() && std::chrono::steady_clock::now() < end) {
    if (inotify_ < 0) {
      std::this_thread::sleep_for(kLongest);
      continue;
    }
    pollfd file = {inotify_, POLLIN, 0};
    if (::poll(&file, 1, static_cast<int>(kLongest.count())) <= 0)
      continue;
    // Changes that come together are handled together.
    std::this_thread::sleep_for(kGather);
    alignas(inotify_event) char events[4096];
    while (::read(inotify_, events, sizeof events) > 0) // discarded: the caller looks for itself
      ;
    return;
  }
}

} // namespace ada::cli
