// Switches a thread between the fibers that it records for.
//
// All of it runs with signals blocked, so a handler finds the AdaThread of one stack or of the other, and under the
// start mutex, which is handled at fork.
#include "fibers.h"
#include "context_stack.h"
#include "core/session/session.h"

#include <ada/trace.h>

struct ada_fiber {
  AdaThread state;            // while it is not running
  ada_fiber *next, *previous; // in the list of fibers that were left; next also in the list of unused ones
  uint64_t stack;             // an address in its stack at the point where it was left; 0 if it never ran
  uint32_t processId;         // the process whose ring it records to
  bool wasLeft;
  bool isEnding; // it ends when it is left
  char name[16]; // empty: it gets a number
};

namespace ada {
namespace {

constexpr AdaThread kNothing = {kPositionParked, 0, kPositionParked, nullptr, nullptr, 0, 0, 0, nullptr, false};

ada_fiber *leftOnes, *unused; // guarded by the start mutex
uint32_t numbered;

struct Switching {
  SignalsBlocked<> blocked;
  Lock lock{runtime.startMutex};
};

ada_fiber *take() {
  if (!unused) {
    constexpr size_t kBytes = 65536;
    auto *some = static_cast<ada_fiber *>(sys::mapMemory(kBytes));
    for (size_t i = 0; some && i < kBytes / sizeof *some; ++i)
      some[i].next = unused, unused = some + i;
  }
  ada_fiber *f = unused;
  if (f) {
    unused = f->next;
    *f = {};
    f->state = kNothing;
    f->processId = runtime.processId;
  }
  return f;
}

void giveBack(ada_fiber *f) { f->next = unused, unused = f; }

void link(ada_fiber *f) {
  f->wasLeft = true;
  f->previous = nullptr, f->next = leftOnes;
  if (leftOnes)
    leftOnes->previous = f;
  leftOnes = f;
}

void unlink(ada_fiber *f) {
  f->wasLeft = false;
  (f->previous ? f->previous->next : leftOnes) = f->next;
  if (f->next)
    f->next->previous = f->previous;
}

// Replaces the thread's state by that of another stack, except for what belongs to the thread itself.
void install(AdaThread &t, const AdaThread &state) {
  const uint32_t busy = t.busy, exitRounds = t.exitRounds;
  const bool isWatched = t.isWatched;
  t = state;
  t.busy = busy, t.exitRounds = exitRounds, t.isWatched = isWatched;
}

// Nothing more will be recorded with this state.
void end(AdaThread &state, uint32_t processId) {
  if (state.slot && processId == runtime.processId)
    __atomic_store_n(&state.slot->state, ADA_THREAD_ENDED, __ATOMIC_RELEASE);
  forgetLostCalls(state);
}

ada_fiber *current(AdaThread &t) {
  if (!t.fiber)
    t.fiber = take();
  return t.fiber;
}

// Takes the thread's state away and keeps it. Returns the fiber it belongs to; null if there is no memory, and then the
// fiber has ended.
ada_fiber *leave(AdaThread &t) {
  ada_fiber *f = current(t);
  if (!f || f->isEnding) {
    end(t, runtime.processId);
    if (f)
      giveBack(f);
    f = nullptr;
  } else {
    f->state = t;
    f->processId = runtime.processId;
    f->stack = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    link(f);
  }
  install(t, kNothing);
  t.isFiber = true;
  return f;
}

// The thread continues with a fiber that was left. If the fiber was not left, it continues with none: then the program
// switches unseen, and what runs gets its own row.
void goOn(AdaThread &t, ada_fiber *f) {
  if (!f->wasLeft)
    return;
  unlink(f);
  bool isOurs = f->processId == runtime.processId; // a forked child has no ring yet
  bool isFiber = f->state.isFiber;
  install(t, isOurs ? f->state : kNothing);
  t.fiber = f;
  t.isFiber = isFiber;
  f->processId = runtime.processId;
}

} // namespace

void nameFiber(AdaThread &t) {
  if (!t.isFiber)
    return;
  Text<sizeof ada_ring_thread::name> name;
  if (t.fiber && t.fiber->name[0])
    name << t.fiber->name;
  else
    name << "fiber " << __atomic_add_fetch(&numbered, 1, __ATOMIC_RELAXED);
  __builtin_memcpy(t.slot->name, name.c_str(), name.size() + 1);
}

void freeFiber(AdaThread &t) {
  if (!t.fiber)
    return;
  Lock lock(runtime.startMutex);
  giveBack(t.fiber);
  t.fiber = nullptr;
}

} // namespace ada

using namespace ada;

extern "C" {

ADA_ANY_STACK void *__ada_fiber_leave(void) {
  AdaThread &t = ada_thread;
  if (!t.slot && !t.fiber) { // nothing to keep
    t.isFiber = true;
    return nullptr;
  }
  Switching switching;
  return leave(t);
}

ADA_ANY_STACK void *__ada_fiber_current(void) {
  AdaThread &t = ada_thread;
  if (!t.slot || t.fiber)
    return t.fiber;
  Switching switching;
  return current(t);
}

ADA_ANY_STACK void __ada_fiber_resume(void *token) {
  AdaThread &t = ada_thread;
  auto *to = static_cast<ada_fiber *>(token);
  if (t.fiber == to && (to || !t.slot)) {
    if (!to)
      t.isFiber = false;
    return;
  }
  Switching switching;
  end(t, runtime.processId);
  if (t.fiber)
    giveBack(t.fiber);
  install(t, kNothing);
  if (to)
    goOn(t, to);
}

ADA_ANY_STACK void __ada_fiber_make(const void *context) {
  if (!__atomic_load_n(&leftOnes, __ATOMIC_RELAXED))
    return;
  Switching switching;
  for (ada_fiber *f = leftOnes, *next; f; f = next) {
    next = f->next;
    if (!isOnStackOf(context, f->stack))
      continue;
    unlink(f);
    end(f->state, f->processId);
    giveBack(f);
  }
}

ADA_ANY_STACK ada_fiber *ada_fiber_create(const char *name) {
  Switching switching;
  ada_fiber *f = take();
  if (!f)
    return nullptr;
  f->state.isFiber = true;
  for (size_t i = 0; name && name[i] && i < sizeof f->name - 1; ++i)
    f->name[i] = name[i];
  link(f);
  return f;
}

ADA_ANY_STACK ada_fiber *ada_fiber_current(void) {
  AdaThread &t = ada_thread;
  if (t.fiber)
    return t.fiber;
  Switching switching;
  return current(t);
}

ADA_ANY_STACK void ada_fiber_switch(ada_fiber *to) {
  AdaThread &t = ada_thread;
  if (!to || to == t.fiber)
    return;
  Switching switching;
  if (!to->wasLeft)
    return;
  leave(t);
  goOn(t, to);
}

ADA_ANY_STACK void ada_fiber_end(ada_fiber *f) {
  if (!f)
    return;
  Switching switching;
  f->isEnding = true;
  if (!f->wasLeft)
    return;
  unlink(f);
  end(f->state, f->processId);
  giveBack(f);
}
}
