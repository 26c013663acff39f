// From switches of processors to the files of the threads.
#include "sched_lane.h"
#include "crc.h"
#include "json.h"
#include "message.h"
#include "shared/manifest_keys.h"

namespace ada {

using Switch = SwitchEvents::Switch;

void SchedLane::start(Ring &ring, const char *place) {
  ring_ = &ring, place_ = place;
  pending_ = (Switch *)sys::mapMemory(2 * kMostPending * sizeof *pending_);
  const int error = pending_ ? events_.start() : -ENOMEM;
  why_ = error == -EACCES || error == -EPERM
             ? "not permitted here (kernel.perf_event_paranoid is more than 2, or a sandbox)"
         : error < 0 ? errorText(error)
                     : nullptr;
  fromNs_ = readToNs_ = sys::nowNs();
}

void SchedLane::reset() {
  events_.forget();
  if (pending_)
    sys::unmap(pending_, 2 * kMostPending * sizeof *pending_);
  threads_.release();
}

void SchedLane::begin(uint64_t slot, uint32_t tid, uint32_t number) {
  Thread &t = threads_[slot];
  t = Thread();
  t.active = active(), t.tid = tid, t.number = number;
  t.file.begin(place_, number, sched::kFileName);
}

uint64_t SchedLane::limitNs(bool all) const { return all ? UINT64_MAX : active() ? sys::nowNs() - kLateNs : 0; }

void SchedLane::read(uint64_t limitNs) {
  if (!active())
    return;
  readAtNs_ = sys::nowNs();
  slots_ = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  slots_ = slots_ < threads_.ready() ? slots_ : threads_.ready();
  events_.read(limitNs, [&](const Switch &s) {
    if (pendingCount_ == kMostPending)
      writePending();
    pending_[pendingCount_++] = s;
  });
  writePending();
  readToNs_ = limitNs == UINT64_MAX ? sys::nowNs() : limitNs;
  isWaited_ = false;
}

bool SchedLane::isBehind(uint64_t slot) {
  if (slot >= threads_.ready() || !threads_[slot].active)
    return false;
  Thread &t = threads_[slot];
  if (t.endedNs == 0)
    t.endedNs = readAtNs_;
  const bool isBehind = readToNs_ < t.endedNs;
  isWaited_ |= isBehind;
  return isBehind;
}

// By thread and time: a merge sort, for the records of one processor come in the order of time.
void SchedLane::sortPending() {
  auto isLess = [](const Switch &a, const Switch &b) { return a.tid != b.tid ? a.tid < b.tid : a.timeNs < b.timeNs; };
  Switch *from = pending_, *to = pending_ + kMostPending;
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

// Losses first: they have no thread, and the records before them are written.
void SchedLane::writePending() {
  sortPending();
  sched::Record records[256];
  uint64_t next = 0;
  for (; next < pendingCount_ && pending_[next].kind == Switch::Kind::Lost; ++next)
    noteLost(pending_[next]);
  while (next < pendingCount_) {
    const uint32_t tid = pending_[next].tid;
    const uint64_t slot = slotOf(tid);
    while (next < pendingCount_ && pending_[next].tid == tid) {
      uint64_t count = 0;
      for (; next < pendingCount_ && pending_[next].tid == tid && count < 256; ++next) {
        const Switch &s = pending_[next];
        if (slot < slots_ && isRepeated(threads_[slot], s))
          continue;
        records[count++] = {s.timeNs,
                            s.kind == Switch::Kind::On      ? sched::Kind::On
                            : s.kind == Switch::Kind::Waits ? sched::Kind::Waits
                                                            : sched::Kind::Preempted,
                            s.value};
      }
      if (slot < slots_ && count > 0 && threads_[slot].active) {
        append(threads_[slot], records, count);
        threads_[slot].last = records[count - 1];
      }
    }
  }
  pendingCount_ = 0;
}

// Some threads' switches come twice, see SwitchEvents::start.
bool SchedLane::isRepeated(Thread &t, const Switch &s) {
  const bool isOn = s.kind == Switch::Kind::On, isRepeated = t.isKnown && t.isOn == isOn;
  t.isOn = isOn, t.isKnown = true;
  return isRepeated;
}

// slots_ if it records nothing, or nothing any more.
uint64_t SchedLane::slotOf(uint32_t tid) {
  for (uint64_t i = 0; i < slots_; ++i) {
    const uint64_t slot = lastSlot_ + i < slots_ ? lastSlot_ + i : lastSlot_ + i - slots_;
    if (threads_[slot].active && threads_[slot].tid == tid)
      return lastSlot_ = slot;
  }
  return slots_;
}

void SchedLane::noteLost(const Switch &s) {
  lost_ += s.value;
  const sched::Record record = {s.timeNs, sched::Kind::Lost, s.value};
  for (uint64_t i = 0; i < slots_; ++i)
    if (threads_[i].active)
      append(threads_[i], &record, 1), threads_[i].isKnown = false;
}

void SchedLane::append(Thread &t, const sched::Record *records, uint64_t count) {
  if (int error = write(t, records, count * sizeof *records, /*stays=*/true); error < 0)
    giveUp(t, error);
}

// A full disk may have no room even for the end: that takes the place of the last record.
void SchedLane::giveUp(Thread &t, int error) {
  t.active = false;
  error_ = error;
  if (t.bytes == 0)
    return;
  const bool hasLast = t.lastNs != 0;
  const uint64_t at = hasLast ? t.bytes - sizeof(sched::Record) : t.bytes;
  const sched::Record end = {hasLast ? t.lastNs : fromNs_, sched::Kind::KnownTo, hasLast ? t.sumBeforeLast : t.sum};
  if (t.file.openMade() == 0 && t.file.write(&end, sizeof end, at) == 0)
    t.file.truncate(at + sizeof end); // part of what failed may be behind it
  t.file.close();
}

// `stays`: what comes next is written behind it. The descriptor is given back: there may be many threads.
int SchedLane::write(Thread &t, const void *from, size_t bytes, bool stays) {
  auto put = [&](const void *data, size_t n) {
    int error = t.file.write(data, n, t.bytes);
    if (error == 0 && stays)
      t.sum = crc32c(t.sum, data, n), t.bytes += n;
    return error;
  };
  int error = t.file.open([&] {
    sched::Header header = {{}, sched::kVersion, t.tid, fromNs_, 0};
    __builtin_memcpy(header.magic, sched::kMagic, sizeof header.magic);
    return put(&header, sizeof header);
  });
  const uint32_t before = t.sum;
  if (error == 0)
    error = put(from, bytes);
  t.file.close();
  if (error == 0 && stays && bytes > 0) {
    const size_t rest = bytes - sizeof(sched::Record);
    t.sumBeforeLast = crc32c(before, from, rest);
    t.lastNs = ((const sched::Record *)((const char *)from + rest))->timeNs;
  }
  return error;
}

void SchedLane::finish(uint64_t slot) {
  if (slot >= threads_.ready() || !threads_[slot].active)
    return;
  Thread &t = threads_[slot];
  if (t.bytes == 0) // the header's place and sum have to be known before those of what follows
    append(t, nullptr, 0);
  const sched::Record end = {readToNs_, sched::Kind::KnownTo, t.sum};
  if (int error = t.active ? write(t, &end, sizeof end, /*stays=*/false) : 0; error < 0)
    giveUp(t, error);
}

// The state of the thread is the first record: there may be no other in the whole part.
void SchedLane::goOn(uint64_t slot) {
  if (slot >= threads_.ready() || !threads_[slot].active)
    return;
  Thread &t = threads_[slot];
  t.file.begin(place_, t.number, sched::kFileName);
  t.bytes = 0, t.sum = 0, t.lastNs = 0;
  if (!t.isKnown)
    return;
  t.last.timeNs = fromNs_;
  append(t, &t.last, 1);
}

void SchedLane::remove(uint64_t slot) {
  if (slot >= threads_.ready() || threads_[slot].bytes == 0)
    return;
  Thread &t = threads_[slot];
  t.file.remove();
  t.bytes = 0, t.sum = 0, t.lastNs = 0;
}

void SchedLane::writeManifest(JsonWriter &json) const {
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

} // namespace ada
