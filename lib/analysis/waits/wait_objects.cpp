// What WaitState knows about objects and threads: identities, owners, wakes and joins.
#include "wait_state.h"

#include <algorithm>

namespace ada::analysis {

// A thread's stack begins a little below its handle: pthread_t is the address of glibc's data about the thread, which
// lies at the end of its stack.
static constexpr uint64_t kMaxAboveStack = 256 << 10;

//===--- objects ----------------------------------------------------------===//

uint32_t WaitState::newObject(WaitObject object) {
  if (free_.empty()) {
    objects_.push_back(std::move(object));
    return static_cast<uint32_t>(objects_.size() - 1);
  }
  const uint32_t at = free_.back();
  free_.pop_back();
  objects_[at] = std::move(object);
  return at;
}

// Only numbers that are no longer used may still refer to the object.
void WaitState::forget(uint32_t object) {
  WaitObject &gone = objects_[object];
  for (const Owner &owner : gone.owners)
    std::erase(threads_[owner.thread].held, object);
  for (const std::optional<uint64_t> &value : {gone.value, gone.other})
    for (const Space space : {Space::Address, Space::Descriptor})
      if (value)
        if (const auto at = byValue_.find({gone.process, space, *value}); at != byValue_.end() && at->second == object)
          byValue_.erase(at);
  wakes_.erase(object);
  watchedBy_.erase(object);
  gone = {};
  free_.push_back(object);
}

uint32_t WaitState::objectAt(uint32_t process, WaitKind kind, uint64_t value) {
  const auto at = byValue_.find({process, Space::Address, value});
  if (at != byValue_.end()) {
    WaitObject &known = objects_[at->second];
    if (known.kind == kind || !known.waiters.empty() || !known.owners.empty())
      return at->second;
    known.kind = kind; // the memory was reused
    known.place = kNobody;
    return at->second;
  }
  WaitObject object;
  object.process = process, object.kind = kind, object.value = value;
  return byValue_[{process, Space::Address, value}] = newObject(std::move(object));
}

uint32_t WaitState::newDescriptor(uint32_t process, WaitKind kind, uint64_t fd, uint32_t place) {
  WaitObject object;
  object.process = process, object.kind = kind, object.value = fd, object.place = place;
  return byValue_[{process, Space::Descriptor, fd}] = newObject(std::move(object));
}

void WaitState::newPair(uint32_t process, WaitKind kind, uint64_t first, uint64_t second, uint32_t place) {
  const uint32_t object = newDescriptor(process, kind, first, place);
  objects_[object].other = second;
  byValue_[{process, Space::Descriptor, second}] = object;
}

uint32_t WaitState::descriptor(uint32_t process, WaitKind kind, uint64_t fd, bool isWrite) {
  fd &= 0xffffffff;
  const auto find = [&](uint64_t number) { return byValue_.find({process, Space::Descriptor, number}); };
  if (const auto at = find(fd); at != byValue_.end()) {
    WaitObject &known = objects_[at->second];
    if (known.kind == WaitKind::Descriptor)
      known.kind = kind;
    return at->second;
  }
  // A pipe whose descriptors were stored in memory that was not recorded. The system assigns the lowest free numbers,
  // which are usually adjacent.
  const uint64_t reading = isWrite ? fd - 1 : fd;
  if (kind == WaitKind::Descriptor && !unreadPipes_[process].empty() && fd > 3 - uint64_t(!isWrite) &&
      find(reading) == byValue_.end() && find(reading + 1) == byValue_.end()) {
    newPair(process, WaitKind::Pipe, reading, reading + 1, unreadPipes_[process].front());
    unreadPipes_[process].pop_front();
    return find(fd)->second;
  }
  return newDescriptor(process, kind, fd, kNobody);
}

void WaitState::disown(uint32_t object, uint32_t thread) {
  std::erase_if(objects_[object].owners, [&](const Owner &owner) { return owner.thread == thread; });
  std::erase(threads_[thread].held, object);
}

void WaitState::own(uint32_t object, uint32_t thread, bool isShared) {
  std::vector<Owner> &owners = objects_[object].owners;
  const auto mine = std::ranges::find(owners, thread, &Owner::thread);
  if (mine != owners.end() && mine->isShared == isShared) {
    ++mine->count;
    return;
  }
  listener_.ownersChange(object, nowNs_);
  // Earlier owners must have released it in untraced code.
  const std::vector<Owner> before = owners;
  for (const Owner &owner : before)
    if (!isShared || !owner.isShared)
      disown(object, owner.thread);
  owners.push_back(
      {.thread = thread, .function = innermost(thread).first, .sinceNs = nowNs_, .count = 1, .isShared = isShared});
  threads_[thread].held.push_back(object);
  listener_.ownersChanged(object, nowNs_);
}

uint32_t WaitState::depthOfTaker(uint32_t object, uint32_t thread) const {
  const std::vector<Owner> &owners = objects_[object].owners;
  const auto owner = std::ranges::find(owners, thread, &Owner::thread);
  if (owner == owners.end())
    return kNobody;
  const std::vector<WaitFrame> &frames = threads_[thread].frames;
  for (size_t depth = frames.size(); depth-- > 0;)
    if (!frames[depth].isLibrary && frames[depth].beginNs < owner->sinceNs)
      return static_cast<uint32_t>(depth);
  return kNobody;
}

void WaitState::giveAway(uint32_t object, uint32_t thread) {
  std::vector<Owner> &owners = objects_[object].owners;
  const auto mine = std::ranges::find(owners, thread, &Owner::thread);
  if (mine != owners.end() && mine->count > 1 && threads_[thread].frames.back().does.action == WaitAction::Unlock) {
    --mine->count;
    return;
  }
  if (mine == owners.end()) {
    // It was taken before the trace began, or in untraced code.
    if (owners.empty())
      listener_.earlierOwner(object, thread, nowNs_);
  } else {
    listener_.ownersChange(object, nowNs_);
    disown(object, thread);
    listener_.ownersChanged(object, nowNs_);
  }
  const WaitObject &left = objects_[object];
  const bool isUsed = threads_[thread].frames.back().mutex == object;
  if (left.owners.empty() && left.calls == 0 && left.place == kNobody && !isUsed)
    forget(object);
}

void WaitState::wake(uint32_t object, uint32_t thread, uint64_t value, bool isWrite) {
  const auto add = [&](uint32_t to) {
    Wakes &wakes = wakes_[to];
    wakes.last[wakes.count++ % wakes.last.size()] = {thread, innermost(thread).first, nowNs_, value, isWrite};
  };
  add(object);
  if (const auto watched = watchedBy_.find(object); watched != watchedBy_.end())
    for (const uint32_t epoll : watched->second)
      if (objects_[epoll].kind == WaitKind::Poll)
        add(epoll);
}

// The last wake before the thread continued that can have woken it.
const WaitState::Wake *WaitState::wakeOf(const WaitFrame &frame, uint32_t thread, uint64_t untilNs) const {
  const auto known = wakes_.find(frame.object);
  if (known == wakes_.end())
    return nullptr;
  const Wakes &wakes = known->second;
  for (size_t i = 0; i < std::min(wakes.count, wakes.last.size()); ++i) {
    const Wake &wake = wakes.last[(wakes.count - 1 - i) % wakes.last.size()];
    if (wake.thread == thread || wake.ns > untilNs)
      continue;
    if (wake.ns < frame.beginNs)
      return nullptr;
    const bool isReading = frame.does.action == WaitAction::Read, isWriting = frame.does.action == WaitAction::Write;
    if ((isReading && (!wake.isWrite || wake.value == frame.argument)) ||
        (isWriting && (wake.isWrite || wake.value == frame.argument)) ||
        (frame.does.action == WaitAction::Poll && !wake.isWrite))
      continue;
    return &wake;
  }
  return nullptr;
}

//===--- threads ----------------------------------------------------------===//

uint32_t WaitState::joinedBy(uint32_t thread, uint64_t handle) const {
  uint32_t found = kNobody;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    const ThreadState &other = threads_[i];
    if (i != thread && processOf(i) == processOf(thread) && !other.isJoined && other.stackTop &&
        other.stackTop < handle && handle - other.stackTop < kMaxAboveStack &&
        (found == kNobody || other.stackTop > threads_[found].stackTop))
      found = i;
  }
  return found;
}

