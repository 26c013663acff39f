// Whether somebody records into a place: a lock that the kernel drops with the process.
//
// The drain locks the directory of its process and the ring file (flock) as soon as it runs, and never lets go. So a
// lock that can be taken means that the process is dead, whatever its number is by now, whether /proc may be read or
// not, and in which pid or mount namespace it ran. Recovery holds both locks itself while it works, so that two of them
// can't get into each other's way.
#ifndef ADA_LIB_RECOVER_RECORDING_LOCK_H
#define ADA_LIB_RECOVER_RECORDING_LOCK_H

#include "ada/ring_file.h"

#include <cstdint>
#include <string>

namespace ada {

class RecordingLock {
public:
  enum class For {
    Recovery, // kept as long as this object; nobody else may hold it
    Question, // given back at once
  };
  // Tries to lock a file or directory, not through a symbolic link. Waits a fifth of a second at most.
  RecordingLock(const std::string &path, For purpose);
  RecordingLock(const RecordingLock &) = delete;
  ~RecordingLock();

  enum class Owner {
    Us,
    Another, // which is alive
    Unknown, // it can't be opened, or its file system has no locks
  };
  Owner owner() const { return owner_; }

private:
  int fd_ = -1;
  Owner owner_ = Owner::Unknown;
};

// Whether the process of a ring file is alive and records into it. `owner`: of the lock on that file.
bool isRecording(const ada_ring_header &header, const std::string &ringPath, RecordingLock::Owner owner);

/// Whether the process of this directory (pid_N) has made the ring, but not begun to record: it holds no lock yet, and
/// its number is not in the ring.
bool isStarting(const std::string &directory, const std::string &ringPath);

} // namespace ada

#endif // ADA_LIB_RECOVER_RECORDING_LOCK_H
