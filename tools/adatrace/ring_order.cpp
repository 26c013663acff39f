//===- ring_order.cpp - orders to a program that is recording -------------===//
//
// A recording process maps its ring file shared, and its drain looks at the header at
// least ten times a second (include/ada/ring_file.h). So an order is a store into that
// file: no signal, no socket, and nothing in the program that could be disturbed.
//
// The file is found among the mappings of the process. A path can mean something else by
// now, so it is written only if it begins as a ring file does and is the very file that is
// mapped (device and inode; some file systems report others there) or is its owner's.
//
//===----------------------------------------------------------------------===//
#include "ring_order.h"

#include "ada/ring_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ada::cli {

namespace {

using What = OrderResult::What;

// A file that a process has mapped shared and writable.
struct Mapping {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  uid_t owner = 0; // of the process
};

// The header of a ring file, mapped for writing.
class RingHeader {
public:
  static std::optional<RingHeader> open(const std::string &path, const Mapping *mapped) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
      return std::nullopt;
    struct stat status;
    void *memory = MAP_FAILED;
    // The whole page must lie in the file, or touching it would be a bus error.
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size >= static_cast<off_t>(ADA_RING_ANCHORS_OFFSET) &&
        (!mapped || mapped->owner == status.st_uid ||
         (mapped->device == status.st_dev && mapped->inode == status.st_ino)))
      memory = mmap(nullptr, ADA_RING_ANCHORS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED,
                    fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
      return std::nullopt;
    RingHeader ring(static_cast<ada_ring_header *>(memory));
    if (ring->magic != ADA_RING_MAGIC)
      return std::nullopt;
    return ring;
  }
  RingHeader(RingHeader &&other) noexcept : header(std::exchange(other.header, nullptr)) {}
  RingHeader &operator=(RingHeader &&other) noexcept {
    std::swap(header, other.header);
    return *this;
  }
  ~RingHeader() {
    if (header)
      munmap(header, ADA_RING_ANCHORS_OFFSET);
  }
  ada_ring_header *operator->() const { return header; }

private:
  explicit RingHeader(ada_ring_header *header) : header(header) {}
  ada_ring_header *header;
};

// Lines such as
//   7f1c… -7f1d… rw-s 00000000 00:1b 4711    /dev/shm/adatrace…
std::vector<Mapping> sharedMappings(std::ifstream &maps, uid_t owner) {
  std::vector<Mapping> found;
  for (std::string line; std::getline(maps, line);) {
    char rights[8] = {};
    unsigned major = 0, minor = 0;
    unsigned long long inode = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%*x-%*x %7s %*x %x:%x %llu %n", rights, &major, &minor,
                    &inode, &path) < 4 ||
        path == 0 || std::strncmp(rights, "rw-s", 4) != 0 ||
        static_cast<size_t>(path) >= line.size())
      continue;
    Mapping mapping{line.substr(static_cast<size_t>(path)), makedev(major, minor),
                    static_cast<ino_t>(inode), owner};
    if (found.empty() || found.back().path != mapping.path)
      found.push_back(std::move(mapping));
  }
  return found;
}

OrderResult give(const RingHeader &ring) {
  const unsigned pid = ring->pid;
  if (ring->abi_version != ADA_ABI_VERSION)
    return {What::OtherVersion,
            fmt::format("process {} records with a runtime of ABI {}, this is the tool "
                        "for ABI {}: use the adatrace that belongs to it",
                        pid, ring->abi_version, ADA_ABI_VERSION)};
  if (__atomic_load_n(&ring->state, __ATOMIC_ACQUIRE) != ADA_RING_RECORDING)
    return {What::NotRecording,
            fmt::format("process {} has finished recording", pid)};
  if (!ring->detail_windows)
    return {What::NoWindows,
            fmt::format("process {} does not record windows: start it with `adatrace "
                        "record --detail=GLOB --detail-mode=window`",
                        pid)};
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  const uint64_t ns = static_cast<uint64_t>(now.tv_sec) * 1000000000u +
                      static_cast<uint64_t>(now.tv_nsec);
  __atomic_store_n(&ring->trigger_time_ns, ns, __ATOMIC_RELAXED);
  __atomic_fetch_add(&ring->trigger_count, 1, __ATOMIC_RELEASE);
  return {};
}

} // namespace

OrderResult triggerRing(const std::string &path) {
  const std::optional<RingHeader> ring = RingHeader::open(path, nullptr);
  if (!ring)
    return {What::NotRecording,
            fmt::format("{} is not, or no more, the ring file of a program that is "
                        "recording",
                        path)};
  return give(*ring);
}

OrderResult triggerProcess(pid_t pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH)
    return {What::NoProcess, fmt::format("there is no process {}", pid)};
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  if (!maps || maps.peek() == std::ifstream::traits_type::eof())
    return {What::NotReadable,
            fmt::format("can't look into process {}: it belongs to another user, or has "
                        "just ended; try as root",
                        pid)};
  struct stat status;
  if (stat(fmt::format("/proc/{}", pid).c_str(), &status) != 0)
    return {What::NoProcess, fmt::format("there is no process {}", pid)};
  // A child that was forked a moment ago may have its parent's ring still.
  std::optional<RingHeader> best;
  for (const Mapping &mapping : sharedMappings(maps, status.st_uid)) {
    std::optional<RingHeader> ring = RingHeader::open(mapping.path, &mapping);
    if (!ring) // in another mount namespace the path means something else
      ring = RingHeader::open(fmt::format("/proc/{}/root{}", pid, mapping.path), &mapping);
    if (!ring)
      continue;
    const bool isItsOwn = (*ring)->pid == static_cast<uint32_t>(pid);
    if (isItsOwn || !best)
      best.emplace(std::move(*ring));
    if (isItsOwn)
      break;
  }
  if (!best)
    return {What::NotRecording,
            fmt::format("process {} is not recording: it was not built with the AdaTrace "
                        "plugin, or runs untraced",
                        pid)};
  return give(*best);
}

} // namespace ada::cli
