// Follows the calls of all threads, and what they do to locks, wakers and descriptors.
#include "wait_state.h"

#include <algorithm>
#include <cstring>

namespace ada::analysis {

namespace {

constexpr int32_t kOwnerDied = 130, kTimeout = 110; // EOWNERDEAD, ETIMEDOUT

// Eight bytes of the stack recorded with the event, if they are included.
std::optional<uint64_t> onStack(const atf::EventDetail &detail, uint64_t address) {
  const atf::FunctionPayload &event = detail.function;
  uint64_t value;
  if (address < event.sp || event.stack.size() < sizeof value || address - event.sp > event.stack.size() - sizeof value)
    return std::nullopt;
  std::memcpy(&value, event.stack.data() + (address - event.sp), sizeof value);
  return value;
}

// How long a call asks to sleep. Nothing if it sleeps until a time, or if the argument is not in the record.
std::optional<uint64_t> askedSleep(SleepTime time, const atf::EventDetail &detail) {
  constexpr uint64_t kSecondNs = 1'000'000'000, kMicrosecondNs = 1000;
  const std::array<uint64_t, 8> &registers = detail.function.registers;
  const auto timespecAt = [&](uint64_t address) -> std::optional<uint64_t> {
    const auto seconds = onStack(detail, address), ns = onStack(detail, address + sizeof(uint64_t));
    return seconds && ns ? std::optional(*seconds * kSecondNs + *ns) : std::nullopt;
  };
  switch (time) {
  case SleepTime::Seconds:
    return uint64_t{static_cast<uint32_t>(registers[0])} * kSecondNs;
  case SleepTime::Microseconds:
    return uint64_t{static_cast<uint32_t>(registers[0])} * kMicrosecondNs;
  case SleepTime::Timespec:
    return timespecAt(registers[0]);
  case SleepTime::ClockTimespec:
    return registers[1] == 0 ? timespecAt(registers[2]) : std::nullopt;
  case SleepTime::Unknown:
    break;
  }
  return std::nullopt;
}

} // namespace

struct WaitState::Reader {
  Reader(WaitState &state, uint32_t thread) : state(state), thread(thread), calls(*this, state.rules_, nullptr) {}
  void begin(uint64_t seq, const model::Event &call, bool shown, std::string &&) {
    state.begin(thread, seq, call, shown);
  }
  void end(const Span &span, bool, std::string &&) { state.end(thread, span); }

  WaitState &state;
  uint32_t thread;
  CallReader<Reader> calls;
};

// A wait is shown if its caller is, so library functions are followed whatever the filter.
static FilterOptions callersOnly(FilterOptions filter) {
  filter.noExternal = false;
  filter.minDurationNs = 0;
  filter.fromNs = 0, filter.toNs = ~uint64_t{0};
  return filter;
}

WaitState::WaitState(TraceTable &table, const FilterOptions &filter, WaitListener &listener)
    : table_(table), filter_(filter), listener_(listener), callFilter_(callersOnly(filter)), rules_(callFilter_, table),
      values_(table), threads_(table.threads.size()), readers_(table.threads.size()),
      unreadPipes_(table.processes.size()) {
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    threads_[i].lane = table.threads[i].offCpu.get();
    threads_[i].hasSched = threads_[i].lane && threads_[i].lane->isSchedKnown();
    threads_[i].offCpu = OffCpuFollower(threads_[i].lane, filter.fromNs, filter.toNs,
                                        2 * table.processOf(table.threads[i]).resolutionNs);
  }
}

WaitState::~WaitState() = default;

//===--- events -----------------------------------------------------------===//

