// Opens ring files of processes that are gone.
#include "live/recover/ring_snapshot.h"

#include "live/recover/ring_directory.h"
#include "shared/ring/tables.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <utility>

namespace ada::recover {

// A ring file is sparse: it takes gigabytes of addresses, and hardly any memory.
static Error withAdvice(Error error, const struct stat &ring) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < 2 * static_cast<uint64_t>(ring.st_size))
    error.message +=
        "; addresses are limited (ulimit -v), and a ring needs that many, but hardly any memory: try again "
        "without the limit";
  return error;
}

Expected<RingSnapshot> RingSnapshot::open(const std::string &path) {
  auto bad = [&](std::string message) {
    return Error{.code = "E_BAD_RING", .message = std::move(message), .file = path};
  };
  const FileDescriptor fd(openOrdinary(path, O_RDONLY | O_NOFOLLOW));
  if (!fd)
    return systemError(path, "cannot be opened", errno);
  struct stat info = {};
  const Error notBegun = {
      .code = kRingNotBegun, .message = "the ring file is empty: the process ended while it started", .file = path};
  if (::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0)
    return notBegun;
  if (!S_ISREG(info.st_mode) || static_cast<uint64_t>(info.st_size) < ADA_CHUNK_BYTES)
    return bad("not a ring file: it is too small or not a file");
  auto bytes = FileBytes::ofDescriptor(fd.get(), path, info);
  if (!bytes)
    return withAdvice(bytes.error(), info);
  RingSnapshot ring(std::move(*bytes), info);
  const ada_ring_header &h = ring.header();
  if (h.magic == 0)
    return notBegun;
  if (h.magic != ADA_RING_MAGIC)
    return bad("not a ring file: it does not begin with ADARING7");
  if (h.abi_version != ADA_ABI_VERSION)
    return bad("the ring file was written by ABI version " + std::to_string(h.abi_version) +
               ", this program reads version " + std::to_string(ADA_ABI_VERSION) +
               "; use the adatrace of the same release as the runtime");
  if (!ring::tablesFit(h, ring.bytes_.bytes().size()))
    return bad("the ring file's header is damaged: its tables lie outside of the file");
  return ring;
}

std::string RingSnapshot::directory() const {
  const auto *text = reinterpret_cast<const char *>(base() + ringPathOffset(header()));
  return ringDirectory(header(), {text, ::strnlen(text, ADA_RING_PATH_BYTES)});
}

const ada_anchor *RingSnapshot::anchors() const {
  return reinterpret_cast<const ada_anchor *>(base() + ADA_RING_ANCHORS_OFFSET);
}

uint64_t RingSnapshot::timeOfAnchor(bool newest) const {
  const ada_ring_header &h = header();
  if (h.anchors_used == 0) // stamps are times of the system's clock
    return newest ? h.alive_ns : 0;
  const uint64_t kept = h.anchors_used > ADA_RING_ANCHORS ? h.anchors_used - ADA_RING_ANCHORS : 0;
  const uint64_t oldest = std::min(std::max(kept, h.anchors_from), h.anchors_used - 1);
  return anchors()[(newest ? h.anchors_used - 1 : oldest) % ADA_RING_ANCHORS].time_ns;
}

std::span<const ada_ring_module> RingSnapshot::modules() const {
  return {reinterpret_cast<const ada_ring_module *>(base() + header().modules_offset),
          static_cast<size_t>(header().modules_used)};
}

std::span<const ada_ring_thread> RingSnapshot::threads() const {
  return {reinterpret_cast<const ada_ring_thread *>(base() + header().threads_offset),
          static_cast<size_t>(header().threads_used)};
}

std::span<const std::byte> RingSnapshot::schedOf(const ada_ring_thread &thread) const {
  const auto slot = static_cast<size_t>(&thread - threads().data());
  if (slot >= ADA_RING_SCHEDS)
    return {};
  const auto &kept = reinterpret_cast<const ada_ring_sched *>(base() + ADA_RING_SCHED_OFFSET)[slot];
  if (kept.directory != header().directory_number || kept.bytes > sizeof kept.data)
    return {};
  return std::as_bytes(std::span(kept.data)).first(kept.bytes);
}

template <class Chunk> std::vector<const Chunk *> RingSnapshot::chunksOf(uint32_t index, uint32_t state) const {
  std::vector<const Chunk *> result;
  for (uint64_t n = 0; n < header().chunks_used; ++n) {
    const auto *c = reinterpret_cast<const Chunk *>(chunk(n));
    if (c->state == state && c->thread == index)
      result.push_back(c);
  }
  std::sort(result.begin(), result.end(), [](const Chunk *a, const Chunk *b) { return a->seq < b->seq; });
  return result;
}

std::vector<const ada_chunk *> RingSnapshot::chunksOf(uint32_t index) const {
  return chunksOf<ada_chunk>(index, ADA_CHUNK_USED);
}

std::vector<const ada_detail_chunk *> RingSnapshot::detailOf(uint32_t index) const {
  return chunksOf<ada_detail_chunk>(index, ADA_CHUNK_DETAIL);
}

std::span<const ada_ring_note> RingSnapshot::notes(const ada_ring_thread &thread, unsigned cursor) const {
  const uint64_t number = thread.notes_chunk;
  if (number == 0 || number > header().chunks_used || thread.cursor[cursor].notes == ADA_NOTES_MISSING)
    return {};
  const ada_chunk *c = chunk(number - 1);
  if (c->state != ADA_CHUNK_NOTES || c->thread != thread.index)
    return {};
  const uint64_t count = std::min<uint64_t>(thread.cursor[cursor].notes, ADA_CHUNK_NOTES_PER_CURSOR);
  return {reinterpret_cast<const ada_ring_note *>(c + 1) + cursor * ADA_CHUNK_NOTES_PER_CURSOR,
          static_cast<size_t>(count)};
}

} // namespace ada::recover
