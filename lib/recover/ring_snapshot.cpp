// Opens ring files of processes that are gone.
#include "recover/ring_snapshot.h"

#include "formats/atf/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada {

Expected<RingSnapshot> RingSnapshot::open(const std::string &path) {
  auto bad = [&](std::string message) {
    return Error{.code = "E_BAD_RING", .message = std::move(message), .file = path};
  };
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return atf::systemError(path, "cannot be opened", errno);
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<std::uint64_t>(info.st_size) < ADA_CHUNK_BYTES) {
    ::close(fd);
    return bad("not a ring file: it is too small or not a file");
  }
  auto size = static_cast<std::size_t>(info.st_size);
  void *base = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  int error = errno;
  ::close(fd);
  if (base == MAP_FAILED)
    return atf::systemError(path, "cannot be mapped", error);
  RingSnapshot ring(static_cast<const std::byte *>(base), size);
  const ada_ring_header &h = ring.header();
  if (h.magic != ADA_RING_MAGIC)
    return bad("not a ring file: it does not begin with ADARING1; the process may have been killed while it started");
  if (h.abi_version != ADA_ABI_VERSION)
    return bad("the ring file was written by ABI version " + std::to_string(h.abi_version) +
               ", this program reads version " + std::to_string(ADA_ABI_VERSION) +
               "; use the adatrace of the same release as the runtime");
  if (h.modules_used > ADA_RING_MODULES || h.threads_used > ADA_RING_THREADS ||
      !ring.holds(h.modules_offset, h.modules_used, sizeof(ada_ring_module)) ||
      !ring.holds(h.threads_offset, h.threads_used, sizeof(ada_ring_thread)) ||
      !ring.holds(h.chunks_offset, h.chunks_used, ADA_CHUNK_BYTES))
    return bad("the ring file's header is damaged: its tables lie outside of the file");
  return ring;
}

RingSnapshot::RingSnapshot(RingSnapshot &&other) noexcept
    : base(std::exchange(other.base, nullptr)), size(other.size) {}

RingSnapshot::~RingSnapshot() {
  if (base)
    ::munmap(const_cast<std::byte *>(base), size);
}

const ada_anchor *RingSnapshot::anchors() const {
  return reinterpret_cast<const ada_anchor *>(base + ADA_RING_ANCHORS_OFFSET);
}

std::span<const ada_ring_module> RingSnapshot::modules() const {
  return {reinterpret_cast<const ada_ring_module *>(base + header().modules_offset),
          static_cast<std::size_t>(header().modules_used)};
}

std::span<const ada_ring_thread> RingSnapshot::threads() const {
  return {reinterpret_cast<const ada_ring_thread *>(base + header().threads_offset),
          static_cast<std::size_t>(header().threads_used)};
}

std::vector<const ada_chunk *> RingSnapshot::chunksOf(std::uint32_t index) const {
  std::vector<const ada_chunk *> result;
  for (std::uint64_t n = 0; n < header().chunks_used; ++n) {
    auto *chunk = reinterpret_cast<const ada_chunk *>(base + header().chunks_offset + n * ADA_CHUNK_BYTES);
    if (chunk->state == ADA_CHUNK_USED && chunk->thread == index)
      result.push_back(chunk);
  }
  std::sort(result.begin(), result.end(),
            [](const ada_chunk *a, const ada_chunk *b) { return a->seq < b->seq; });
  return result;
}

} // namespace ada
