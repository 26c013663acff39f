// A ring file, open for reading and checked: nothing in it is trusted.
#pragma once

#include "ada/trace/error.h"
#include "shared/ring/ring_file.h"
#include "trace/base/file_bytes.h"

#include <cstddef>
#include <span>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace ada::recover {

inline constexpr const char *kRingNotBegun = "E_RING_NOT_BEGUN";

class RingSnapshot {
public:
  // Errors: E_IO, E_BAD_RING, and kRingNotBegun if the process had recorded nothing.
  static Expected<RingSnapshot> open(const std::string &path);

  const ada_ring_header &header() const { return *reinterpret_cast<const ada_ring_header *>(base()); }
  // The process directory to which the ring file says it belongs.
  std::string directory() const;
  // The file that was opened. It may be removed only while its name still means this file.
  const struct stat &file() const { return file_; }
  const ada_anchor *anchors() const;
  // The time of the oldest usable anchor or, with `newest`, the last known time: that of the newest anchor.
  uint64_t timeOfAnchor(bool newest) const;
  std::span<const ada_ring_module> modules() const;
  std::span<const ada_ring_thread> threads() const;

  // The chunks of thread N that are in use, oldest first.
  std::vector<const ada_chunk *> chunksOf(uint32_t index) const;
  // The chunks of thread N's detail that wait for a trigger, oldest first.
  std::vector<const ada_detail_chunk *> detailOf(uint32_t index) const;
  // The scheduling record of one of threads(); empty if that is in its file, or there is none.
  std::span<const std::byte> schedOf(const ada_ring_thread &thread) const;
  // The notes that the thread's cursor 0 or 1 has about its open calls.
  std::span<const ada_ring_note> notes(const ada_ring_thread &thread, unsigned cursor) const;

private:
  RingSnapshot(FileBytes bytes, const struct stat &file) : bytes_(std::move(bytes)), file_(file) {}
  const std::byte *base() const { return bytes_.bytes().data(); }
  template <class Chunk> std::vector<const Chunk *> chunksOf(uint32_t index, uint32_t state) const;
  const ada_chunk *chunk(uint64_t number) const {
    return reinterpret_cast<const ada_chunk *>(base() + header().chunks_offset + number * ADA_CHUNK_BYTES);
  }

  FileBytes bytes_;
  struct stat file_;
};

} // namespace ada::recover
