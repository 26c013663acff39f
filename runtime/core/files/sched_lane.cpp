// Reads context switches from the kernel, and gives each thread's to its file.
#include "sched_lane.h"
#include "core/base/json.h"
#include "core/base/message.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {

using Switch = SwitchEvents::Switch;

void SchedLane::begin(Ring &ring, const char *place, bool isBounded) {
  ring_ = &ring, place_ = place, isBounded_ = isBounded;
  fromNs_ = readToNs_ = sys::nowNs();
}

void SchedLane::start(bool isAlone) {
  pending_ = static_cast<Switch *>(sys::mapMemory(2 * kMaxPending * sizeof *pending_));
  const int error = pending_ ? events_.start(isAlone) : -ENOMEM;
  why_ = error == -EACCES || error == -EPERM
             ? "not permitted here (kernel.perf_event_paranoid is more than 2, or a sandbox)"
         : error < 0 ? errorText(error)
                     : nullptr;
  fromNs_ = readToNs_ = sys::nowNs();
}

void SchedLane::reset() {
  events_.forget();
  if (pending_)
    sys::unmap(pending_, 2 * kMaxPending * sizeof *pending_);
  files_.release();
}

void SchedLane::pause() { events_.pause(); }

void SchedLane::forgetStates() {
  readToNs_ = sys::nowNs();
  for (uint64_t i = 0; i < files_.ready(); ++i)
    files_[i].forgetState();
}

void SchedLane::goOn() {
  const uint64_t nowNs = sys::nowNs();
  if (active()) {
    events_.goOn();
    slots_ = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < slots_ && i < files_.ready(); ++i)
      if (files_[i].isActive())
        files_[i].noteUnknown(readToNs_, nowNs);
  }
  readToNs_ = nowNs;
}

uint64_t SchedLane::limitNs(bool all) {
  askedAtNs_ = sys::nowNs();
  return askedAtNs_ - (all ? 0 : kLateNs);
}

void SchedLane::read(uint64_t limitNs) {
  if (!active()) {
    readToNs_ = limitNs == UINT64_MAX ? sys::nowNs() : limitNs;
    return;
  }
  slots_ = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  slots_ = slots_ < files_.ready() ? slots_ : files_.ready();
  events_.read(limitNs, [&](const Switch &s) {
    if (pendingCount_ == kMaxPending)
      writePending();
    pending_[pendingCount_++] = s;
  });
  writePending();
  readToNs_ = limitNs == UINT64_MAX ? sys::nowNs() : limitNs;
  isWaited_ = false;
  if (events_.isNarrow() && limitNs != UINT64_MAX && !events_.mayLack() &&
      (events_.isBusy() || readToNs_ >= fromNs_ + kShortNs))
    events_.widen();
}

// Sorts by thread and time, with a merge sort because the records of one processor are already in time order.
void SchedLane::sortPending() {
  auto isLess = [](const Switch &a, const Switch &b) { return a.tid != b.tid ? a.tid < b.tid : a.timeNs < b.timeNs; };
  Switch *from = pending_, *to = pending_ + kMaxPending;
  for (uint64_t width = 1; width < pendingCount_; width *= 2) {
    for (uint64_t begin = 0; begin < pendingCount_; begin += 2 * width) {
      const uint64_t middle = begin + width < pendingCount_ ? begin + width : pendingCount_;
      const uint64_t end = middle + width < pendingCount_ ? middle + width : pendingCount_;
      for (uint64_t i = begin, j = middle, k = begin; k < end; ++k)
        to[k] = j >= end || (i < middle && !isLess(from[j], from[i])) ? from[i++] : from[j++];
    }
    Switch *sorted = to;
    to = from, from = sorted;
  }
  if (from != pending_)
    __builtin_memcpy(pending_, from, pendingCount_ * sizeof *pending_);
}

// Losses come first: they have no thread, and the records before them are already written.
void SchedLane::writePending() {
  sortPending();
  uint64_t next = 0;
  for (; next < pendingCount_ && pending_[next].tid == 0; ++next)
    noteLost(pending_[next]);
  while (next < pendingCount_) {
    const uint64_t begin = next;
    const uint32_t tid = pending_[begin].tid;
    while (next < pendingCount_ && pending_[next].tid == tid)
      ++next;
    if (SchedFile *file = fileOf(tid))
      file->write(pending_ + begin, next - begin);
  }
  pendingCount_ = 0;
}

// Null if the thread records nothing, or nothing any more.
SchedFile *SchedLane::fileOf(uint32_t tid) {
  for (uint64_t i = 0; i < slots_; ++i) {
    const uint64_t slot = lastSlot_ + i < slots_ ? lastSlot_ + i : lastSlot_ + i - slots_;
    if (files_[slot].isOf(tid)) {
      lastSlot_ = slot;
      return &files_[slot];
    }
  }
  return nullptr;
}

void SchedLane::noteLost(const Switch &s) {
  const bool isEnd = s.kind == Switch::Kind::Lost;
  lost_ += isEnd ? s.value : 0;
  const sched::Record record = {s.timeNs < fromNs_ ? fromNs_ : s.timeNs,
                                isEnd ? sched::Kind::Lost : sched::Kind::LostFrom, s.value};
  for (uint64_t i = 0; i < slots_; ++i)
    if (files_[i].isActive())
      files_[i].noteLost(record);
}

//===--- the manifest -----------------------------------------------------===//

void SchedLane::writeManifest(JsonWriter &json) {
  told_ = missing();
  json.line().beginObject(manifest::kSched);
  json.boolean(manifest::kIsRecorded, active());
  if (active()) {
    json.number(manifest::kFromNs, fromNs_);
    if (lost_ > 0)
      json.number(manifest::kLostRecords, lost_);
    if (events_.missedThreads() > 0)
      json.number(manifest::kMissedThreads, events_.missedThreads());
  }
  if (const char *why = active() ? error_ < 0 ? errorText(error_) : nullptr : why_)
    json.text(manifest::kFailure, why);
  json.endObject();
}

} // namespace ada::runtime
