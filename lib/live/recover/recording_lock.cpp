// Asks the kernel about the lock and, if that gives no answer, /proc.
#include "live/recover/recording_lock.h"

#include "trace/base/fair_links.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada::recover {

// Others may be asking at the same moment. They hold the lock for a few instructions, while a recording process keeps
// it.
static constexpr int kAttempts = 20;
static constexpr timespec kPause = {0, 10'000'000};

RecordingLock::RecordingLock(const std::string &path, For purpose) {
  fd_ = openOrdinary(path, O_RDONLY | O_NOFOLLOW);
  if (fd_ < 0)
    return;
  const bool isQuestion = purpose == For::Question;
  for (int attempt = 1;; ++attempt) {
    if (::flock(fd_, (isQuestion ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
      owner_ = Owner::Us;
    else if (errno == EWOULDBLOCK)
      owner_ = Owner::Another;
    if (isQuestion || owner_ != Owner::Another || attempt == kAttempts)
      break;
    ::nanosleep(&kPause, nullptr);
  }
  if (isQuestion)
    ::close(std::exchange(fd_, -1));
}

RecordingLock::~RecordingLock() {
  if (fd_ >= 0)
    ::close(fd_);
}

bool isOpenElsewhere(int fd) { return ::fcntl(fd, F_SETLEASE, F_WRLCK) != 0 && errno == EAGAIN; }

// For a process that has not locked its ring yet, or could not. (Without its own table of open files it does not,
// because the program could close the lock.) The number may be another process's by now. In doubt, the process counts
// as alive.
static bool mapsTheRing(uint32_t pid, const std::string &ringPath) {
  if (pid == 0 || pid > INT_MAX || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH))
    return false;
  const std::string path = "/proc/" + std::to_string(pid) + "/maps";
  std::ifstream maps(path);
  if (!maps)
    return ::access(path.c_str(), F_OK) == 0;
  std::string line;
  while (std::getline(maps, line))
    if (line.ends_with(ringPath))
      return true;
  return false;
}

bool isRecording(const ada_ring_header &header, const std::string &ringPath, RecordingLock::Owner owner) {
  if (owner == RecordingLock::Owner::Another)
    return true;
  if (owner == RecordingLock::Owner::Us && __atomic_load_n(&header.locked, __ATOMIC_ACQUIRE))
    return false;
  return mapsTheRing(header.pid, ringPath);
}

bool isStarting(const std::string &directory, const std::string &ringPath) {
  const std::string name = directory.substr(directory.find_last_of('/', directory.find_last_not_of('/')) + 1);
  unsigned pid = 0;
  return std::sscanf(name.c_str(), "pid_%u", &pid) == 1 && mapsTheRing(pid, ringPath);
}

} // namespace ada::recover
