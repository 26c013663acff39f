// What library functions do when threads wait for each other, by name.
#pragma once

#include "ada/trace/model.h"

#include <cstdint>
#include <string_view>

namespace ada::analysis {

/// The kind of object that is waited for.
enum class WaitKind : uint8_t {
  Mutex,
  RwLock,
  SpinLock,
  Condition,
  Semaphore,
  Barrier,
  Futex, ///< the basis of C++'s atomic wait, latch, barrier and counting_semaphore
  Once,
  Join,
  Child, ///< a process
  Pipe,
  Socket,
  File,
  Descriptor, ///< opened before the trace, or elsewhere
  Poll,
  Queue,
  Signal,
  Sleep,
  Library, ///< in another library function
  Own,     ///< in the program's own code, or in untraced code that it calls
  // Not waits of the program, or perhaps not:
  Recorder, ///< the recorder held it up
  Unknown,  ///< the scheduling records of this time were lost
};

/// "mutex", "spin lock", …: what commands print.
std::string_view waitKindName(WaitKind kind);

enum class WaitAction : uint8_t {
  None,
  Init,    ///< the object begins to exist
  Lock,    ///< owns the object when it returns
  TryLock, ///< the same, without waiting
  ReadLock,
  TryReadLock,
  Unlock,
  WaitUnlocked, ///< releases its second argument, a mutex, while it waits to be woken
  Await,        ///< waits to be woken
  Wake,         ///< wakes waiting threads
  Arrive,       ///< wakes threads and waits
  Join,
  StartThread,
  OpenPipe, ///< stores two descriptors where its last pointer leads
  OpenPair,
  Open,   ///< returns a descriptor
  Accept, ///< the same, and waits on its first argument
  Close,
  Read,
  Write,
  Poll,
  Watch,     ///< epoll_ctl
  Block,     ///< waits for no particular thread
  WaitChild, ///< waits for a process, and returns its number
  Syscall,   ///< the first argument says which
};

bool canWait(WaitAction action);
/// The owner of these is known; for the others, the thread that wakes.
bool isLock(WaitKind kind);
/// Files, sockets and whatever else has a descriptor.
bool isIo(WaitKind kind);

/// How a function is told for how long to sleep.
enum class SleepTime : uint8_t {
  Unknown,
  Seconds,       ///< its first argument
  Microseconds,  ///< likewise
  Timespec,      ///< where its first argument leads
  ClockTimespec, ///< where its third argument leads, unless the second one (flags) is not 0
};

struct WaitFunction {
  WaitKind kind = WaitKind::Library;
  WaitAction action = WaitAction::None;
  uint8_t object = 0;   ///< which argument is the object
  bool isTimed = false; ///< has a timeout, so it never deadlocks for good
  bool isCxx = false;   ///< of libstdc++: the second argument is a lock, the first may be an object around the real one
  SleepTime sleeps = SleepTime::Unknown;
};

/// What the function does in waits between threads; action None if nothing is known about it. Names that a program may
/// well use for its own functions (read, open) count for library functions only, or if no source file is known.
WaitFunction waitFunctionOf(const model::Function &function);

/// Whether it is not the program's own function: it is a library's, one that waits, or from the C++ library's headers.
bool isOfLibrary(const model::Function &function);

/// What a futex system call does; `operation` is its second argument.
WaitFunction futexFunction(uint64_t operation);
/// Whether the number is that of the futex system call. `arch`: ATF's code.
bool isFutexCall(uint64_t number, uint8_t arch);

} // namespace ada::analysis