void WaitState::take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
  const uint32_t thread = event.thread;
  ThreadState &state = threads_[thread];
  nowNs_ = std::max(event.timeNs, state.lastNs);
  event_ = &event, batch_ = &batch, seq_ = seq;
  listener_.beforeEvent(thread, nowNs_);
  account(thread, nowNs_);
  if (!readers_[thread])
    readers_[thread] = std::make_unique<Reader>(*this, thread);
  readers_[thread]->calls.take(seq, event, batch);
  const auto &extent = table_.threads[thread].extent;
  const bool isLast = extent && seq + 1 == extent->events;
  state.hasEnded = isLast && state.frames.empty();
  if (state.hasEnded) { // a session may have ten thousand threads, but few of them at a time
    readers_[thread].reset();
  } else if (isLast) {
    readers_[thread]->calls.shrink();
    state.frames.shrink_to_fit();
  }
  listener_.innermostChanged(thread, nowNs_);
  event_ = nullptr;
}

void WaitState::finish(const std::vector<uint64_t> &endsOfProcesses) {
  const auto endOf = [&](uint32_t thread) {
    return std::max(endsOfProcesses[processOf(thread)], threads_[thread].lastNs);
  };
  for (uint32_t i = 0; i < threads_.size(); ++i)
    listener_.beforeEvent(i, endOf(i));
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i].hasBegun || threads_[i].frames.empty())
      continue;
    nowNs_ = endOf(i);
    account(i, nowNs_);
  }
  for (uint32_t i = 0; i < threads_.size(); ++i)
    if (readers_[i])
      readers_[i]->calls.finish();
}

static bool isNext(uint64_t toNs, const OffCpu &off) { return off.fromNs <= toNs + kBetweenYieldsNs; }

void WaitFrame::takeReady(const OffCpu &off) {
  if (canWait(does.action)) {
    readyNs += off.durationNs();
    return;
  }
  if (!isNext(yieldedToNs, off))
    endYields(false);
  ++yields, yieldedNs += off.durationNs(), yieldedToNs = off.toNs;
}

void WaitFrame::takeWait(const OffCpu &off) {
  waitNs += off.durationNs(), wokenNs = off.toNs;
  endYields(isNext(yieldedToNs, off));
}

void WaitFrame::endYields(bool isWait) {
  if (isWait || yields >= kYieldsOfAWait)
    readyNs += yieldedNs;
  yields = yieldedNs = 0;
}

// Accounts for the time since the thread's last event, all of which was in its innermost call.
void WaitState::account(uint32_t thread, uint64_t ns) {
  ThreadState &state = threads_[thread];
  if (!state.hasBegun) {
    state.hasBegun = true;
    state.offCpu.skipTo(ns);
  } else if (!state.frames.empty()) {
    WaitFrame &frame = state.frames.back();
    const bool isSpin = frame.does.kind == WaitKind::SpinLock;
    uint64_t recorderNs = 0;
    state.offCpu.take(state.lastNs, ns, [&](const OffCpu &off) {
      if (off.why == OffCpu::Why::Waiting)
        frame.takeWait(off);
      else if (off.why == OffCpu::Why::Preempted)
        frame.takeReady(off);
      else if (off.why == OffCpu::Why::Recorder)
        recorderNs += off.durationNs();
      else if (off.why == OffCpu::Why::Unknown && !isSpin)
        (canWait(frame.does.action) && off.fromNs >= state.lane->knownToNs() && waitsBeyond(*state.lane)
             ? frame.waitNs
             : frame.unknownNs) += off.durationNs();
    });
    frame.recorderNs += recorderNs;
    if (canWait(frame.does.action) && (!state.hasSched || isSpin)) {
      const uint64_t from = std::max(state.lastNs, filter_.fromNs), to = std::min(ns, filter_.toNs);
      frame.untoldNs += to > from ? to - from - std::min(to - from, recorderNs) : 0;
    }
  }
  state.lastNs = ns;
}

bool WaitState::waitsBeyond(const OffCpuLane &lane) const {
  const std::span<const OffCpu> periods = lane.periods();
  return !periods.empty() && periods.back().why == OffCpu::Why::Waiting && periods.back().toNs == lane.knownToNs();
}

const WaitState::Known &WaitState::functionOf(uint32_t function) {
  if (function >= functions_.size())
    functions_.resize(function + size_t{1});
  if (!functions_[function])
    functions_[function] = {waitFunctionOf(table_.functions[function]), isOfLibrary(table_.functions[function])};
  return *functions_[function];
}

