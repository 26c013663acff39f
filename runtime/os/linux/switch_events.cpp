// Opens the perf events and reads the records that the kernel writes to their buffers.
#include "switch_events.h"
#include "directory.h"
#include "start_block.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace ada::runtime {
namespace {

constexpr uint32_t kMaxRounds = 8; // a program may start threads faster than they can be found
// Buffer sizes; a record takes 24 bytes. Threads that hand over to each other cause half a million records per second
// on each processor, and the drain, which needs a processor too, may not run for a tenth of a second. The more
// processors there are, the less each of them has to do with this process. The kernel takes 160 µs to create a MiB of
// buffer, and the first event waits for that.
constexpr uint64_t kLeastRoom = 64;
constexpr uint64_t kMaxDataBytes = 2u << 20, kLeastDataBytes = 65536, kAllDataBytes = 4u << 20;
// Small ones are enough for 2.5 ms of that.
constexpr uint64_t kMaxNarrowBytes = 32768, kAllNarrowBytes = 65536;

// How many page faults of a thread have a record, and how many rounds of start() can have theirs.
constexpr uint32_t kFaults = 16, kFaultRounds = 5;
constexpr uint64_t kFieldOfRound[kFaultRounds - 1] = {PERF_SAMPLE_ADDR, PERF_SAMPLE_CPU, PERF_SAMPLE_ID,
                                                      PERF_SAMPLE_STREAM_ID};

uint32_t parseNumber(const char *text) {
  uint32_t n = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    n = n * 10 + static_cast<uint32_t>(*text - '0');
  return n;
}

// The size of each buffer.
uint64_t sizeOf(uint64_t forOne, uint64_t forAll, uint64_t least) {
  while (forOne > least && forOne * sys::usableProcessors() > forAll)
    forOne /= 2;
  return forOne;
}

perf_event_mmap_page &controlOf(char *control) { return *reinterpret_cast<perf_event_mmap_page *>(control); }

} // namespace