uint32_t WaitState::endedLast(uint32_t joiner, uint64_t sinceNs) const {
  uint32_t found = kNobody;
  for (uint32_t i = 0; i < threads_.size(); ++i)
    if (i != joiner && processOf(i) == processOf(joiner) && threads_[i].hasEnded && !threads_[i].isJoined &&
        threads_[i].lastNs >= sinceNs && (found == kNobody || threads_[i].lastNs > threads_[found].lastNs))
      found = i;
  return found;
}

std::pair<uint32_t, uint32_t> WaitState::innermost(uint32_t thread) const {
  const std::vector<WaitFrame> &frames = threads_[thread].frames;
  uint32_t library = kNobody;
  for (size_t i = frames.size(); i-- > 0;) {
    if (!frames[i].isLibrary)
      return {frames[i].function, library};
    library = frames[i].function;
  }
  return {kNobody, library};
}

const WaitFrame *WaitState::waiting(uint32_t thread) const {
  const ThreadState &state = threads_[thread];
  return !state.frames.empty() && canWait(state.frames.back().does.action) ? &state.frames.back() : nullptr;
}

std::vector<uint32_t> WaitState::waitedFor(uint32_t thread) const {
  const WaitFrame *frame = waiting(thread);
  if (!frame || frame->object == kNobody)
    return {};
  const WaitObject &object = objects_[frame->object];
  std::vector<uint32_t> threads;
  if (object.joined != kNobody)
    threads.push_back(object.joined);
  if (isLock(object.kind) || object.kind == WaitKind::Futex)
    for (const Owner &owner : object.owners)
      if (frame->does.action != WaitAction::ReadLock || !owner.isShared)
        threads.push_back(owner.thread);
  return threads;
}

