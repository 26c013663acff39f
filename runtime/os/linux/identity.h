// The rights of the drain: no more than the program has.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// The rights of a thread. libc's setuid() and similar functions change all threads that libc knows about. The drain is
// not one of them, so it checks ten times a second.
class Identity {
public:
  static constexpr unsigned kMaxGroups = 128; // a program with more keeps those it has; that gains it none

  // The calling thread's rights are the starting point. They are read when they are first compared: many processes end
  // before that.
  void start();
  // Whether the program's main thread has given up rights since. Checks at most once in 90 ms: an idle
  // drain, which comes every 100 ms, checks each time.
  bool hasChanged();
  // Makes the calling thread's rights those of the main thread. Rights are only given up, never gained.
  void follow() {
    apply();
    own_ = now_; // a change that could not be followed is not retried
  }
  // The same for another thread; follow() is called afterwards.
  void apply() const;

  // Whether, at hasChanged()'s last check, the main thread had ended and only `own` other threads were left.
  bool isAlone(uint32_t own) const { return now_.mainHasEnded && now_.threads == own + 1; }
  // Whether this thread has rights that the program may still give up.
  bool hasRights() const {
    return !isKnown_ || own_.permitted != 0 || own_.users[0] != own_.users[1] || own_.users[0] != own_.users[2] ||
           own_.users[0] == 0;
  }
  bool mainHasEnded() const { return now_.mainHasEnded; }
  // Notes that a thread of `process`, which is this one, is about to end with this status. Any thread; makes no system
  // call.
  static void noteThreadExit(uint32_t process, int status);
  // The exit code, as wait() returns it, of a process in which only our threads are left. Since Linux 6.0 it is that of
  // the thread that ended last, if that was noted; otherwise the main thread's, or 0 if the system does not report it.
  static uint32_t exitCode();
  // Called when the calling thread and all of ours are about to end: the last one ends the process, with that code.
  static void endLike(uint32_t code);

  uint32_t user() const { return now_.users[1]; }
  uint32_t group() const { return now_.groups[1]; }

private:
  struct Rights {
    uint32_t users[4], groups[4]; // real, effective, saved, file system
    uint32_t more[kMaxGroups];
    uint32_t moreCount;
    uint64_t inheritable, permitted, effective;
    bool noNewPrivileges, mainHasEnded;
    uint32_t threads; // of the process; the main one counts until all have ended
  };
  static bool read(uint32_t thread, Rights &rights);
  // Whether both have the same rights, apart from `no_new_privs`.
  bool isSameUser() const;

  bool isOn_ = false, isKnown_ = false;
  uint32_t self_ = 0; // the thread of start()
  uint64_t lookedNs_ = 0;
  Rights own_ = {}, now_ = {};
};

} // namespace ada::runtime
