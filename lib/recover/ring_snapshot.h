// A ring file, mapped for reading and checked: nothing in it is trusted.
#ifndef ADA_LIB_RECOVER_RING_SNAPSHOT_H
#define ADA_LIB_RECOVER_RING_SNAPSHOT_H

#include "ada/ring_file.h"
#include "ada/trace/error.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ada {

class RingSnapshot {
public:
  // Errors: E_IO, E_BAD_RING.
  static Expected<RingSnapshot> open(const std::string &path);
  RingSnapshot(RingSnapshot &&other) noexcept;
  RingSnapshot &operator=(RingSnapshot &&) = delete;
  ~RingSnapshot();

  const ada_ring_header &header() const { return *reinterpret_cast<const ada_ring_header *>(base); }
  const ada_anchor *anchors() const;
  std::span<const ada_ring_module> modules() const;
  std::span<const ada_ring_thread> threads() const;

  // The chunks of thread N that are in use, oldest first.
  std::vector<const ada_chunk *> chunksOf(std::uint32_t index) const;

private:
  RingSnapshot(const std::byte *base, std::size_t size) : base(base), size(size) {}
  // True if `count` elements of `bytes` bytes from `offset` lie in the file.
  bool holds(std::uint64_t offset, std::uint64_t count, std::uint64_t bytes) const {
    return offset <= size && offset % 64 == 0 && count <= (size - offset) / bytes;
  }

  const std::byte *base;
  std::size_t size;
};

} // namespace ada

#endif // ADA_LIB_RECOVER_RING_SNAPSHOT_H
