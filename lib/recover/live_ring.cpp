// Reads the counters in the ring file of a recording program, and gives the program orders through it.
//
// A recording process maps its ring file shared, and its drain looks at the header at least ten times a second
// (lib/shared/ring/ring_file.h). So an order is a store into that file. It needs no signal and no socket, and it
// disturbs nothing in the program.
//
// The file is found among the mappings of the process. Its path may mean another file by now. So the file is written
// only if it begins like a ring file, and is either the very file that is mapped (same device and inode; some file
// systems report others for mappings) or belongs to the process's owner.
#include "live_ring.h"

#include "ada/trace/manifest.h"
#include "base/boot_time.h"
#include "base/file_descriptor.h"
#include "formats/atf/session/directories.h"
#include "recover/ring_directory.h"
#include "shared/ring/ring_file.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <system_error>
#include <utility>
#include <vector>

namespace ada {

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
    const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status;
    void *memory = MAP_FAILED;
    // The whole page must lie in the file, or touching it would raise a bus error.
    if (fd && fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size >= static_cast<off_t>(ADA_RING_ANCHORS_OFFSET) &&
        (!mapped || mapped->owner == status.st_uid ||
         (mapped->device == status.st_dev && mapped->inode == status.st_ino)))
      memory = mmap(nullptr, ADA_RING_ANCHORS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED)
      return std::nullopt;
    RingHeader ring(static_cast<ada_ring_header *>(memory));
    if (ring->magic != ADA_RING_MAGIC)
      return std::nullopt;
    return ring;
  }
  RingHeader(RingHeader &&other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  RingHeader &operator=(RingHeader &&other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~RingHeader() {
    if (header_)
      munmap(header_, ADA_RING_ANCHORS_OFFSET);
  }
  ada_ring_header *operator->() const { return header_; }

private:
  explicit RingHeader(ada_ring_header *header) : header_(header) {}
  ada_ring_header *header_;
};

// Parses lines such as
//   7f1c… -7f1d… rw-s 00000000 00:1b 4711    /dev/shm/adatrace…
std::vector<Mapping> sharedMappings(std::ifstream &maps, uid_t owner) {
  std::vector<Mapping> found;
  for (std::string line; std::getline(maps, line);) {
    char rights[8] = {};
    unsigned major = 0, minor = 0;
    unsigned long long inode = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%*x-%*x %7s %*x %x:%x %llu %n", rights, &major, &minor, &inode, &path) < 4 ||
        path == 0 || std::strncmp(rights, "rw-s", 4) != 0 || static_cast<size_t>(path) >= line.size())
      continue;
    Mapping mapping{line.substr(static_cast<size_t>(path)), makedev(major, minor), static_cast<ino_t>(inode), owner};
    if (found.empty() || found.back().path != mapping.path)
      found.push_back(std::move(mapping));
  }
  return found;
}

OrderResult give(const RingHeader &ring) {
  const std::string process = "process " + std::to_string(ring->pid);
  if (ring->abi_version != ADA_ABI_VERSION)
    return {What::OtherVersion, process + " records with a runtime of ABI " + std::to_string(ring->abi_version) +
                                    ", but this adatrace is for ABI " + std::to_string(ADA_ABI_VERSION) +
                                    ": use the adatrace of the same release"};
  if (__atomic_load_n(&ring->state, __ATOMIC_ACQUIRE) != ADA_RING_RECORDING)
    return {What::NotRecording, process + " has finished recording"};
  if (!ring->detail_windows && !ring->flight)
    return {What::NoWindows,
            process +
                " does not record windows: start it with `adatrace record --detail=GLOB --detail-mode=window`, or as a "
                "flight recorder with --flight=64M"};
  __atomic_store_n(&ring->trigger_time_ns, bootTimeNs(), __ATOMIC_RELAXED);
  __atomic_fetch_add(&ring->trigger_count, 1, __ATOMIC_RELEASE);
  return {};
}