// `round`: in which round of start() the thread was found. If it inherited events, too, those are of an earlier round.
// The size of a fault's record tells them apart: after the time, each round has one more field.
int SwitchEvents::open(uint32_t thread, uint32_t processor, uint32_t round) {
  perf_event_attr a = {};
  a.type = PERF_TYPE_SOFTWARE;
  a.size = sizeof a;
  a.config = round < kFaultRounds ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_DUMMY;
  a.sample_period = round < kFaultRounds ? kFaults + round : 0;
  a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  for (uint32_t i = 0; i < round && i < kFaultRounds - 1; ++i)
    a.sample_type |= kFieldOfRound[i];
  a.sample_id_all = 1;
  a.context_switch = 1;
  a.exclude_kernel = a.exclude_hv = 1;
  a.use_clockid = 1;
  a.clockid = CLOCK_BOOTTIME;
  a.inherit = 1;
  a.inherit_thread = onlyThreads_;
  a.watermark = 1, a.wakeup_watermark = UINT32_MAX; // don't wake anything
  return static_cast<int>(sys::call(SYS_perf_event_open, &a, thread, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

// The less memory the system lets this user lock for these buffers, the smaller they are.
int SwitchEvents::map(int fd, uint32_t processor, uint64_t most, Buffer &buffer) {
  for (uint64_t bytes = most; bytes >= page_; bytes /= 2)
    if (char *at = static_cast<char *>(sys::map(nullptr, page_ + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd))) {
      buffer = {at, bytes, UINT64_MAX, 0, processor, false, -1};
      return 0;
    }
  return -EPERM;
}

// Creates a buffer per processor, which belongs to the first thread. A mapped event lives as long as its mapping.
int SwitchEvents::addProcessors() {
  wideBytes_ = sizeOf(kMaxDataBytes, kAllDataBytes, kLeastDataBytes);
  const uint64_t bytes = isNarrow_ ? sizeOf(kMaxNarrowBytes, kAllNarrowBytes, 4 * page_) : wideBytes_;
  for (uint32_t processor = 0; processor < kMaxProcessors; ++processor) {
    int fd = open(threads_[0], processor);
    if (fd == -EINVAL && processor == 0 && onlyThreads_) { // before Linux 5.13: child processes are included
      onlyThreads_ = false;
      fd = open(threads_[0], processor);
    }
    if (fd == -EINVAL && processor > 0) // no processor has this or a higher number
      break;
    if (fd == -ENODEV) // not in use
      continue;
    if (fd < 0)
      return fd;
    Buffer &buffer = buffers_[count_];
    if (int error = map(fd, processor, bytes, buffer); error < 0) {
      sys::close(fd);
      return error;
    }
    outputs_[count_++] = fd;
    processors_ = count_;
    if (isNarrow_ && (buffer.next = open(threads_[0], processor)) >= 0)
      ++descriptors_;
  }
  return count_ > 0 ? 0 : -ENODEV;
}

// Whether a descriptor for each processor may stay open.
bool SwitchEvents::mayStayOpen() const {
  constexpr uint64_t kLeft = 512; // for the trace's files
  rlimit64 limit = {};
  return sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit) == 0 &&
         limit.rlim_cur >= kLeft + 2 * sys::usableProcessors();
}

// The system calls are some that the drain makes anyway, so no filter of the program matters. A processor whose buffer
// can't be replaced keeps it. Redirecting an event instead would make the kernel wait for all processors.
void SwitchEvents::widen() {
  isNarrow_ = false;
  for (uint32_t i = 0; i < processors_; ++i) {
    Buffer &narrow = buffers_[i], wide;
    const int fd = narrow.next;
    if (fd < 0)
      continue;
    const int error = map(fd, narrow.processor, wideBytes_, wide);
    sys::close(fd);
    narrow.next = -1, --descriptors_;
    if (error == 0)
      buffers_[count_++] = narrow, narrow = wide;
  }
  widenedNs_ = sys::nowNs();
}

void SwitchEvents::dropNarrow() {
  for (; count_ > processors_; --count_)
    sys::unmap(buffers_[count_ - 1].control, page_ + buffers_[count_ - 1].dataBytes);
}

// Sends a thread's records to the same buffers. Its events live as long as their descriptors, which stay open. Some
// descriptors are left for the trace's files.
void SwitchEvents::share(uint32_t thread, uint32_t round) {
  constexpr uint64_t kLeft = 8;
  rlimit64 limit = {};
  const bool isKnown = sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit) == 0;
  for (uint32_t i = 0; i < processors_; ++i) {
    const int fd = open(thread, buffers_[i].processor, round);
    if (fd == -ESRCH) // it has ended
      return;
    const bool isTooMany = isKnown && fd >= 0 && static_cast<uint64_t>(fd) + kLeft >= limit.rlim_cur;
    const long error = fd < 0      ? fd
                       : isTooMany ? -EMFILE
                                   : sys::call(SYS_ioctl, fd, PERF_EVENT_IOC_SET_OUTPUT, outputs_[i]);
    if (fd >= 0 && error < 0)
      sys::close(fd);
    if (error < 0) {
      ++missedThreads_;
      return;
    }
    ++descriptors_;
  }
}

// Adds the threads that are not known yet.
void SwitchEvents::findThreads() {
  const uint32_t self = sys::threadId(), known = threadCount_;
  eachName("/proc/self/task", [&](const char *name) {
    const uint32_t thread = parseNumber(name);
    bool isKnown = thread == 0 || thread == self || threadCount_ == kMaxThreads;
    for (uint32_t i = 0; i < known && !isKnown; ++i)
      isKnown = threads_[i] == thread;
    if (!isKnown)
      threads_[threadCount_++] = thread;
    return true;
  });
}

int SwitchEvents::start(bool isAlone) {
  process_ = sys::processId();
  page_ = auxiliaryValue(AT_PAGESZ);
  buffers_ = static_cast<Buffer *>(sys::mapMemory(2 * kMaxProcessors * sizeof *buffers_));
  constexpr size_t kForStart = kMaxThreads * sizeof *threads_ + kMaxProcessors * sizeof *outputs_;
  threads_ = static_cast<uint32_t *>(sys::mapMemory(kForStart));
  outputs_ = reinterpret_cast<int *>(threads_ + kMaxThreads);
  int error = buffers_ && threads_ && page_ ? 0 : -ENOMEM;
  if (error == 0) {
    if (!isAlone)
      findThreads();
    if (threadCount_ == 0) // it is alone, or there is no /proc
      threads_[threadCount_++] = process_;
    isNarrow_ = threadCount_ == 1 && mayStayOpen();
    error = addProcessors();
  }
  // A thread that began before its creator had events has none. Which threads began since is unknown, so look for all.
  // A single one is the one that waits for the drain to begin.
  if (error == 0 && !isNarrow_)
    findThreads();
  for (uint32_t round = 0, next = 1; error == 0 && round < kMaxRounds && next < threadCount_; ++round) {
    for (; next < threadCount_; ++next)
      share(threads_[next], round + 1);
    findThreads();
  }
  for (uint32_t i = 0; i < processors_; ++i)
    sys::close(outputs_[i]);
  if (threads_)
    sys::unmap(threads_, kForStart);
  outputs_ = nullptr, threads_ = nullptr;
  if (error < 0)
    stop();
  return error;
}

void SwitchEvents::stop() {
  for (uint32_t i = 0; i < count_; ++i) {
    sys::unmap(buffers_[i].control, page_ + buffers_[i].dataBytes);
    if (buffers_[i].next >= 0)
      sys::close(buffers_[i].next);
  }
  forget();
}

// A child does not inherit the mappings of events.
void SwitchEvents::forget() {
  if (buffers_)
    sys::unmap(buffers_, 2 * kMaxProcessors * sizeof *buffers_);
  *this = SwitchEvents();
}

// All events that this thread has opened, and those of threads that inherited them.
void SwitchEvents::pause() {
  if (active())
    sys::call(SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE, 0L, 0L, 0L, 0L);
}

void SwitchEvents::goOn() {
  for (uint32_t i = 0; i < count_; ++i) {
    perf_event_mmap_page &control = controlOf(buffers_[i].control);
    __atomic_store_n(&control.data_tail, __atomic_load_n(&control.data_head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    buffers_[i].fullAt = UINT64_MAX, buffers_[i].hasToldFrom = false;
  }
  if (active())
    sys::call(SYS_prctl, PR_TASK_PERF_EVENTS_ENABLE, 0L, 0L, 0L, 0L);
}

bool SwitchEvents::mayLack() const {
  for (uint32_t i = 0; i < count_; ++i)
    if (buffers_[i].fullAt != UINT64_MAX)
      return true;
  return false;
}

//===--- reading ----------------------------------------------------------===//

SwitchEvents::Reader::Reader(SwitchEvents &events, Buffer &buffer)
    : events_(events), buffer_(buffer), data_(buffer.control + events.page_), mask_(buffer.dataBytes - 1) {
  const perf_event_mmap_page &control = controlOf(buffer.control);
  head_ = __atomic_load_n(&control.data_head, __ATOMIC_ACQUIRE);
  tail_ = control.data_tail;
  const uint64_t used = head_ - tail_;
  events.isBusy_ |= used > buffer.dataBytes / 16;
  events.isUsed_ |= used > buffer.dataBytes / 64; // at this rate a tenth of a second is far from filling it
}

// Records that do not fit are counted, and the count comes with the next record that fits. There is room only from now
// on.
SwitchEvents::Reader::~Reader() {
  perf_event_mmap_page &control = controlOf(buffer_.control);
  const uint64_t head = __atomic_load_n(&control.data_head, __ATOMIC_ACQUIRE);
  if (head != buffer_.fullAt)
    buffer_.fullAt = head - control.data_tail + kLeastRoom > buffer_.dataBytes ? head : UINT64_MAX;
  __atomic_store_n(&control.data_tail, tail_, __ATOMIC_RELEASE);
}

// After what a record has of its own come process and thread, then the time.
bool SwitchEvents::Reader::next(Switch &s, uint64_t limitNs) {
  while (tail_ < head_) {
    const uint64_t begin = word(tail_);
    const perf_event_header &header = reinterpret_cast<const perf_event_header &>(begin);
    const uint64_t bytes = header.size;
    if (bytes < 24 || bytes % 8 != 0 || bytes > head_ - tail_) { // not a record we asked for: the rest is unreadable
      tail_ = head_;
      return false;
    }
    const bool isSample = header.type == PERF_RECORD_SAMPLE, isLost = header.type == PERF_RECORD_LOST && bytes >= 40;
    if (!isSample && !isLost && header.type != PERF_RECORD_SWITCH) {
      tail_ += bytes;
      continue;
    }
    const uint64_t about = tail_ + (isLost ? 24 : 8), who = word(about);
    s.timeNs = word(about + 8);
    if (s.timeNs > limitNs)
      return false;
    if (isLost && !buffer_.hasToldFrom) {
      buffer_.hasToldFrom = true;
      s = {buffer_.lastNs, 0, buffer_.processor, Switch::Kind::LostFrom};
      return true;
    }
    const uint64_t at = tail_;
    tail_ += bytes;
    buffer_.lastNs = s.timeNs, buffer_.hasToldFrom = false;
    if (isLost) {
      const uint64_t lost = word(at + 16);
      s.kind = Switch::Kind::Lost, s.tid = 0, s.value = lost < UINT32_MAX ? static_cast<uint32_t>(lost) : UINT32_MAX;
      return true;
    }
    if (static_cast<uint32_t>(who) != events_.process_)
      continue;
    s.tid = static_cast<uint32_t>(who >> 32);
    if (isSample && events_.countsFaults(buffer_, s.timeNs)) {
      s.kind = Switch::Kind::Faults, s.value = kFaults + static_cast<uint32_t>((bytes - 24) / 8);
      return true;
    }
    if (isSample)
      continue;
    s.value = buffer_.processor;
    s.kind = !(header.misc & PERF_RECORD_MISC_SWITCH_OUT)        ? Switch::Kind::On
             : header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? Switch::Kind::Preempted
                                                                 : Switch::Kind::Waits;
    return true;
  }
  return false;
}

} // namespace ada::runtime
