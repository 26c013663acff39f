// Switches a thread between the fibers that it records for.
//
// What moves records runs with signals blocked, so a handler finds the AdaThread of one stack or of the other, and
// under the start mutex, which is handled at fork. Between two stacks that have recorded nothing only a pointer
// changes.
#include "fibers.h"
#include "context_stack.h"
#include "recorder.h"

#include <ada/trace.h>

struct ada_fiber {
  // A signal handler on an alternate stack has called setjmp. Until its stack runs by itself:
  enum class Handler : uint8_t { None, MayRun, Over };

  AdaThread state;                        // while it is not running
  ada_fiber *next, *previous;             // in the list of all fibers; next also in the list of unused ones
  uint64_t stack;                         // an address in its stack, which was in use; 0: none is known
  uint64_t signalStack, signalStackBytes; // if it is an alternate stack
  AdaThread *owner;                       // the thread whose own stack it is, if it is one
  void *within;                           // of a Handler: the token of the stack whose calls it is inside of
  uint32_t processId;                     // the process whose ring it records to
  Handler handler;
  bool wasLeft;  // no thread runs it
  bool isEnding; // it ends when it is left
  char name[16]; // empty: it gets a number

  bool covers(uint64_t address) const { return address - signalStack < signalStackBytes; }
};

