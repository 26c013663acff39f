// How processes ended that could not say it themselves.
//
// A process that is killed writes nothing any more, and only its parent is told how it ended. But the kernel's process
// events connector tells everyone (since Linux 6.6, before only root) which process of the machine ended how, unless
// with status 0. It does not talk to containers that have their own process numbers.
#pragma once

#include "ada/trace/manifest.h"
#include "trace/base/file_descriptor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <sys/types.h>
#include <thread>

namespace ada::cli {

class ProcessEndings {
public:
  struct Ending {
    int status;     ///< as waitpid() gives it
    uint64_t utcNs; ///< of CLOCK_REALTIME
  };

  /// Listens from now on, in a thread of its own. Where the kernel does not tell, nothing is known.
  ProcessEndings();
  ~ProcessEndings();
  /// Takes what has been told up to now, and listens no longer.
  void stop();
  /// How the process of that manifest ended, if it is known. Call stop() first.
  std::optional<Ending> of(const Manifest &manifest) const;

private:
  struct Seen {
    Ending ending;
    pid_t parent;
    bool isOfLeader; ///< otherwise the end of another thread: only a signal is the process's, too
    bool isUnique;   ///< no other process of that number has ended
  };
  void listen();
  void take();

  FileDescriptor socket_, stop_;
  std::map<pid_t, Seen> seen_; // by process
  std::thread listener_;
};

} // namespace ada::cli
