// The flight recorder's dump: a session on disk, copied from the one in memory while recording goes on.
//
// The caller must have finished all files just before begin(). begin() copies what will change as soon as something is
// appended (headers, block indices, footers), which is little; step() copies the rest in slices, between the drain's
// passes. Until that is complete, no blocks may be removed from the files. The session appears under its name when it
// is complete.
//
// Owned by the drain thread.
#pragma once

#include "core/base/os.h"
#include "core/base/text.h"
#include "core/files/thread_file.h"

namespace ada::runtime {

class Dump {
public:
  // `place`: the process's directory in memory. `session`: where the dump goes; session_2, … if that exists. Returns 0
  // or a negative errno. The caller writes the manifest to directory().
  int begin(const char *place, const char *session, uint32_t processId);
  // Copies about `bytes` bytes. Returns 0 or a negative errno, after which the dump isn't active any more.
  int step(uint64_t bytes);
  bool active() const { return files_ != nullptr; }
  // Removes everything that was written.
  void abandon() { forget(true); }
  // The directory in which the process's part of the dump is built.
  const char *directory() const { return directory_.c_str(); }
  // The session of the last complete dump.
  const char *session() const { return session_.c_str(); }

private:
  struct File {
    uint32_t thread;
    bool isDetail;
    uint64_t at, end; // what is still to be copied
  };
  static constexpr uint64_t kMaxFiles = 1 << 18, kBufferBytes = 1 << 20;

  int add(uint32_t thread, const char *name);
  int addFile(uint32_t thread, bool isDetail);
  int copySched(uint32_t thread);
  // Opens from_ and to_.
  int openBoth(const File &file, bool isNew);
  void closeBoth();
  int copy(uint64_t at, uint64_t end);
  int publish();
  void forget(bool failed);

  const char *place_ = nullptr;
  Path directory_, temporary_, wanted_, session_;
  ThreadFile from_, to_; // the file being copied
  File *files_ = nullptr;
  char *buffer_ = nullptr;
  uint64_t count_ = 0, next_ = 0;
};

// Removes the directory of a process with all its contents, and the session's directory if that is empty afterwards.
void removeProcessDirectory(const char *directory);

} // namespace ada::runtime
