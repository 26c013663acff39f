// Counts waits for the requests that they are in.
#include "request_waits.h"

namespace ada::analysis {

RequestWaits::RequestWaits(const TraceTable &table, const SessionProfile &profile)
    : table_(table), threads_(table.threads.size()) {
  for (const uint32_t function : profile.requests)
    requestNames_.insert(profile.functions[function].name);
}

bool RequestWaits::isRequest(uint32_t function) {
  if (function >= isRequest_.size())
    isRequest_.resize(table_.functions.size(), -1);
  int8_t &known = isRequest_[function];
  if (known < 0)
    known = requestNames_.contains(table_.functions[function].displayName);
  return known > 0;
}

uint32_t RequestWaits::requestDepth(uint32_t thread) {
  const std::vector<WaitFrame> &frames = state_->thread(thread).frames;
  for (uint32_t depth = 0; depth < frames.size(); ++depth)
    if (isRequest(frames[depth].function))
      return depth;
  return kNoRequest;
}

size_t RequestWaits::objectOf(const WaitEnd &over) {
  const WaitObject &object = state_->object(over.object);
  WaitedFor is = describe(object);
  const auto [at, isNew] = byKey_.try_emplace(Key(is.process, is.kind, is.value.has_value(), is.value.value_or(0),
                                                  is.other.value_or(0), is.joined, is.callee, object.caller),
                                              objects.size());
  if (isNew)
    objects.emplace_back().object = is;
  return at->second;
}

void RequestWaits::waitEnds(const WaitEnd &over) {
  if (over.isOpen && over.hasWaited)
    open.push_back({.thread = over.thread,
                    .caller = over.caller,
                    .request = kNobody,
                    .object = describe(state_->object(over.object)),
                    .beginNs = over.frame->beginNs,
                    .endNs = over.endNs,
                    .holders = state_->waitedFor(over.thread)});
  const uint64_t ns = over.waitNs + over.readyNs;
  if (ns == 0)
    return;
  const uint32_t depth = requestDepth(over.thread);
  const size_t number = objectOf(over);
  ObjectWaits &object = objects[number];
  object.timeouts += over.isTimeout;
  if (state_->object(over.object).kind == WaitKind::Condition)
    noteCondition(over, object);
  if (depth == kNoRequest) {
    ++object.otherWaits, object.otherNs += ns;
    object.otherThreads[over.thread] += ns;
    object.callers[over.caller] += ns;
    return;
  }
  const WaitFrame &frame = state_->thread(over.thread).frames[depth];
  if (over.isOpen)
    open.back().request = frame.function;
  ++object.waits, object.ns += ns;
  object.callers[over.caller] += ns;
  Request &request = threads_[over.thread].request;
  if (request.depth != depth || request.beginNs != frame.beginNs)
    request = {depth, frame.function, frame.beginNs, {}};
  // A pause costs its whole call: a short one is on-CPU for much of it.
  const uint64_t callNs = std::max(ns, over.endNs - std::min(over.endNs, over.frame->beginNs));
  for (InRequest &known : request.waits)
    if (known.object == number) {
      ++known.waits, known.ns += ns, known.callNs += callNs;
      return;
    }
  request.waits.push_back({number, 1, ns, callNs});
}

void RequestWaits::endRequest(Thread &about, uint64_t ns) {
  const uint64_t tookNs = ns - std::min(ns, about.request.beginNs);
  const std::string &name = table_.functions[about.request.function].displayName;
  for (const InRequest &wait : about.request.waits) {
    ObjectWaits &object = objects[wait.object];
    ++object.requests, object.callNs += wait.callNs;
    if (wait.waits >= kLeastLoop)
      object.loops += wait.waits, object.loopNs += wait.callNs;
    ObjectWaits::Without &without = object.without[name];
    without.ns += wait.ns;
    without.change.add(tookNs, -1);
    without.change.add(tookNs - std::min(tookNs, wait.ns));
    if (tookNs > without.longestNs)
      without.longestNs = tookNs, without.longestWaitedNs = std::min(tookNs, wait.ns);
  }
  about.request.depth = kNoRequest;
  about.request.waits.clear();
}

// A thread that woke from a condition calls one of the program's functions, or leaves the function that waited.
void RequestWaits::noteWork(Thread &about, uint32_t thread) {
  const std::vector<WaitFrame> &frames = state_->thread(thread).frames;
  if (frames.size() < about.depth || (frames.size() > about.depth && !frames.back().isLibrary))
    about.isAwake = false;
}

void RequestWaits::noteCondition(const WaitEnd &over, ObjectWaits &object) {
  Thread &about = threads_[over.thread];
  const std::vector<WaitFrame> &frames = state_->thread(over.thread).frames;
  size_t depth = frames.size();
  while (depth > 0 && frames[depth - 1].isLibrary)
    --depth;
  const uint64_t frameSeq = depth > 0 ? frames[depth - 1].beginSeq : 0;
  // From waking up to the next call, without a core for some of it on a busy machine; then on-CPU until it sleeps, and
  // each time that it wakes up in the call because another thread has the mutex.
  constexpr uint64_t kAtOnceNs = 100'000;
  const OffCpuLane *const lane = state_->thread(over.thread).lane;
  if (about.isAwake && lane && about.object == over.object && about.frameSeq == frameSeq &&
      over.frame->beginNs >= about.wokenNs && over.frame->wokenNs >= over.frame->beginNs) {
    const uint64_t gapNs = over.frame->beginNs - about.wokenNs, allNs = over.frame->wokenNs - about.wokenNs;
    const OffCpuTimes inGap = lane->timesBetween(about.wokenNs, over.frame->beginNs),
                      inAll = lane->timesBetween(about.wokenNs, over.frame->wokenNs);
    if (gapNs - std::min(gapNs, inGap.preemptedNs + inGap.recorderNs) <= kAtOnceNs)
      ++object.uselessWakes,
          object.uselessNs += allNs - std::min(allNs, inAll.waitingNs + inAll.preemptedNs + inAll.recorderNs);
  }
  about.isAwake = !over.isTimeout && !over.isOpen && over.frame->wokenNs > 0;
  about.object = over.object, about.frameSeq = frameSeq, about.wokenNs = over.frame->wokenNs;
  about.depth = static_cast<uint32_t>(depth);
}

} // namespace ada::analysis
