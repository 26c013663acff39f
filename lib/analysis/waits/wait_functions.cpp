// The table of library functions that wait, wake or own.
#include "wait_functions.h"

#include "shared/select/function_glob.h"
#include "shared/select/system_path.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace ada::analysis {

std::string_view waitKindName(WaitKind kind) {
  static constexpr std::string_view kNames[] = {"mutex", "rwlock",     "spin lock", "condition", "semaphore", "barrier",
                                                "futex", "once",       "join",      "process",   "pipe",      "socket",
                                                "file",  "descriptor", "poll",      "queue",     "signal",    "sleep",
                                                "call",  "own",        "recorder",  "unknown"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

using enum WaitAction;

struct Row {
  std::string_view name;
  WaitFunction function;
  bool isPlain = false; // a name that programs use, too
};

constexpr WaitFunction sleeps(SleepTime time) { return {.kind = WaitKind::Sleep, .action = Block, .sleeps = time}; }

constexpr bool kTimed = true, kCxx = true, kPlain = true;

// Sorted by name.
constexpr Row kRows[] = {
    {"accept", {WaitKind::Socket, Accept}, kPlain},
    {"accept4", {WaitKind::Socket, Accept}, kPlain},
    {"call_once", {WaitKind::Once, Block}},
    {"clock_nanosleep", sleeps(SleepTime::ClockTimespec)},
    {"close", {WaitKind::Descriptor, Close}, kPlain},
    {"cnd_broadcast", {WaitKind::Condition, Wake}},
    {"cnd_init", {WaitKind::Condition, Init}},
    {"cnd_signal", {WaitKind::Condition, Wake}},
    {"cnd_timedwait", {WaitKind::Condition, WaitUnlocked, 0, kTimed}},
    {"cnd_wait", {WaitKind::Condition, WaitUnlocked}},
    {"connect", {WaitKind::Socket, Read}, kPlain},
    {"copy_file_range", {WaitKind::File, Block}},
    {"creat", {WaitKind::File, Open}, kPlain},
    {"epoll_ctl", {WaitKind::Poll, Watch}},
    {"epoll_pwait", {WaitKind::Poll, Poll}},
    {"epoll_wait", {WaitKind::Poll, Poll}},
    {"eventfd", {WaitKind::Descriptor, Open}, kPlain},
    {"fclose", {WaitKind::File, Block}},
    {"fdatasync", {WaitKind::File, Block}},
    {"fflush", {WaitKind::File, Block}},
    {"fgetc", {WaitKind::File, Block}},
    {"fgets", {WaitKind::File, Block}},
    {"flock", {WaitKind::File, Block}},
    {"fopen", {WaitKind::File, Block}},
    {"fprintf", {WaitKind::File, Block}},
    {"fputs", {WaitKind::File, Block}},
    {"fread", {WaitKind::File, Block}},
    {"fsync", {WaitKind::File, Block}},
    {"fwrite", {WaitKind::File, Block}},
    {"getaddrinfo", {WaitKind::Socket, Block}},
    {"getline", {WaitKind::File, Block}, kPlain},
    {"lockf", {WaitKind::File, Block}},
    {"mq_receive", {WaitKind::Queue, Await}},
    {"mq_send", {WaitKind::Queue, Wake}},
    {"mq_timedreceive", {WaitKind::Queue, Await, 0, kTimed}},
    {"mq_timedsend", {WaitKind::Queue, Wake}},
    {"msgrcv", {WaitKind::Queue, Await}},
    {"msgsnd", {WaitKind::Queue, Wake}},
    {"msync", {WaitKind::File, Block}},
    {"mtx_init", {WaitKind::Mutex, Init}},
    {"mtx_lock", {WaitKind::Mutex, Lock}},
    {"mtx_timedlock", {WaitKind::Mutex, Lock, 0, kTimed}},
    {"mtx_trylock", {WaitKind::Mutex, TryLock}},
    {"mtx_unlock", {WaitKind::Mutex, Unlock}},
    {"nanosleep", sleeps(SleepTime::Timespec)},
    {"open", {WaitKind::File, Open}, kPlain},
    {"openat", {WaitKind::File, Open}, kPlain},
    {"pause", {WaitKind::Signal, Block}, kPlain},
    {"pipe", {WaitKind::Pipe, OpenPipe}, kPlain},
    {"pipe2", {WaitKind::Pipe, OpenPipe}},
    {"poll", {WaitKind::Poll, Block}, kPlain},
    {"ppoll", {WaitKind::Poll, Block}},
    {"pread", {WaitKind::File, Read}, kPlain},
    {"preadv", {WaitKind::File, Read}},
    {"preadv2", {WaitKind::File, Read}},
    {"pselect", {WaitKind::Poll, Block}},
    {"pthread_barrier_init", {WaitKind::Barrier, Init}},
    {"pthread_barrier_wait", {WaitKind::Barrier, Arrive}},
    {"pthread_clockjoin_np", {WaitKind::Join, Join, 0, kTimed}},
    {"pthread_cond_broadcast", {WaitKind::Condition, Wake}},
    {"pthread_cond_clockwait", {WaitKind::Condition, WaitUnlocked, 0, kTimed}},
    {"pthread_cond_init", {WaitKind::Condition, Init}},
    {"pthread_cond_signal", {WaitKind::Condition, Wake}},
    {"pthread_cond_timedwait", {WaitKind::Condition, WaitUnlocked, 0, kTimed}},
    {"pthread_cond_wait", {WaitKind::Condition, WaitUnlocked}},
    {"pthread_create", {WaitKind::Join, StartThread}},
    {"pthread_join", {WaitKind::Join, Join}},
    {"pthread_mutex_clocklock", {WaitKind::Mutex, Lock, 0, kTimed}},
    {"pthread_mutex_init", {WaitKind::Mutex, Init}},
    {"pthread_mutex_lock", {WaitKind::Mutex, Lock}},
    {"pthread_mutex_timedlock", {WaitKind::Mutex, Lock, 0, kTimed}},
    {"pthread_mutex_trylock", {WaitKind::Mutex, TryLock}},
    {"pthread_mutex_unlock", {WaitKind::Mutex, Unlock}},
    {"pthread_once", {WaitKind::Once, Block}},
    {"pthread_rwlock_clockrdlock", {WaitKind::RwLock, ReadLock, 0, kTimed}},
    {"pthread_rwlock_clockwrlock", {WaitKind::RwLock, Lock, 0, kTimed}},
    {"pthread_rwlock_init", {WaitKind::RwLock, Init}},
    {"pthread_rwlock_rdlock", {WaitKind::RwLock, ReadLock}},
    {"pthread_rwlock_timedrdlock", {WaitKind::RwLock, ReadLock, 0, kTimed}},
    {"pthread_rwlock_timedwrlock", {WaitKind::RwLock, Lock, 0, kTimed}},
    {"pthread_rwlock_tryrdlock", {WaitKind::RwLock, TryReadLock}},
    {"pthread_rwlock_trywrlock", {WaitKind::RwLock, TryLock}},
    {"pthread_rwlock_unlock", {WaitKind::RwLock, Unlock}},
    {"pthread_rwlock_wrlock", {WaitKind::RwLock, Lock}},
    {"pthread_spin_init", {WaitKind::SpinLock, Init}},
    {"pthread_spin_lock", {WaitKind::SpinLock, Lock}},
    {"pthread_spin_trylock", {WaitKind::SpinLock, TryLock}},
    {"pthread_spin_unlock", {WaitKind::SpinLock, Unlock}},
    {"pthread_timedjoin_np", {WaitKind::Join, Join, 0, kTimed}},
    {"pwrite", {WaitKind::File, Write}, kPlain},
    {"pwritev", {WaitKind::File, Write}},
    {"pwritev2", {WaitKind::File, Write}},
    {"read", {WaitKind::Descriptor, Read}, kPlain},
    {"readv", {WaitKind::Descriptor, Read}},
    {"recv", {WaitKind::Socket, Read}, kPlain},
    {"recvfrom", {WaitKind::Socket, Read}},
    {"recvmmsg", {WaitKind::Socket, Read}},
    {"recvmsg", {WaitKind::Socket, Read}},
    {"select", {WaitKind::Poll, Block}, kPlain},
    {"sem_clockwait", {WaitKind::Semaphore, Await, 0, kTimed}},
    {"sem_init", {WaitKind::Semaphore, Init}},
    {"sem_post", {WaitKind::Semaphore, Wake}},
    {"sem_timedwait", {WaitKind::Semaphore, Await, 0, kTimed}},
    {"sem_wait", {WaitKind::Semaphore, Await}},
    {"semop", {WaitKind::Semaphore, Block}},
    {"send", {WaitKind::Socket, Write}, kPlain},
    {"sendfile", {WaitKind::File, Block}},
    {"sendmmsg", {WaitKind::Socket, Write}},
    {"sendmsg", {WaitKind::Socket, Write}},
    {"sendto", {WaitKind::Socket, Write}},
    {"sigsuspend", {WaitKind::Signal, Block}},
    {"sigtimedwait", {WaitKind::Signal, Block}},
    {"sigwait", {WaitKind::Signal, Block}},
    {"sigwaitinfo", {WaitKind::Signal, Block}},
    {"sleep", sleeps(SleepTime::Seconds), kPlain},
    {"socket", {WaitKind::Socket, Open}, kPlain},
    {"socketpair", {WaitKind::Socket, OpenPair}},
    {"splice", {WaitKind::Pipe, Block}},
    {"std::_V2::condition_variable_any::notify_all", {WaitKind::Condition, Wake}},
    {"std::_V2::condition_variable_any::notify_one", {WaitKind::Condition, Wake}},
    {"std::__1::condition_variable::notify_all", {WaitKind::Condition, Wake}},
    {"std::__1::condition_variable::notify_one", {WaitKind::Condition, Wake}},
    {"std::__1::condition_variable::wait", {WaitKind::Condition, WaitUnlocked, 0, false, kCxx}},
    {"std::__1::mutex::lock", {WaitKind::Mutex, Lock}},
    {"std::__1::mutex::try_lock", {WaitKind::Mutex, TryLock}},
    {"std::__1::mutex::unlock", {WaitKind::Mutex, Unlock}},
    {"std::__1::this_thread::sleep_for", {WaitKind::Sleep, Block}},
    {"std::__1::thread::join", {WaitKind::Join, Join, 0, false, kCxx}},
    {"std::condition_variable::condition_variable", {WaitKind::Condition, Init}},
    {"std::condition_variable::notify_all", {WaitKind::Condition, Wake}},
    {"std::condition_variable::notify_one", {WaitKind::Condition, Wake}},
    {"std::condition_variable::wait", {WaitKind::Condition, WaitUnlocked, 0, false, kCxx}},
    {"std::this_thread::__sleep_for", {WaitKind::Sleep, Block}},
    {"std::thread::_M_start_thread", {WaitKind::Join, StartThread, 0, false, kCxx}},
    {"std::thread::join", {WaitKind::Join, Join, 0, false, kCxx}},
    {"sync_file_range", {WaitKind::File, Block}},
    {"syncfs", {WaitKind::File, Block}},
    {"syscall", {WaitKind::Futex, Syscall}},
    {"thrd_create", {WaitKind::Join, StartThread}},
    {"thrd_join", {WaitKind::Join, Join}},
    {"thrd_sleep", sleeps(SleepTime::Timespec)},
    {"usleep", sleeps(SleepTime::Microseconds)},
    {"wait", {WaitKind::Child, WaitChild}, kPlain},
    {"wait3", {WaitKind::Child, WaitChild}, kPlain},
    {"wait4", {WaitKind::Child, WaitChild}, kPlain},
    {"waitid", {WaitKind::Child, Block}},
    {"waitpid", {WaitKind::Child, WaitChild}},
    {"write", {WaitKind::Descriptor, Write}, kPlain},
    {"writev", {WaitKind::Descriptor, Write}},
};

constexpr bool isSorted() {
  for (size_t i = 1; i < std::size(kRows); ++i)
    if (!(kRows[i - 1].name < kRows[i].name))
      return false;
  return true;
}
static_assert(isSorted());

// Null if there is none.
const Row *rowOf(std::string_view name) {
  const auto row = std::ranges::lower_bound(kRows, name, {}, &Row::name);
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

} // namespace

bool isLock(WaitKind kind) { return kind == WaitKind::Mutex || kind == WaitKind::RwLock || kind == WaitKind::SpinLock; }

bool isIo(WaitKind kind) {
  return kind == WaitKind::Pipe || kind == WaitKind::Socket || kind == WaitKind::File || kind == WaitKind::Descriptor;
}

bool canWait(WaitAction action) {
  switch (action) {
  case WaitAction::Lock:
  case WaitAction::ReadLock:
  case WaitAction::WaitUnlocked:
  case WaitAction::Await:
  case WaitAction::Arrive:
  case WaitAction::Join:
  case WaitAction::Accept:
  case WaitAction::Read:
  case WaitAction::Write:
  case WaitAction::Poll:
  case WaitAction::Block:
  case WaitAction::WaitChild:
    return true;
  default:
    return false;
  }
}

WaitFunction waitFunctionOf(const model::Function &function) {
  std::string_view name = function.displayName.empty() ? function.name : function.displayName;
  // uftrace names calls through the procedure linkage table like the function; other tools add "@plt".
  name = name.substr(0, name.find('@'));
  name = name.substr(0, select::lengthWithoutParameters({name.data(), name.size()}));
  const Row *row = rowOf(name);
  if (!row && name.ends_with("64")) // with large files
    row = rowOf(name.substr(0, name.size() - 2));
  if (!row && name.starts_with("__") && name.ends_with("_chk")) // with checks of buffers' sizes
    row = rowOf(name.substr(2, name.size() - 6));
  if (!row || (row->isPlain && !function.isExternal && !function.file.empty()))
    return {};
  return row->function;
}

bool isOfLibrary(const model::Function &function) {
  return function.isExternal || function.displayName.starts_with("std::") ||
         select::isSystemPath({function.file.data(), function.file.size()}) ||
         waitFunctionOf(function).action != WaitAction::None;
}

WaitFunction futexFunction(uint64_t operation) {
  switch (operation & 0x7f) { // without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
  case 0:                     // FUTEX_WAIT
  case 9:                     // FUTEX_WAIT_BITSET
  case 11:                    // FUTEX_WAIT_REQUEUE_PI
    return {WaitKind::Futex, Await};
  case 1:  // FUTEX_WAKE
  case 3:  // FUTEX_REQUEUE
  case 4:  // FUTEX_CMP_REQUEUE
  case 5:  // FUTEX_WAKE_OP
  case 10: // FUTEX_WAKE_BITSET
    return {WaitKind::Futex, Wake};
  case 6:  // FUTEX_LOCK_PI
  case 13: // FUTEX_LOCK_PI2
    return {WaitKind::Futex, Lock};
  case 7: // FUTEX_UNLOCK_PI
    return {WaitKind::Futex, Unlock};
  default:
    return {};
  }
}

bool isFutexCall(uint64_t number, uint8_t arch) { return number == (arch == 1 ? 202u : 98u); }

} // namespace ada::analysis
