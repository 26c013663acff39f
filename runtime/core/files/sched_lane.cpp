// Turns context switches, and what the recorder knows about itself, into the threads' scheduling files.
#include "sched_lane.h"
#include "core/base/crc.h"
#include "core/base/json.h"
#include "core/base/message.h"
#include "shared/manifest_keys.h"

namespace ada {

using Switch = SwitchEvents::Switch;

void SchedLane::begin(Ring &ring, const char *place, bool isBounded) {
  ring_ = &ring, place_ = place, isBounded_ = isBounded;
  fromNs_ = readToNs_ = sys::nowNs();
}

void SchedLane::start() {
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
  t.active = true, t.tid = tid, t.number = number;
  t.file.begin(place_, number, sched::kFileName);
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
  if (slot >= threads_.ready() || !threads_[slot].active || !active())
    return false;
  Thread &t = threads_[slot];
  if (t.endedNs == 0)
    t.endedNs = askedAtNs_; // so a pass that takes everything finishes it
  const bool isBehind = readToNs_ < t.endedNs;
  isWaited_ |= isBehind;
  return isBehind;
}

// Sorts by thread and time, with a merge sort because the records of one processor are already in time order.
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

// Losses come first: they have no thread, and the records before them are already written.
void SchedLane::writePending() {
  sortPending();
  sched::Record records[256];
  uint64_t next = 0;
  for (; next < pendingCount_ && pending_[next].tid == 0; ++next)
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

// The switches of some threads come twice, see SwitchEvents::start.
bool SchedLane::isRepeated(Thread &t, const Switch &s) {
  const bool isOn = s.kind == Switch::Kind::On, isRepeated = t.isKnown && t.isOn == isOn;
  t.isOn = isOn, t.isKnown = true;
  return isRepeated;
}

// Returns slots_ if the thread records nothing, or nothing any more.
uint64_t SchedLane::slotOf(uint32_t tid) {
  for (uint64_t i = 0; i < slots_; ++i) {
    const uint64_t slot = lastSlot_ + i < slots_ ? lastSlot_ + i : lastSlot_ + i - slots_;
    if (threads_[slot].active && threads_[slot].tid == tid)
      return lastSlot_ = slot;
  }
  return slots_;
}

void SchedLane::noteLost(const Switch &s) {
  const bool isEnd = s.kind == Switch::Kind::Lost;
  lost_ += isEnd ? s.value : 0;
  const sched::Record record = {s.timeNs < fromNs_ ? fromNs_ : s.timeNs,
                                isEnd ? sched::Kind::Lost : sched::Kind::LostFrom, s.value};
  for (uint64_t i = 0; i < slots_; ++i)
    if (threads_[i].active)
      append(threads_[i], &record, 1), threads_[i].isKnown = false;
}

void SchedLane::append(Thread &t, const sched::Record *records, uint64_t count) {
  if (int error = write(t, records, count * sizeof *records, /*stays=*/true); error < 0)
    giveUp(t, error);
}

// A full disk may not even have room for the end record: that replaces the last record.
void SchedLane::giveUp(Thread &t, int error) {
  t.active = false;
  error_ = error;
  if (t.bytes == 0)
    return;
  const bool hasLast = t.lastNs != 0;
  const uint64_t at = hasLast ? t.bytes - sizeof(sched::Record) : t.bytes;
  const uint64_t lastNs = active() && t.lastNs > readToNs_ ? readToNs_ : t.lastNs; // the recorder's own may be newer
  const sched::Record end = {hasLast ? lastNs : fromNs_, sched::Kind::KnownTo, hasLast ? t.sumBeforeLast : t.sum};
  if (t.file.openMade() == 0 && t.file.write(&end, sizeof end, at) == 0)
    t.file.truncate(at + sizeof end); // part of the failed write may follow it
  t.file.close();
}

sched::Header SchedLane::headerOf(const Thread &t) const {
  sched::Header header = {{}, sched::kNewestVersion, t.tid, fromNs_, active() ? 0 : sched::kIsUnknown};
  __builtin_memcpy(header.magic, sched::kMagic, sizeof header.magic);
  return header;
}

// `stays`: later data is written after it. The descriptor is closed, because there may be many threads.
int SchedLane::write(Thread &t, const void *from, size_t bytes, bool stays) {
  auto put = [&](const void *data, size_t n) {
    int error = t.file.write(data, n, t.bytes);
    if (error == 0 && stays)
      t.sum = crc32c(t.sum, data, n), t.bytes += n;
    return error;
  };
  int error = t.file.open([&] {
    const sched::Header header = headerOf(t);
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
  if (t.bytes == 0 && !active()) // there is nothing to say
    return;
  if (t.bytes == 0) // the header first: what follows needs its size and sum
    append(t, nullptr, 0);
  if (active() && events_.mayLack()) { // their number will not be reported
    const sched::Record lost = {readToNs_, sched::Kind::Lost, 0};
    append(t, &lost, 1);
    t.isKnown = false;
  }
  const sched::Record end = {readToNs_, sched::Kind::KnownTo, t.sum};
  if (int error = t.active ? write(t, &end, sizeof end, /*stays=*/false) : 0; error < 0)
    giveUp(t, error);
}

// The thread's state becomes the first record: the whole part may have no other.
void SchedLane::goOn(uint64_t slot) {
  if (slot >= threads_.ready() || !threads_[slot].active)
    return;
  Thread &t = threads_[slot];
  t.file.begin(place_, t.number, sched::kFileName);
  t.bytes = 0, t.sum = 0, t.lastNs = 0;
  t.heldNs = 0;
  ring_->threads()[slot].held_missing = 0;
  ring_->threads()[slot].held_unplaced_before = t.unplaced;
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
  miss(slot, t.heldNs);
  t.heldNs = 0;
}

//===--- the recorder itself ----------------------------------------------===//

// Recovery must count each time exactly once: it finds some of it in the file, and the rest in the ring.
void SchedLane::miss(uint64_t slot, uint64_t ns) { ring_->threads()[slot].held_missing += ns; }

void SchedLane::noteHeld(uint64_t slot, HeldTimes &times, const ring::Held &held, uint64_t seq, bool isFirst) {
  if (times.count_ + ring::kMostHeldRecords > HeldTimes::kMost)
    writeHeld(slot, times);
  times.endSeq_ = seq + 1, times.missing_ += held.missingNs;
  // No call is open before a thread's first event, and without the kernel's records nothing else is known about that
  // time: it is not worth a file.
  if ((isFirst && !active()) || !threads_[slot].active) {
    times.missing_ += held.placedNs();
    return;
  }
  times.count_ += ring::recordsOf(held, times.records_ + times.count_);
  times.ns_ += held.placedNs();
}

// The thread makes no call after this. As before its first event, the time alone is not worth a file.
void SchedLane::noteHeldAtEnd(uint64_t slot, HeldTimes &times, const ring::Held &held) {
  const uint64_t seq = ring_->threads()[slot].held_seq;
  noteHeld(slot, times, held, seq == 0 ? 0 : seq - 1, threads_[slot].bytes == 0);
}

void SchedLane::writeHeld(uint64_t slot, HeldTimes &times) {
  if (times.endSeq_ == 0)
    return;
  Thread &t = threads_[slot];
  if (times.count_ > 0 && t.active)
    append(t, times.records_, times.count_);
  if (t.active)
    t.heldNs += times.ns_;
  else
    times.missing_ += times.ns_;
  ada_ring_thread &thread = ring_->threads()[slot];
  thread.held_missing += times.missing_;
  __atomic_store_n(&thread.held_seq, times.endSeq_, __ATOMIC_RELEASE);
  times = HeldTimes();
  if (__builtin_expect(isBounded_ && t.active && t.bytes > sizeof(sched::Header) + kMostKept * sizeof(sched::Record),
                       0))
    if (int error = keepNewest(slot); error < 0)
      giveUp(t, error);
}

// Replaces the file by its newer half. There is a whole file of that name at every moment.
int SchedLane::keepNewest(uint64_t slot) {
  Thread &t = threads_[slot];
  constexpr uint64_t kRecords = 256;
  sched::Record records[kRecords];
  uint64_t count = (t.bytes - sizeof(sched::Header)) / sizeof(sched::Record), gone = count / 4 * 2, goneNs = 0;
  ThreadFile newer;
  newer.begin(place_, t.number, kNewerName);
  const sched::Header header = headerOf(t);
  uint64_t bytes = sizeof header;
  uint32_t sum = crc32c(0, &header, sizeof header), sumBeforeLast = 0;
  int error = t.file.openMade();
  if (error == 0)
    error = newer.open([&] { return newer.write(&header, sizeof header, 0); });
  for (uint64_t i = 0; i < count && error == 0;) {
    uint64_t end = i < gone ? gone : count;
    end = end - i < kRecords ? end : i + kRecords;
    const uint64_t n = (end - i) * sizeof *records;
    error = t.file.read(records, n, sizeof header + i * sizeof *records);
    for (uint64_t k = 0; k + 1 < end - i && i < gone; k += 2)
      goneNs += records[k + 1].timeNs - records[k].timeNs;
    if (error == 0 && i >= gone) {
      error = newer.write(records, n, bytes);
      sumBeforeLast = crc32c(sum, records, n - sizeof *records);
      sum = crc32c(sum, records, n), bytes += n;
    }
    i = end;
  }
  newer.close();
  t.file.close();
  if (error == 0)
    error = newer.rename(sched::kFileName);
  if (error < 0) {
    newer.remove();
    return error;
  }
  t.bytes = bytes, t.sum = sum, t.sumBeforeLast = sumBeforeLast;
  t.heldNs -= goneNs;
  miss(slot, goneNs);
  return 0;
}

SchedLane::HeldSum SchedLane::heldOf(uint64_t slot, bool isPartDone) {
  Thread &t = threads_[slot];
  const ada_ring_thread &thread = ring_->threads()[slot];
  const ada_ring_header &h = ring_->header();
  ring::ClockMap clock;
  clock.update(ring_->anchors(), ring_->usesSystemClock() ? 0 : h.anchors_used, h.anchors_from);
  t.unplaced = __atomic_load_n(&thread.held_unplaced, __ATOMIC_RELAXED);
  const uint64_t lost = isPartDone ? 0 : ring::unreportedLost(thread, thread.held_seq);
  const uint64_t missing = thread.held_missing + ring::heldNs(t.unplaced - thread.held_unplaced_before + lost, clock);
  return {t.heldNs + missing, missing};
}

//===--- the manifest -----------------------------------------------------===//

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
