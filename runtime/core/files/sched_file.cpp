// Writes one thread's scheduling file.
#include "sched_file.h"
#include "core/base/crc.h"
#include "sched_lane.h"

namespace ada::runtime {

using Switch = SwitchEvents::Switch;

void SchedFile::begin(SchedLane &lane, ada_ring_thread &slot) {
  *this = SchedFile();
  lane_ = &lane, slot_ = &slot;
  isActive_ = true, isFiber_ = slot.stack_low == ADA_STACK_OF_FIBER;
  tid_ = slot.tid, number_ = slot.index;
  file_.begin(lane.place(), number_, name());
  kept_ = lane.isBounded() ? nullptr : lane.ring().schedOf(slot); // that of a bounded trace is cut in its file
  beginKept();
}

const char *SchedFile::name() const {
  return lane_->ring().header().format == ADA_FORMAT_PACKED ? thread_files::kPackedSched : thread_files::kAtfSched;
}

//===--- what the kernel reports ------------------------------------------===//

bool SchedFile::isReported() const { return lane_->active() && !isFiber_; }

void SchedFile::write(const Switch *switches, uint64_t count) {
  constexpr uint64_t kRecords = 256;
  sched::Record records[kRecords];
  for (uint64_t i = 0; i < count;) {
    uint64_t n = 0;
    for (; i < count && n + 1 < kRecords; ++i) {
      const Switch &s = switches[i];
      if (s.kind == Switch::Kind::Faults) {
        if (s.timeNs > onSinceNs_ && s.value >= faults_) // before the first event there was no call to have them
          records[n++] = {s.timeNs, sched::Kind::Faults, faults_ = s.value};
        continue;
      }
      if (isRepeated(s))
        continue;
      if (s.kind != Switch::Kind::On && s.timeNs > onSinceNs_ && onSinceNs_ > 0)
        records[n++] = {onSinceNs_, sched::Kind::On, s.value};
      onSinceNs_ = 0;
      records[n++] = last_ = {s.timeNs,
                              s.kind == Switch::Kind::On      ? sched::Kind::On
                              : s.kind == Switch::Kind::Waits ? sched::Kind::Waits
                                                              : sched::Kind::Preempted,
                              s.value};
    }
    if (n > 0 && isActive_)
      append(records, n);
  }
}

// The switches of some threads come twice, see SwitchEvents::start.
bool SchedFile::isRepeated(const Switch &s) {
  const bool isOn = s.kind == Switch::Kind::On, isRepeated = isKnown_ && isOn_ == isOn;
  isOn_ = isOn, isKnown_ = true;
  return isRepeated;
}

void SchedFile::noteLost(const sched::Record &record) {
  if (isFiber_)
    return;
  append(&record, 1);
  forgetState();
}

void SchedFile::noteUnknown(uint64_t fromNs, uint64_t toNs) {
  onSinceNs_ = 0;
  if (!isKnown_)
    return;
  noteLost({fromNs, sched::Kind::LostFrom, last_.value}); // a thread's last processor: LostFrom is about that one
  noteLost({toNs, sched::Kind::Lost, 0});
}

bool SchedFile::isBehind() {
  if (!isActive_ || !isReported())
    return false;
  if (endedNs_ == 0)
    endedNs_ = lane_->askedAtNs(); // so a pass that takes everything finishes it
  const bool isBehind = lane_->readToNs() < endedNs_;
  if (isBehind)
    lane_->noteWaited();
  return isBehind;
}

//===--- the bytes in the ring --------------------------------------------===//

void SchedFile::beginKept() {
  isKept_ = kept_ != nullptr, hasEnd_ = false;
  if (!kept_)
    return;
  __atomic_store_n(&kept_->bytes, 0, __ATOMIC_RELEASE);
  kept_->directory = lane_->ring().header().directory_number;
}

// Takes the bytes into the ring; false if they do not fit. What is there is whole records at every moment.
bool SchedFile::keep(const void *from, size_t bytes, bool stays) {
  const sched::Header begin = header();
  const uint64_t size = bytes_ ? bytes_ : sizeof begin;
  if (size + bytes + (stays ? sizeof(sched::Record) : 0) > sizeof kept_->data)
    return false;
  if (hasEnd_)
    __atomic_store_n(&kept_->bytes, static_cast<uint32_t>(bytes_), __ATOMIC_RELEASE);
  if (bytes_ == 0) {
    __builtin_memcpy(kept_->data, &begin, sizeof begin);
    noteBegun(&begin, sizeof begin);
  }
  if (bytes > 0)
    __builtin_memcpy(kept_->data + size, from, bytes);
  if (stays)
    noteWritten(from, bytes);
  __atomic_store_n(&kept_->bytes, static_cast<uint32_t>(size + bytes), __ATOMIC_RELEASE);
  hasEnd_ = !stays;
  return true;
}

TextPiece SchedFile::kept() const {
  if (!isKept_ || !hasEnd_)
    return {};
  return {reinterpret_cast<const char *>(kept_->data), kept_->bytes};
}

void SchedFile::dropKept() {
  if (isKept_)
    __atomic_store_n(&kept_->bytes, 0, __ATOMIC_RELEASE);
  isKept_ = hasEnd_ = false;
}

void SchedFile::leaveRing() {
  if (isKept_ && bytes_ > 0) {
    const int error = lane_->withDescriptors([this] { return open(); });
    file_.close();
    if (error < 0)
      giveUp(error);
  }
  dropKept();
}

//===--- the file ---------------------------------------------------------===//

void SchedFile::append(const sched::Record *records, uint64_t count) {
  if (int error = put(records, count * sizeof *records, /*stays=*/true); error < 0)
    giveUp(error);
}

void SchedFile::giveUp(int error) {
  isActive_ = false;
  lane_->noteError(error);
  if (!isKept_) {
    lacksEnd_ = bytes_ > 0 && cut() < 0;
  } else if (bytes_ > 0) {
    const sched::Record end = {lastKnownNs(), sched::Kind::KnownTo, sum_};
    keep(&end, sizeof end, /*stays=*/false);
  }
}

// Up to when the records that there are say everything. The recorder's own may be newer than the kernel's.
uint64_t SchedFile::lastKnownNs() const {
  const uint64_t readToNs = lane_->readToNs();
  return lastNs_ == 0 ? lane_->fromNs() : isReported() && lastNs_ > readToNs ? readToNs : lastNs_;
}

// Ends a file that could not be continued. A full disk may not even have room for the end record: that replaces the
// last record. Returns 0 or a negative errno.
int SchedFile::cut() {
  const bool hasLast = lastNs_ != 0;
  const uint64_t at = hasLast ? bytes_ - sizeof(sched::Record) : bytes_;
  const sched::Record end = {lastKnownNs(), sched::Kind::KnownTo, hasLast ? sumBeforeLast_ : sum_};
  int wrong = lane_->withDescriptors([&] { return file_.openMade(); });
  if (wrong == 0)
    wrong = file_.write(&end, sizeof end, at);
  if (wrong == 0)
    wrong = file_.truncate(at + sizeof end); // part of the failed write may follow it
  file_.close();
  return wrong;
}

sched::Header SchedFile::header() const {
  sched::Header header = {{}, sched::kNewestVersion, tid_, lane_->fromNs(), isReported() ? 0 : sched::kIsUnknown};
  __builtin_memcpy(header.magic, sched::kMagic, sizeof header.magic);
  return header;
}

void SchedFile::noteBegun(const void *from, size_t bytes) { sum_ = crc32c(0, from, bytes), bytes_ = bytes; }

void SchedFile::noteWritten(const void *from, size_t bytes) {
  if (bytes == 0)
    return;
  const size_t rest = bytes - sizeof(sched::Record);
  const auto *last = reinterpret_cast<const sched::Record *>(static_cast<const char *>(from) + rest);
  sumBeforeLast_ = crc32c(sum_, from, rest);
  sum_ = crc32c(sumBeforeLast_, last, sizeof *last);
  bytes_ += bytes, lastNs_ = last->timeNs;
}

// A new file begins with what is in the ring.
int SchedFile::open() {
  const int error = file_.open([this] {
    if (isKept_ && bytes_ > 0)
      return file_.write(kept_->data, bytes_, 0);
    const sched::Header begin = header();
    const int wrong = file_.write(&begin, sizeof begin, 0);
    if (wrong == 0)
      noteBegun(&begin, sizeof begin);
    return wrong;
  });
  if (error == 0)
    dropKept();
  return error;
}

// `stays`: later data is written after it. The descriptor is closed, because there may be many threads.
int SchedFile::put(const void *from, size_t bytes, bool stays) {
  if (isKept_ && keep(from, bytes, stays))
    return 0;
  int error = lane_->withDescriptors([this] { return open(); });
  if (error == 0)
    error = file_.write(from, bytes, bytes_);
  file_.close();
  if (error == 0 && stays)
    noteWritten(from, bytes);
  return error;
}

void SchedFile::finish() {
  lacksEnd_ = lacksEnd_ && cut() < 0;
  if (!isActive_ || (bytes_ == 0 && !isReported())) // there is nothing to say
    return;
  if (bytes_ == 0) // the header first: what follows needs its size and sum
    append(nullptr, 0);
  const uint64_t readToNs = lane_->readToNs();
  if (lane_->mayLack()) // their number will not be reported
    noteLost({readToNs, sched::Kind::Lost, 0});
  const sched::Record end = {readToNs, sched::Kind::KnownTo, sum_};
  if (int error = isActive_ ? put(&end, sizeof end, /*stays=*/false) : 0; error < 0)
    giveUp(error);
}

// The thread's state becomes the first record: the whole part may have no other.
void SchedFile::goOn() {
  file_.begin(lane_->place(), number_, name());
  beginKept();
  forgetContents(); // also of a file that was given up: its size is not that of the new place
  lacksEnd_ = false;
  heldNs_ = 0;
  slot_->held_missing = 0;
  slot_->held_unplaced_before = unplaced_;
  if (!isActive_ || !isKnown_)
    return;
  last_.timeNs = lane_->fromNs();
  append(&last_, 1);
}

void SchedFile::remove() {
  if (bytes_ == 0)
    return;
  if (!isKept_)
    file_.remove();
  beginKept();
  forgetContents();
  miss(heldNs_);
  heldNs_ = 0;
}

//===--- the recorder itself ----------------------------------------------===//

// Recovery must count each time exactly once: it finds some of it in the file, and the rest in the ring
// (ada_ring_thread.held_missing).
void SchedFile::noteHeld(HeldTimes &times, const ring::Held &held, uint64_t seq, bool isFirst) {
  if (times.count_ + ring::kMaxHeldRecords > HeldTimes::kMax)
    writeHeld(times);
  times.endSeq_ = seq + 1, times.missing_ += held.missingNs;
  if (isFirst && !isKnown_)
    onSinceNs_ = held.toNs;
  // No call is open before a thread's first event, and without the kernel's records nothing else is known about that
  // time: it is not worth a file.
  if ((isFirst && !isReported()) || !isActive_) {
    times.missing_ += held.placedNs();
    return;
  }
  times.count_ += ring::recordsOf(held, times.records_ + times.count_);
  times.ns_ += held.placedNs();
}

// The thread makes no call after this. As before its first event, the time alone is not worth a file.
void SchedFile::noteHeldAtEnd(HeldTimes &times, const ring::Held &held) {
  const uint64_t seq = slot_->held_seq;
  noteHeld(times, held, seq == 0 ? 0 : seq - 1, bytes_ == 0);
}

void SchedFile::writeHeld(HeldTimes &times) {
  if (times.endSeq_ == 0)
    return;
  if (times.count_ > 0 && isActive_)
    append(times.records_, times.count_);
  if (isActive_)
    heldNs_ += times.ns_;
  else
    times.missing_ += times.ns_;
  slot_->held_missing += times.missing_;
  __atomic_store_n(&slot_->held_seq, times.endSeq_, __ATOMIC_RELEASE);
  times = HeldTimes();
  const bool isFull = bytes_ > sizeof(sched::Header) + kMaxKept * sizeof(sched::Record);
  if (__builtin_expect(lane_->isBounded() && isActive_ && isFull, 0))
    if (int error = keepNewest(); error < 0)
      giveUp(error);
}

// Replaces the file by its newer half. There is a whole file of that name at every moment.
int SchedFile::keepNewest() {
  constexpr uint64_t kRecords = 256;
  sched::Record records[kRecords];
  uint64_t count = (bytes_ - sizeof(sched::Header)) / sizeof(sched::Record), gone = count / 4 * 2, goneNs = 0;
  ThreadFile newer;
  const Text<32> newerName = Text<32>(name()) << thread_files::kNewer;
  newer.begin(lane_->place(), number_, newerName.c_str());
  const sched::Header begin = header();
  uint64_t bytes = sizeof begin;
  uint32_t sum = crc32c(0, &begin, sizeof begin), sumBeforeLast = 0;
  int error = lane_->withDescriptors([&] { return file_.openMade(); });
  if (error == 0)
    error = lane_->withDescriptors([&] { return newer.open([&] { return newer.write(&begin, sizeof begin, 0); }); });
  for (uint64_t i = 0; i < count && error == 0;) {
    uint64_t end = i < gone ? gone : count;
    end = end - i < kRecords ? end : i + kRecords;
    const uint64_t n = (end - i) * sizeof *records;
    error = file_.read(records, n, sizeof begin + i * sizeof *records);
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
  file_.close();
  if (error == 0)
    error = newer.rename(name());
  if (error < 0) {
    newer.remove();
    return error;
  }
  bytes_ = bytes, sum_ = sum, sumBeforeLast_ = sumBeforeLast;
  heldNs_ -= goneNs;
  miss(goneNs);
  return 0;
}

SchedFile::HeldSum SchedFile::heldInAll(bool isPartDone) {
  Ring &ring = lane_->ring();
  const ada_ring_header &h = ring.header();
  ring::ClockMap clock;
  clock.update(ring.anchors(), ring.usesSystemClock() ? 0 : h.anchors_used, h.anchors_from);
  unplaced_ = __atomic_load_n(&slot_->held_unplaced, __ATOMIC_RELAXED);
  const uint64_t lost = isPartDone ? 0 : ring::unreportedLost(*slot_, slot_->held_seq);
  const uint64_t missing = slot_->held_missing + ring::heldNs(unplaced_ - slot_->held_unplaced_before + lost, clock);
  return {heldNs_ + missing, missing};
}

} // namespace ada::runtime