namespace ada::runtime {
namespace {

using Handler = ada_fiber::Handler;

constexpr AdaThread kNothing = {kPositionParked, 0, kPositionParked, nullptr, nullptr, 0, 0, 0, nullptr, false};
constexpr uintptr_t kNoRow = 2;

ada_fiber *fibers, *unused; // guarded by the start mutex
uint32_t numbered;
uint32_t runningHandlers; // fibers with Handler::MayRun

struct Switching {
  struct Copy {
    Copy() { separateCopiedProcess(); } // its fibers have no rows yet
  } copy;
  SignalsBlocked<> blocked;
  Lock lock{recorder.startMutex};
};

//===--- fibers -----------------------------------------------------------===//

ada_fiber *take(bool isFiber) {
  if (!unused) {
    constexpr size_t kBytes = 65536;
    auto *some = static_cast<ada_fiber *>(sys::mapMemory(kBytes));
    for (size_t i = 0; some && i < kBytes / sizeof *some; ++i)
      some[i].next = unused, unused = some + i;
  }
  ada_fiber *f = unused;
  if (!f)
    return nullptr;
  unused = f->next;
  *f = {};
  f->state = kNothing;
  f->state.isFiber = isFiber;
  f->processId = recorder.processId;
  f->next = fibers;
  if (fibers)
    fibers->previous = f;
  __atomic_store_n(&fibers, f, __ATOMIC_RELAXED);
  return f;
}

void setHandler(ada_fiber *f, Handler handler) {
  __atomic_add_fetch(&runningHandlers, (handler == Handler::MayRun) - (f->handler == Handler::MayRun),
                     __ATOMIC_RELAXED);
  f->handler = handler;
}

void giveBack(ada_fiber *f) {
  setHandler(f, Handler::None);
  if (f->owner)
    f->owner->own = nullptr;
  __atomic_store_n(f->previous ? &f->previous->next : &fibers, f->next, __ATOMIC_RELAXED);
  if (f->next)
    f->next->previous = f->previous;
  f->next = unused, unused = f;
}

// Replaces the thread's state by that of another stack, except for what belongs to the thread itself.
void install(AdaThread &t, const AdaThread &state) {
  const AdaThread before = t;
  t = state;
  t.busy = before.busy, t.exitRounds = before.exitRounds, t.isWatched = before.isWatched;
  t.own = before.own, t.token = nullptr;
  t.hasSignalStack = before.hasSignalStack;
  t.signalStack = before.signalStack, t.signalStackBytes = before.signalStackBytes;
}

// Nothing more will be recorded with this state.
void end(AdaThread &state, uint32_t processId) {
  if (state.slot && processId == recorder.processId)
    __atomic_store_n(&state.slot->state, ADA_THREAD_ENDED, __ATOMIC_RELEASE);
  forgetLostCalls(state);
}

// Ends a fiber that was left.
void endLeft(ada_fiber *f) {
  end(f->state, f->processId);
  giveBack(f);
}

ada_fiber *current(AdaThread &t) {
  if (t.fiber)
    return t.fiber;
  t.fiber = take(t.isFiber);
  if (t.fiber && !t.isFiber)
    t.fiber->owner = &t, t.own = t.fiber;
  return t.fiber;
}

// Takes the thread's state away and keeps it. `stack`: an address in the stack that the thread leaves, or 0 if it has
// left that stack already. Returns the fiber that the state belongs to. If there is no memory for it, the fiber ends,
// and null is returned.
ada_fiber *leave(AdaThread &t, uint64_t stack) {
  ada_fiber *f = current(t);
  if (!f || f->isEnding) {
    end(t, recorder.processId);
    if (f)
      giveBack(f);
    f = nullptr;
  } else {
    f->state = t;
    f->processId = recorder.processId;
    f->stack = stack ? stack : f->stack;
    f->wasLeft = true;
  }
  install(t, kNothing);
  t.isFiber = true;
  return f;
}

// The thread, which is on no stack that has recorded anything, continues with a fiber that was left. If the fiber was
// not left, it continues with none: then the program switches unseen, and what runs gets its own row.
void goOn(AdaThread &t, ada_fiber *f) {
  t.isFiber = true;
  if (!f->wasLeft)
    return;
  const bool isFiber = f->state.isFiber;
  if (f->processId == recorder.processId)
    install(t, f->state);
  else // a forked child has no ring yet
    forgetLostCalls(f->state);
  f->state = kNothing;
  f->state.isFiber = isFiber;
  f->processId = recorder.processId;
  f->wasLeft = false;
  setHandler(f, Handler::None);
  t.fiber = f;
  t.isFiber = isFiber;
}

//===--- tokens -----------------------------------------------------------===//

bool isFiber(void *token) { return token && !(reinterpret_cast<uintptr_t>(token) & 3); }
bool hasNoRow(void *token) { return reinterpret_cast<uintptr_t>(token) == kNoRow; }
void *ownToken(AdaThread &t) { return reinterpret_cast<char *>(&t) + 1; }
// The token of the stack whose calls the thread records, as far as it has one already.
void *tokenOf(AdaThread &t) { return t.fiber ? t.fiber : t.isFiber ? reinterpret_cast<void *>(kNoRow) : ownToken(t); }

// The fiber of a token; null if it has none.
ada_fiber *fiberOf(const AdaThread &t, void *token) {
  if (isFiber(token))
    return static_cast<ada_fiber *>(token);
  if (hasNoRow(token))
    return nullptr;
  return token ? reinterpret_cast<AdaThread *>(static_cast<char *>(token) - 1)->own : t.own;
}

bool isOwn(AdaThread &t, void *token) { return !token || token == ownToken(t); }

// Whether the calls of the stack with that token are those that the thread records.
bool isHere(AdaThread &t, void *token) {
  if (hasNoRow(token))
    return !t.slot && !t.fiber && t.isFiber;
  const ada_fiber *f = fiberOf(t, token);
  return f ? f == t.fiber : isOwn(t, token) && !t.fiber && !t.isFiber;
}

// Where the calls of the stack with that token are recorded. Those of a handler that may still run are among the calls
// that it is inside of, if these were not left for another handler's sake.
void *rowOf(AdaThread &t, void *token) {
  auto *f = isFiber(token) ? static_cast<ada_fiber *>(token) : nullptr;
  if (!f || f->handler != Handler::MayRun)
    return token;
  const ada_fiber *outer = fiberOf(t, f->within);
  return isHere(t, f->within) || (outer && outer->wasLeft) ? f->within : token;
}

bool hasNothing(const AdaThread &t) { return !t.slot && !t.lostCalls.any() && !t.lostCalls.more; }

// Control has come to the stack of a token. `isOver`: the present stack, if it is another one, has ended.
ADA_ANY_STACK __attribute__((noinline)) void arrive(AdaThread &t, void *token, bool isOver) {
  token = rowOf(t, token);
  if (isHere(t, token))
    return;
  ada_fiber *to = fiberOf(t, token), *from = t.fiber;
  const bool ends = from && (isOver || from->isEnding);
  if (hasNothing(t) && !ends && (!to || (to->wasLeft && hasNothing(to->state) && to->handler == Handler::None))) {
    if (from)
      from->wasLeft = true;
    if (to)
      to->wasLeft = false;
    t.fiber = to, t.token = nullptr;
    t.isFiber = to ? to->state.isFiber : !isOwn(t, token);
    return;
  }
  Switching switching;
  if (!isOver && (from || !t.isFiber)) {
    leave(t, 0);
  } else { // no token of it is left
    end(t, recorder.processId);
    if (t.fiber)
      giveBack(t.fiber);
    install(t, kNothing);
  }
  t.isFiber = !isOwn(t, token);
  if (to)
    goOn(t, to);
}

// The handlers inside of the calls that the thread records are over, unless they run on a stack with that address.
void noteHandlersOver(AdaThread &t, uint64_t sp) {
  if (!__atomic_load_n(&runningHandlers, __ATOMIC_RELAXED))
    return;
  Switching switching;
  for (ada_fiber *f = fibers; f; f = f->next)
    if (f->handler == Handler::MayRun && isHere(t, f->within) && !f->covers(sp))
      setHandler(f, Handler::Over);
}

// The token of a handler that runs on the thread's alternate stack. Other stacks in the same memory have ended.
void *handlerToken(AdaThread &t, uint64_t sp) {
  Switching switching;
  void *within = t.fiber ? t.fiber : t.isFiber ? current(t) : ownToken(t);
  ada_fiber *found = nullptr;
  for (ada_fiber *f = fibers, *next; f; f = next) {
    next = f->next;
    if (f == t.fiber || !f->wasLeft || f->stack - t.signalStack >= t.signalStackBytes)
      continue;
    if (f->handler != Handler::None && !found)
      found = f;
    else
      endLeft(f);
  }
  if (!found)
    found = take(/*isFiber=*/true);
  if (!found)
    return within;
  found->stack = sp;
  found->signalStack = t.signalStack, found->signalStackBytes = t.signalStackBytes;
  found->within = within;
  found->wasLeft = true;
  setHandler(found, Handler::MayRun);
  return found;
}

uint64_t here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

ADA_ANY_STACK __attribute__((noinline)) void *findToken(AdaThread &t) {
  const uint64_t sp = here();
  if (sp - t.signalStack >= t.signalStackBytes)
    noteHandlersOver(t, sp);
  else if (!t.fiber || !t.fiber->covers(sp))
    return handlerToken(t, sp);
  if (t.isFiber && !t.fiber) {
    Switching switching;
    current(t);
  }
  if (t.fiber && t.fiber->stack == 0)
    t.fiber->stack = sp;
  void *token = tokenOf(t);
  if (t.signalStackBytes == 0)
    t.token = token;
  return token;
}

} // namespace

void markFiber(AdaThread &t) {
  if (!t.isFiber)
    return;
  t.slot->stack_low = ADA_STACK_OF_FIBER;
  Text<sizeof ada_ring_thread::name> name;
  if (t.fiber && t.fiber->name[0])
    name << t.fiber->name;
  else
    name << "fiber " << __atomic_add_fetch(&numbered, 1, __ATOMIC_RELAXED);
  __builtin_memcpy(t.slot->name, name.c_str(), name.size() + 1);
}

void endFibers(AdaThread &t) {
  if (!t.fiber && !t.own && !__atomic_load_n(&runningHandlers, __ATOMIC_RELAXED))
    return;
  Lock lock(recorder.startMutex);
  for (ada_fiber *f = fibers; f; f = f->next)
    if (f->handler == Handler::MayRun && isHere(t, f->within))
      setHandler(f, Handler::Over); // its stack may still run, in another thread
  if (t.fiber)
    giveBack(t.fiber);
  if (t.own && t.own->wasLeft)
    endLeft(t.own);
  else if (t.own)
    t.own->owner = nullptr;
  t.fiber = t.own = nullptr, t.token = nullptr;
}

void startAnew(AdaThread &t) {
  forgetLostCalls(t);
  const AdaThread before = t;
  install(t, kNothing);
  t.fiber = before.fiber, t.isFiber = before.isFiber;
  t.busy = t.exitRounds = 0;
}

} // namespace ada::runtime

