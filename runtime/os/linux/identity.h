// Whose rights the drain has: no more than the program.
#ifndef ADA_RUNTIME_OS_LINUX_IDENTITY_H
#define ADA_RUNTIME_OS_LINUX_IDENTITY_H

#include <stdint.h>

namespace ada {

// What a thread may do. libc's setuid() and the like tell all threads that libc knows of, and the drain is none of
// them: it looks itself, ten times a second.
class Identity {
public:
  static constexpr unsigned kMostGroups = 128; // a program with more keeps those that it has; it can't gain any by that

  // Takes the calling thread's own as the start.
  void start();
  // Whether the program's main thread has given up something since. Not asked more than once in 100 ms.
  bool hasChanged();
  // Makes the calling thread's rights those of the main thread. Only gives up, never gains.
  void follow() {
    apply();
    own_ = now_; // what could not be followed is not tried again and again
  }
  // The same for another thread; follow() comes after.
  void apply() const;

  // When hasChanged() last looked: whether the main thread had ended and only `own` others were there.
  bool isAlone(uint32_t own) const { return now_.mainHasEnded && now_.threads == own + 1; }
  bool mainHasEnded() const { return now_.mainHasEnded; }
  // A thread of `process`, which is this one, is about to end with this status. Any thread; makes no system call.
  static void noteThreadExit(uint32_t process, int status);
  // The exit code, as wait() gives it, of a process that has no threads any more but ours: since Linux 6.0 that of the
  // thread which ended last, if it was noted; else the main thread's, 0 if the system doesn't tell.
  static uint32_t exitCode();
  // The calling thread is about to end, and all of ours are: the last one ends the process, with that code.
  static void endLike(uint32_t code);

  uint32_t user() const { return now_.users[1]; }
  uint32_t group() const { return now_.groups[1]; }

private:
  struct Rights {
    uint32_t users[4], groups[4]; // real, effective, saved, file system
    uint32_t more[kMostGroups];
    uint32_t moreCount;
    uint64_t inheritable, permitted, effective;
    bool noNewPrivileges, mainHasEnded;
    uint32_t threads; // of the process; the main one counts until all have ended
  };
  static bool read(uint32_t thread, Rights &rights);
  // Whether both have the same rights, `no_new_privs` aside.
  bool isSameUser() const;

  bool isOn_ = false;
  uint64_t lookedNs_ = 0;
  Rights own_ = {}, now_ = {};
};

} // namespace ada
#endif
