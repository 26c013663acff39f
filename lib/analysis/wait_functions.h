// What functions of libraries do when threads wait for each other, by name.
#ifndef ADA_LIB_ANALYSIS_WAIT_FUNCTIONS_H
#define ADA_LIB_ANALYSIS_WAIT_FUNCTIONS_H

#include "ada/trace/model.h"

#include <cstdint>
#include <string_view>

namespace ada::analysis {

/// What is waited for.
enum class WaitKind : std::uint8_t {
  Mutex,
  RwLock,
  SpinLock,
  Condition,
  Semaphore,
  Barrier,
  Futex, ///< what C++'s atomic wait, latch, barrier and counting_semaphore are made of
  Once,
  Join,
  Child, ///< a process
  Pipe,
  Socket,
  File,
  Descriptor, ///< one that was opened before the trace, or by somebody else
  Poll,
  Queue,
  Signal,
  Sleep,
  Library, ///< in another function of a library
  Own,     ///< in the program's own code, or in what it calls that is not traced
  // What is no waiting of the program's, or may be none:
  Recorder, ///< the recorder held it up
  Unknown,  ///< the system's records of this time were lost
};

/// "mutex", "spin lock", …: what commands print.
std::string_view waitKindName(WaitKind kind);

enum class WaitAction : std::uint8_t {
  None,
  Init,    ///< the object begins to exist
  Lock,    ///< owns the object when it returns
  TryLock, ///< the same, without waiting
  ReadLock,
  TryReadLock,
  Unlock,
  WaitUnlocked, ///< gives its second argument, a mutex, away while it waits for a wake
  Await,        ///< waits for a wake
  Wake,         ///< wakes who waits
  Arrive,       ///< both
  Join,
  StartThread,
  OpenPipe, ///< two descriptors, where its last pointer leads
  OpenPair,
  Open,   ///< returns a descriptor
  Accept, ///< the same, and waits at its first argument
  Close,
  Read,
  Write,
  Poll,
  Watch,   ///< epoll_ctl
  Block,   ///< waits for nobody in particular
  Syscall, ///< the first argument says what
};

bool canWait(WaitAction action);
/// Of these it is known who has it; of the others, who wakes.
bool isLock(WaitKind kind);

struct WaitFunction {
  WaitKind kind = WaitKind::Library;
  WaitAction action = WaitAction::None;
  std::uint8_t object = 0; ///< which argument it is
  bool isTimed = false;    ///< gives up after some time, so that no deadlock is one for good
  bool isCxx = false; ///< of libstdc++: its second argument is a lock, its first may be an object around the real one
};

/// What the function does for who waits; action None if nothing is known of it. Names that a program may well use for
/// functions of its own (read, open) count for functions of libraries only, or where no source is known.
WaitFunction waitFunctionOf(const model::Function &function);

/// Whether it is no function of the program's own: a library's, one that waits, or one of the C++ library's headers.
bool isOfLibrary(const model::Function &function);

/// What a futex system call does; `operation` is its second argument.
WaitFunction futexFunction(std::uint64_t operation);
/// Whether the number is that of the futex system call. `arch`: ATF's code.
bool isFutexCall(std::uint64_t number, std::uint8_t arch);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_WAIT_FUNCTIONS_H
