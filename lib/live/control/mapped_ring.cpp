// Finds and opens ring files, and gives orders through them.
#include "live/control/mapped_ring.h"

#include "live/recover/ring_directory.h"
#include "trace/base/boot_time.h"
#include "trace/base/fair_links.h"
#include "trace/base/same_file.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>

namespace ada::control {

namespace {

using What = Answer::What;
using Clock = std::chrono::steady_clock;

constexpr size_t kMapped = ADA_RING_OTHER_PATH_OFFSET + ADA_RING_PATH_BYTES;

template <class T> T load(const T &word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

// The right to give orders. The kernel takes it away when its holder ends, however that happens.
bool lockOrders(int fd, Clock::time_point until) {
  struct flock lock = {};
  lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
  lock.l_start = ADA_RING_ORDERS_OFFSET, lock.l_len = 1;
  while (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
    if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || Clock::now() >= until)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

// Waits until the newest order is done.
bool waitForDone(ada_ring_orders &orders, Clock::time_point until) {
  while (true) {
    const uint32_t done = load(orders.done);
    if (done == load(orders.asked))
      return true;
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - Clock::now()).count();
    if (left <= 0)
      return false;
    const timespec rest = {left / 1000000000, left % 1000000000};
    syscall(SYS_futex, &orders.done, FUTEX_WAIT, done, &rest, nullptr, 0);
  }
}

// Why a process does not answer.
Answer noAnswer(pid_t pid, bool hasBegun) {
  const std::optional<ProcessFacts> facts = factsOf(pid);
  if (!facts || facts->isOver())
    return {What::NoProcess, named(pid) + " has ended"};
  if (facts->isStopped())
    return {What::NoAnswer, named(pid) + (facts->state == 't' ? " is stopped by a debugger"
                                                              : " is stopped by a signal; `kill -CONT` continues it")};
  if (hasBegun)
    return {What::NoAnswer, named(pid) + " has begun to carry the order out and is not done after 2 s: its disk may be "
                                         "slow or full, or the machine overloaded"};
  return {What::NoAnswer, named(pid) + " did not answer within 2 s, and the order was withdrawn: it may have called "
                                       "exec, its disk may be slow or full, or the machine is overloaded"};
}

// The version in the magic number of a ring file of another release: "ADARING" and a character.
std::optional<char> otherVersion(const std::string &path) {
  constexpr uint64_t kName = (uint64_t(1) << 56) - 1;
  uint64_t magic = 0;
  const FileDescriptor fd(openOrdinary(path, O_RDONLY | O_NOFOLLOW));
  if (!fd || pread(fd.get(), &magic, sizeof magic, 0) != sizeof magic || magic == ADA_RING_MAGIC ||
      ((magic ^ ADA_RING_MAGIC) & kName) != 0)
    return std::nullopt;
  return static_cast<char>(magic >> 56);
}

} // namespace

MappedRing::~MappedRing() {
  if (memory_)
    munmap(memory_, kMapped);
}

std::optional<MappedRing> MappedRing::open(const std::string &path, const Mapping *mapped, uid_t owner) {
  FileDescriptor fd(openOrdinary(path, O_RDWR | O_NOFOLLOW));
  struct stat status;
  // All that is mapped must lie in the file, or touching it would raise a bus error.
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size < static_cast<off_t>(kMapped) ||
      (mapped && owner != status.st_uid && (mapped->device != status.st_dev || mapped->inode != status.st_ino)))
    return std::nullopt;
  void *memory = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED)
    return std::nullopt;
  MappedRing ring(std::move(fd), static_cast<char *>(memory), path);
  if (load(ring.header().magic) != ADA_RING_MAGIC)
    return std::nullopt;
  return ring;
}

std::optional<MappedRing> MappedRing::ofProcess(const ProcessFacts &process, Answer &answer) {
  int error = 0;
  const std::vector<Mapping> mappings = mappingsOf(process.pid, error);
  if (mappings.empty()) {
    const std::string why = "can't read the memory map of " + named(process.pid) + ": ";
    if (error == ENOENT || error == ESRCH)
      answer = {What::NoProcess, "there is no " + named(process.pid)};
    else if (error == 0)
      answer = {What::NotReadable, why + "it has no memory of its own (it is a kernel thread, or has just ended)"};
    else if ((error == EACCES || error == EPERM) && geteuid() != 0)
      answer = {What::NotReadable, why + "it belongs to another user; try as that user or as root"};
    else
      answer = {What::NotReadable,
                why + std::generic_category().message(error) + (geteuid() == 0 ? ", although you are root" : "")};
    return std::nullopt;
  }
  // A child that was forked a moment ago may still map its parent's ring.
  std::string last;
  for (const Mapping &mapping : mappings) {
    if (!mapping.isShared || !mapping.isWritable || !mapping.path.starts_with('/') || mapping.path == last)
      continue;
    last = mapping.path;
    std::optional<MappedRing> ring = open(mapping.path, &mapping, process.owner);
    if (!ring) // in another mount namespace the path means something else
      ring = open(placeOf(process.pid) + "/root" + mapping.path, &mapping, process.owner);
    if (ring && ring->header().pid == static_cast<uint32_t>(process.ownPid))
      return ring;
    for (const std::string &path : {mapping.path, placeOf(process.pid) + "/root" + mapping.path})
      if (const std::optional<char> version = ring ? std::nullopt : otherVersion(path)) {
        answer = {What::OtherVersion, named(process.pid) + " has a runtime of another release (its ring has version " +
                                          *version + ", this adatrace knows version " + char(ADA_RING_MAGIC >> 56) +
                                          "): use the adatrace of the same release, or build the program again"};
        return std::nullopt;
      }
  }
  answer = {What::NotTraced, named(process.pid) + " has recorded nothing"};
  return std::nullopt;
}