void WaitState::begin(uint32_t thread, uint64_t seq, const model::Event &call, bool shown) {
  ThreadState &state = threads_[thread];
  const bool isShownAbove = state.frames.empty() ? shown : state.frames.back().isShown;
  WaitFrame &frame = state.frames.emplace_back();
  frame.function = call.function;
  frame.beginNs = call.isEarlier ? call.timeNs : nowNs_;
  frame.beginSeq = seq;
  frame.isEarlier = call.isEarlier;
  const Known &known = functionOf(call.function);
  frame.does = known.does, frame.isLibrary = known.isLibrary;
  frame.isShown = frame.isLibrary ? isShownAbove : shown;
  const auto detail = event_ && !call.isEarlier ? values_.detailOf(call, *batch_) : std::nullopt;
  if (detail && state.stackTop < detail->function.sp)
    state.stackTop = detail->function.sp;
  if (frame.does.action == WaitAction::None)
    return;
  hasWaitFunctions_ = true;
  if (detail) {
    hasArguments_ = true;
    called(thread, state.frames.back(), *detail);
  }
  WaitFrame &now = state.frames.back();
  for (const uint32_t object : {now.object, now.mutex})
    if (object != kNobody)
      ++objects_[object].calls;
  if (!canWait(now.does.action))
    return;
  if (now.object != kNobody)
    objects_[now.object].waiters.push_back(thread);
  listener_.waitBegins(thread, nowNs_);
}

void WaitState::end(uint32_t thread, const Span &span) {
  ThreadState &state = threads_[thread];
  if (state.frames.empty())
    return;
  state.frames.back().endYields(false);
  if (state.frames.back().isPlain()) // nearly all calls
    return state.frames.pop_back();
  const WaitFrame frame = state.frames.back();
  for (const uint32_t object : {frame.object, frame.mutex})
    if (object != kNobody)
      --objects_[object].calls;
  std::optional<int32_t> result;
  if (event_ && span.how == SpanEnd::Return && span.endSeq == seq_)
    if (const auto detail = values_.detailOf(*event_, *batch_))
      result = static_cast<int32_t>(detail->function.registers[0]);

  WaitEnd over;
  over.thread = thread;
  over.endNs = nowNs_;
  over.isOpen = span.how == SpanEnd::Open;
  over.waitNs = frame.does.kind == WaitKind::SpinLock ? 0 : frame.waitNs;
  if (frame.untoldNs >= kShortestWaitNs || (over.isOpen && frame.does.action != WaitAction::None))
    over.waitNs += frame.untoldNs;
  if (frame.does.kind != WaitKind::SpinLock && (over.waitNs || !canWait(frame.does.action)))
    over.readyNs = frame.readyNs;
  if (over.waitNs + over.readyNs < filter_.minDurationNs)
    over.waitNs = over.readyNs = 0;
  const bool isWhole = !filter_.minDurationNs && !filter_.fromNs && filter_.toNs == ~uint64_t{0};
  over.hasWaited = over.waitNs || over.readyNs || (over.isOpen && isWhole && canWait(frame.does.action));
  over.isTimeout = frame.does.isTimed && result && *result == kTimeout;
  over.isShown = frame.isShown;
  over.object = frame.object;

  for (size_t i = state.frames.size(); i-- > 0 && over.caller == kNobody;)
    if (!state.frames[i].isLibrary)
      over.caller = state.frames[i].function;
  over.frame = &frame;
  if (canWait(frame.does.action) || over.hasWaited)
    tellOf(over, result);
  if (frame.isShown && (frame.recorderNs || frame.unknownNs >= kShortestWaitNs))
    listener_.callWasHeld(thread, frame, over.caller);
  state.frames.pop_back();
  if (span.how != SpanEnd::Open)
    returned(thread, frame, span.how == SpanEnd::Exception ? std::optional(-1) : result);
}