using namespace ada::runtime;

extern "C" {

ADA_ANY_STACK void *__ada_fiber_leave(void) {
  AdaThread &t = ada_thread;
  noteHandlersOver(t, here());
  if (hasNothing(t) && !(t.fiber && t.fiber->isEnding)) {
    void *token = tokenOf(t);
    if (t.fiber)
      t.fiber->stack = here(), t.fiber->wasLeft = true;
    t.isFiber = true;
    t.fiber = nullptr, t.token = nullptr;
    return token;
  }
  Switching switching;
  void *f = leave(t, here());
  return f ? f : reinterpret_cast<void *>(kNoRow);
}

void *__ada_fiber_current(void) {
  AdaThread &t = ada_thread;
  return __builtin_expect(t.token != nullptr, 1) ? t.token : findToken(t);
}

void __ada_fiber_resume(void *token) { arrive(ada_thread, token, /*isOver=*/true); }

void __ada_fiber_land(void *token) {
  AdaThread &t = ada_thread;
  if (token != t.token)
    arrive(t, token, /*isOver=*/false);
}

ADA_ANY_STACK void __ada_fiber_make(const void *context) {
  if (!__atomic_load_n(&fibers, __ATOMIC_RELAXED))
    return;
  Switching switching;
  for (ada_fiber *f = fibers, *next; f; f = next) {
    next = f->next;
    if (f->wasLeft && isOnStackOf(context, f->stack))
      endLeft(f);
  }
}

ADA_ANY_STACK void __ada_before_signal_stack(void) {
  AdaThread &t = ada_thread;
  noteHandlersOver(t, here());
  t.hasSignalStack = true;
  t.stack = 0; // the next call checks it
}

ADA_ANY_STACK void __ada_after_signal_stack(void) {
  AdaThread &t = ada_thread;
  stack_t now = {};
  const bool isKnown = sys::call(SYS_sigaltstack, nullptr, &now) == 0 && !(now.ss_flags & SS_DISABLE);
  t.signalStackBytes = isKnown ? now.ss_size : 0;
  t.signalStack = reinterpret_cast<uint64_t>(now.ss_sp);
  t.token = nullptr;
}

ADA_ANY_STACK ada_fiber *ada_fiber_create(const char *name) {
  Switching switching;
  ada_fiber *f = take(/*isFiber=*/true);
  if (!f)
    return nullptr;
  for (size_t i = 0; name && name[i] && i < sizeof f->name - 1; ++i)
    f->name[i] = name[i];
  f->wasLeft = true;
  return f;
}

ADA_ANY_STACK ada_fiber *ada_fiber_current(void) {
  AdaThread &t = ada_thread;
  if (t.fiber)
    return t.fiber;
  Switching switching;
  t.token = nullptr;
  return current(t);
}

ADA_ANY_STACK void ada_fiber_switch(ada_fiber *to) {
  AdaThread &t = ada_thread;
  if (!to || to == t.fiber)
    return;
  Switching switching;
  if (!to->wasLeft)
    return;
  leave(t, here());
  goOn(t, to);
}

ADA_ANY_STACK void ada_fiber_end(ada_fiber *f) {
  if (!f)
    return;
  Switching switching;
  f->isEnding = true;
  if (f->wasLeft)
    endLeft(f);
}
}
