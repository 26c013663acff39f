// Random events of all kinds, and packed files of them.
#pragma once

#include "formats/native/bytes/checksum.h"
#include "shared/encode/packed_blocks.h"

#include <memory>
#include <random>
#include <vector>

namespace ada::packed {

/// The kinds of random events.
enum class Shape {
  Program, ///< nested calls of few functions in some order, like real programs
  Deep,    ///< far more open calls than the format keeps track of
  Exits,   ///< as Wild, with exits of all kinds
  Wild,    ///< anything: stray exits, unknown kinds, any function, times going anywhere, links
};

std::vector<Event> randomEvents(Shape shape, size_t count, unsigned seed);

inline constexpr auto kSum = [](uint32_t before, const void *data, size_t bytes) {
  return atf::crc32c(before, data, bytes);
};

/// Encodes an event with all that is stored with it.
Byte *encodeWhole(Encoder &encoder, Byte *to, const Event &event);

/// The blocks of a file, without a file header.
struct Blocks {
  std::vector<Byte> bytes;
  std::vector<size_t> starts;
  std::unique_ptr<BlockWriter> writer = std::make_unique<BlockWriter>();

  /// Writes events in pieces, into blocks with bodies of at least `bodyBytes`. The last block stays open.
  void add(const std::vector<Event> &events, size_t bodyBytes, size_t eventsInPiece);
  void close();
};

/// All events of the blocks, including those of an open one. `firstSeqs`, if given, gets the first of each block.
std::vector<Event> decodeBlocks(const std::vector<Byte> &bytes, std::vector<uint64_t> *firstSeqs = nullptr);

} // namespace ada::packed
