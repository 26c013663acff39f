// Finds out whether a process records into a place, from a lock that the kernel drops when the process ends.
//
// As soon as the drain runs, it locks the ring file and the directory that it writes to (flock). It keeps the ring's
// lock to its end, and a directory's until it has gone on to the next part (option rotate). So if the ring's lock can
// be taken, the process is dead, and if a directory's can, nothing more is written there. This holds even if the
// process's number was reused, if /proc can't be read, and whatever pid or mount namespace it ran in. Recovery holds
// both locks itself while it works, so that two recoveries can't get in each other's way.
#pragma once

#include "shared/ring/ring_file.h"

#include <cstdint>
#include <string>

namespace ada::recover {

class RecordingLock {
public:
  enum class For {
    Recovery, // exclusive, and held as long as this object lives
    Question, // released at once
  };
  // Tries to lock a file or directory without following a symbolic link. Waits at most a fifth of a second.
  RecordingLock(const std::string &path, For purpose);
  RecordingLock(const RecordingLock &) = delete;
  ~RecordingLock();

  enum class Owner {
    Us,
    Another, // which is alive
    Unknown, // the file can't be opened, or its file system has no locks
  };
  Owner owner() const { return owner_; }

private:
  int fd_ = -1;
  Owner owner_ = Owner::Unknown;
};

// Whether the process of a ring file is alive and records into it. `owner` is the owner of the lock on that file.
bool isRecording(const ada_ring_header &header, const std::string &ringPath, RecordingLock::Owner owner);

/// Whether the process of this directory (pid_N) has created the ring but not begun to record. It holds no lock yet
/// then, and its number is not in the ring.
bool isStarting(const std::string &directory, const std::string &ringPath);

/// Whether another process has the file open or mapped: the kernel grants a lease for writing only if none has.
bool isOpenElsewhere(int fd);

} // namespace ada::recover