// Finds out what the call waited for, and which thread ended the wait.
void WaitState::tellOf(WaitEnd &over, std::optional<int32_t> result) {
  const WaitFrame &frame = *over.frame;
  const bool isWait = canWait(frame.does.action);
  if (frame.does.action == WaitAction::Join && !over.isOpen && result.value_or(0) == 0) {
    over.waker = frame.object != kNobody ? objects_[frame.object].joined : kNobody;
    if (over.waker == kNobody || !threads_[over.waker].hasEnded) // it ended while it was being joined
      over.waker = endedLast(over.thread, frame.beginNs);
    if (over.waker != kNobody)
      threads_[over.waker].isJoined = true, over.wakerNs = threads_[over.waker].lastNs;
  } else if (frame.does.kind == WaitKind::Child && !over.isOpen) {
    findChild(over, frame.does.action == WaitAction::WaitChild ? result : std::nullopt);
  } else if (isWait && frame.object != kNobody && !isLock(objects_[frame.object].kind) && !over.isTimeout &&
             !over.isOpen) {
    if (const Wake *wake = wakeOf(frame, over.thread, frame.wokenNs ? frame.wokenNs : nowNs_))
      over.waker = wake->thread, over.wakerFunction = wake->function, over.wakerNs = wake->ns;
  }
  if (over.object == kNobody) {
    WaitObject object;
    object.process = processOf(over.thread);
    object.kind = isWait ? frame.does.kind : frame.isLibrary ? WaitKind::Library : WaitKind::Own;
    object.callee = frame.isLibrary ? frame.function : kNobody;
    object.caller = over.caller;
    over.object = newObject(std::move(object));
  }
  if (objects_[over.object].kind == WaitKind::Join && over.waker != kNobody) {
    objects_[over.object].joined = over.waker;
    objects_[over.object].callee = objects_[over.object].caller = kNobody;
  }
  listener_.waitEnds(over);
  WaitObject &object = objects_[over.object];
  std::erase(object.waiters, over.thread);
  if (object.waiters.empty() && (frame.object == kNobody || object.kind == WaitKind::Join))
    forget(over.object);
}

//===--- effects of calls -------------------------------------------------===//