// Why /proc/PID/maps can't be read.
std::string refusal(const std::string &process, int number) {
  std::string why = "can't read the memory map of " + process + ": ";
  if (number == 0)
    return why + "it has no memory of its own (it is a kernel thread, or has just ended)";
  if ((number == EACCES || number == EPERM) && geteuid() != 0)
    return why + "it belongs to another user; try as that user or as root";
  return why + std::generic_category().message(number) + (geteuid() == 0 ? ", although you are root" : "");
}

} // namespace

std::string ringPathOf(const std::string &directory, uint64_t *part) {
  const auto manifest = Manifest::read(directory + "/manifest.json");
  if (part)
    *part = manifest ? manifest->part.number : 0;
  if (manifest)
    for (const auto &[field, value] : manifest->recorder)
      if (field == "ring")
        return value;
  return {};
}

// The process directory that a ring file is about.
static std::string directoryOf(const FileDescriptor &fd, const ada_ring_header &header) {
  char named[ADA_RING_PATH_BYTES] = {};
  return pread(fd.get(), named, sizeof named - 1, ADA_RING_PATH_OFFSET) > 0 ? ringDirectory(header, named)
                                                                            : std::string();
}

std::optional<RingCounters> readRingCounters(const std::string &path, const std::string &directory) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  ada_ring_header header;
  if (!fd || pread(fd.get(), &header, sizeof header, 0) != sizeof header || header.magic != ADA_RING_MAGIC ||
      header.abi_version != ADA_ABI_VERSION || atf::baseName(directoryOf(fd, header)) != atf::baseName(directory))
    return std::nullopt;
  return RingCounters{header.events_written - header.events_before, header.events_lost - header.lost_before,
                      header.bytes_written - header.bytes_before, header.threads_seen};
}

// The directory's owner may have written any path into its manifest.
static bool isRingOf(const std::string &path, const std::string &directory) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  ada_ring_header header;
  struct stat file, ours, its;
  return fd && fstat(fd.get(), &file) == 0 && S_ISREG(file.st_mode) && stat(directory.c_str(), &ours) == 0 &&
         file.st_uid == ours.st_uid && pread(fd.get(), &header, sizeof header, 0) == sizeof header &&
         stat(directoryOf(fd, header).c_str(), &its) == 0 && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

OrderResult triggerRing(const std::string &path, const std::string &directory) {
  std::optional<RingHeader> ring;
  if (isRingOf(path, directory))
    ring = RingHeader::open(path, nullptr);
  if (!ring)
    return {What::NotRecording, path + " is not the ring file of a program that is recording into " + directory};
  return give(*ring);
}

OrderResult triggerProcess(pid_t pid) {
  const std::string process = "process " + std::to_string(pid), place = "/proc/" + std::to_string(pid);
  const OrderResult none = {What::NoProcess, "there is no " + process};
  struct stat status;
  if ((kill(pid, 0) != 0 && errno == ESRCH) || stat(place.c_str(), &status) != 0)
    return none;
  errno = 0;
  std::ifstream maps(place + "/maps");
  if (!maps || maps.peek() == std::ifstream::traits_type::eof()) {
    const int number = errno;
    return number == ENOENT || number == ESRCH ? none : OrderResult{What::NotReadable, refusal(process, number)};
  }
  // A child that was forked a moment ago may still map its parent's ring.
  std::optional<RingHeader> best;
  for (const Mapping &mapping : sharedMappings(maps, status.st_uid)) {
    std::optional<RingHeader> ring = RingHeader::open(mapping.path, &mapping);
    if (!ring) // in another mount namespace the path means something else
      ring = RingHeader::open(place + "/root" + mapping.path, &mapping);
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
            process + " is not recording: it has recorded nothing yet (enabled=0, or nothing that include and exclude "
                      "select was called), runs untraced, or was not built with the AdaTrace plugin"};
  return give(*best);
}

} // namespace ada
