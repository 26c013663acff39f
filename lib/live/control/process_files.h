// What /proc says about processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ada::control {

struct ProcessFacts {
  pid_t pid = 0;
  std::string name;          ///< comm
  pid_t ownPid = 0;          ///< the number that it has in its own pid namespace
  uid_t owner = 0;           ///< effective user
  gid_t group = 0;           ///< effective group
  std::vector<gid_t> groups; ///< the others
  char state = 0;            ///< R, S, D, T (stopped by a signal), t (by a debugger), Z
  bool isOver() const { return state == 'Z' || state == 'X'; }
  bool isStopped() const { return state == 'T' || state == 't'; }
};

/// Nothing if there is no such process.
std::optional<ProcessFacts> factsOf(pid_t pid);

/// All processes that can be seen.
std::vector<pid_t> allProcesses();

/// A line of /proc/PID/maps.
struct Mapping {
  uint64_t begin = 0, end = 0;
  bool isWritable = false, isShared = false;
  uint64_t device = 0, inode = 0;
  std::string path; ///< empty for anonymous memory
};

/// The mappings of a process. Without any, `error` is the system's error number, or 0.
std::vector<Mapping> mappingsOf(pid_t pid, int &error);

/// "process 4711", for messages
std::string named(pid_t pid);

/// "/proc/4711"
std::string placeOf(pid_t pid);

/// A path of the process as we can open it: below /proc/PID/root if its mounts are not ours.
std::string reachable(pid_t pid, const std::string &path);

/// Names the mounts of a process: "mnt:[4026531840]". Processes with equal names have the same.
std::string mountsOf(pid_t pid);

} // namespace ada::control