// The process directory that a ring file is about.
std::string MappedRing::directory() const {
  char named[ADA_RING_PATH_BYTES] = {};
  std::memcpy(named, memory_ + recover::ringPathOffset(header()), sizeof named - 1);
  return recover::ringDirectory(header(), named);
}

// The directory's owner may have written any path into its manifest.
std::optional<MappedRing> MappedRing::ofDirectory(const std::string &path, const std::string &directory) {
  std::optional<MappedRing> ring = open(path, nullptr, 0);
  struct stat file, ours, its;
  if (!ring || fstat(ring->fd_.get(), &file) != 0 || stat(directory.c_str(), &ours) != 0 ||
      file.st_uid != ours.st_uid || stat(ring->directory().c_str(), &its) != 0 || !isSameFile(its, ours))
    return std::nullopt;
  return ring;
}

bool MappedRing::hasDrain() const {
  if (!load(header().locked) || flock(fd_.get(), LOCK_SH | LOCK_NB) != 0)
    return true;
  flock(fd_.get(), LOCK_UN);
  return false;
}

Answer MappedRing::give(const std::string &order, pid_t pid, uint64_t leaseNs) const {
  const ada_ring_header &h = header();
  ada_ring_orders &page = orders();
  if (h.abi_version != ADA_ABI_VERSION)
    return {What::OtherVersion, named(pid) + " records with a runtime of ABI " + std::to_string(h.abi_version) +
                                    ", but this adatrace is for ABI " + std::to_string(ADA_ABI_VERSION) +
                                    ": use the adatrace of the same release"};
  if (load(h.state) == ADA_RING_FINISHED)
    return {What::NotRecording, named(pid) + " has finished recording"};
  if (!hasDrain())
    return {What::NotRecording, named(pid) + " has called exec, or has just ended"};
  if (order.size() >= sizeof page.text)
    return {What::Refused, "the globs are too long: an order has at most 8 KiB"};
  const std::optional<ProcessFacts> facts = factsOf(pid);
  if (facts && (facts->isStopped() || facts->isOver()))
    return noAnswer(pid, false);
  const Clock::time_point until = Clock::now() + kPatience;
  if (!lockOrders(fd_.get(), until))
    return {What::NoAnswer, "another adatrace has been giving " + named(pid) + " an order for 2 s"};
  struct Unlock {
    int fd;
    ~Unlock() {
      struct flock lock = {};
      lock.l_type = F_UNLCK, lock.l_whence = SEEK_SET;
      lock.l_start = ADA_RING_ORDERS_OFFSET, lock.l_len = 1;
      fcntl(fd, F_OFD_SETLK, &lock);
    }
  } unlock{fd_.get()};
  if (!waitForDone(page, until)) // of a controller that was killed, or gave up
    return noAnswer(pid, load(page.begun) == load(page.asked));
  std::memcpy(page.text, order.c_str(), order.size() + 1);
  if (order.starts_with("start"))
    __atomic_store_n(&page.lease_ns, leaseNs, __ATOMIC_RELAXED);
  page.asked_ns = bootTimeNs();
  const uint32_t number = __atomic_add_fetch(&page.asked, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&page.wake, 1, __ATOMIC_SEQ_CST);
  if (__atomic_exchange_n(&page.sleeping, 0, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &page.wake, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  if (!waitForDone(page, until)) {
    __atomic_store_n(page.text, '\0', __ATOMIC_SEQ_CST);
    return noAnswer(pid, load(page.begun) == number);
  }
  Answer answer;
  answer.matched = page.result;
  answer.text.assign(page.answer, strnlen(page.answer, sizeof page.answer));
  if (page.result < 0)
    return {What::Refused, named(pid) + ": " + answer.text};
  return answer;
}

} // namespace ada::control