std::vector<Deadlock> WaitState::deadlocks() const {
  std::vector<Deadlock> found;
  std::vector<char> isSeen(threads_.size());
  Deadlock path;
  // Follows a path from each thread that was not on an earlier path; a path that meets itself is a cycle.
  const auto follow = [&](const auto &self, uint32_t thread) -> void {
    if (const auto begin = std::ranges::find(path, thread); begin != path.end()) {
      found.emplace_back(begin, path.end());
      return;
    }
    if (isSeen[thread])
      return;
    isSeen[thread] = 1;
    const WaitFrame *frame = waiting(thread);
    if (!frame || frame->does.isTimed)
      return;
    path.push_back(thread);
    for (const uint32_t next : waitedFor(thread))
      self(self, next);
    path.pop_back();
  };
  for (uint32_t i = 0; i < threads_.size(); ++i)
    follow(follow, i);
  return found;
}

//===--- processes --------------------------------------------------------===//

const ProcessList &WaitState::processes() const {
  if (!processes_)
    processes_ = listProcesses(table_);
  return *processes_;
}

// The child whose number the call returned. If that is not known, the child that ended last before the thread went on.
void WaitState::findChild(WaitEnd &over, std::optional<int32_t> result) const {
  if (result && *result <= 0)
    return;
  const ProcessList &list = processes();
  const uint32_t parent = list.runOf[processOf(over.thread)];
  const uint64_t wokenNs = over.frame->wokenNs ? over.frame->wokenNs : nowNs_;
  const ProcessRun *found = nullptr;
  for (const ProcessRun &run : list.all) // by begin
    if (run.parent == parent && run.beginNs <= wokenNs && run.last().mainThread() != kNoProcess &&
        (result ? run.pid == static_cast<uint64_t>(*result)
                : run.endNs <= wokenNs && wokenNs - run.endNs <= kEndToWakeNs && (!found || run.endNs > found->endNs)))
      found = &run;
  if (!found)
    return;
  over.waker = found->last().mainThread();
  over.wakerNs = std::min(found->endNs, wokenNs);
  over.isWakerInferred = !result;
}

uint32_t WaitState::mainThreadAt(uint32_t thread, uint64_t ns) const {
  const ProcessList &list = processes();
  const uint32_t main = list.all[list.runOf[processOf(thread)]].executionAt(ns).mainThread();
  return main == kNoProcess ? thread : main;
}

} // namespace ada::analysis