// Long because it is one switch over what functions do, with a few lines per case.
void WaitState::called(uint32_t thread, WaitFrame &frame, const atf::EventDetail &detail) {
  const std::array<uint64_t, 8> &registers = detail.function.registers;
  const uint32_t process = processOf(thread);
  if (frame.does.action == WaitAction::Syscall) {
    frame.does = {};
    if (!isFutexCall(registers[0], table_.threads[thread].arch))
      return;
    frame.does = futexFunction(registers[2]);
    frame.does.object = 1;
    frame.does.isTimed = registers[4] != 0;
  }
  const uint64_t argument = registers[frame.does.object];
  frame.argument = argument;
  const auto fd = static_cast<int32_t>(argument);
  const auto atAddress = [&] { return objectAt(process, frame.does.kind, argument); };
  switch (frame.does.action) {
  case WaitAction::Init:
    if (const auto old = byValue_.find({process, Space::Address, argument}); old != byValue_.end())
      if (objects_[old->second].calls == 0)
        forget(old->second);
    objects_[atAddress()].place = innermost(thread).first;
    break;
  case WaitAction::Lock:
  case WaitAction::ReadLock:
  case WaitAction::TryLock:
  case WaitAction::TryReadLock:
  case WaitAction::Await:
    frame.object = atAddress();
    break;
  case WaitAction::Unlock:
    giveAway(atAddress(), thread);
    break;
  case WaitAction::WaitUnlocked: {
    frame.object = atAddress();
    std::optional<uint64_t> mutex = registers[1];
    if (frame.does.isCxx) // a std::unique_lock, whose first member is the mutex
      mutex = onStack(detail, registers[1]);
    const std::vector<uint32_t> &held = threads_[thread].held;
    if (mutex)
      frame.mutex = objectAt(process, WaitKind::Mutex, *mutex);
    else if (held.size() == 1)
      frame.mutex = held[0];
    if (frame.mutex != kNobody)
      giveAway(frame.mutex, thread);
    break;
  }
  case WaitAction::Wake:
    wake(atAddress(), thread, argument, true);
    break;
  case WaitAction::Arrive:
    frame.object = atAddress();
    wake(frame.object, thread, argument, true);
    break;
  case WaitAction::Join: {
    const std::optional<uint64_t> handle = frame.does.isCxx ? onStack(detail, argument) : argument;
    const uint32_t joined = handle ? joinedBy(thread, *handle) : kNobody;
    if (joined != kNobody) {
      WaitObject object;
      object.process = process, object.kind = WaitKind::Join, object.joined = joined;
      frame.object = newObject(std::move(object));
    }
    break;
  }
  case WaitAction::Accept:
  case WaitAction::Poll:
    if (fd >= 0)
      frame.object = descriptor(process, frame.does.kind, argument, false);
    break;
  case WaitAction::Read:
  case WaitAction::Write:
    if (fd >= 0) {
      const bool isWrite = frame.does.action == WaitAction::Write;
      frame.object = descriptor(process, frame.does.kind, argument, isWrite);
      frame.argument = static_cast<uint32_t>(fd);
      wake(frame.object, thread, frame.argument, isWrite);
    }
    break;
  case WaitAction::Watch: {
    const uint32_t epoll = descriptor(process, WaitKind::Poll, argument, false);
    std::vector<uint32_t> &list = watchedBy_[descriptor(process, WaitKind::Descriptor, registers[2], false)];
    if (std::ranges::find(list, epoll) == list.end())
      list.push_back(epoll);
    break;
  }
  case WaitAction::Close:
    if (const auto at = byValue_.find({process, Space::Descriptor, static_cast<uint32_t>(fd)}); at != byValue_.end()) {
      const uint32_t object = at->second;
      byValue_.erase(at);
      const auto isOpen = [&](std::optional<uint64_t> end) {
        const auto other = end ? byValue_.find({process, Space::Descriptor, *end}) : byValue_.end();
        return other != byValue_.end() && other->second == object;
      };
      if (objects_[object].calls == 0 && !isOpen(objects_[object].value) && !isOpen(objects_[object].other))
        forget(object);
    }
    break;
  case WaitAction::Block:
    frame.sleepsNs = askedSleep(frame.does.sleeps, detail);
    break;
  default:
    break;
  }
}

void WaitState::returned(uint32_t thread, const WaitFrame &frame, std::optional<int32_t> result) {
  const bool isSuccess = frame.does.isCxx || result.value_or(0) == 0 || *result == kOwnerDied;
  switch (frame.does.action) {
  case WaitAction::Lock:
  case WaitAction::ReadLock:
    if (frame.object != kNobody && isSuccess)
      own(frame.object, thread, frame.does.action == WaitAction::ReadLock);
    break;
  case WaitAction::TryLock:
  case WaitAction::TryReadLock:
    if (frame.object != kNobody && (frame.does.isCxx ? (result.value_or(0) & 0xff) == 1 : result && isSuccess))
      own(frame.object, thread, frame.does.action == WaitAction::TryReadLock);
    break;
  case WaitAction::WaitUnlocked:
    if (frame.mutex != kNobody)
      own(frame.mutex, thread, false);
    break;
  case WaitAction::Open:
  case WaitAction::Accept:
  case WaitAction::OpenPipe:
  case WaitAction::OpenPair:
    if (result && *result >= 0)
      opened(thread, frame, *result);
    break;
  default:
    break;
  }
}

void WaitState::opened(uint32_t thread, const WaitFrame &frame, int32_t result) {
  const uint32_t process = processOf(thread), place = innermost(thread).first;
  if (frame.does.action == WaitAction::Open || frame.does.action == WaitAction::Accept) {
    newDescriptor(process, frame.does.kind, static_cast<uint32_t>(result), place);
    return;
  }
  const auto detail = values_.detailOf(*event_, *batch_);
  if (const auto ends = detail ? onStack(*detail, frame.argument) : std::nullopt)
    newPair(process, frame.does.kind, *ends & 0xffffffff, *ends >> 32, place);
  else if (frame.does.action == WaitAction::OpenPipe)
    unreadPipes_[process].push_back(place);
}

} // namespace ada::analysis
