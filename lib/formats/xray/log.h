// The bytes of XRay's logs, as compiler-rt writes them (xray_records.h, xray_fdr_log_records.h).
#pragma once

#include "ada/trace/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ada::formats::xray {

enum class Mode : uint16_t { Basic = 0, FlightRecorder = 1 };

struct Header {
  static constexpr size_t kBytes = 32;
  uint16_t version = 0;
  Mode mode = Mode::Basic;
  uint64_t ticksPerSecond = 0;
  uint64_t bufferBytes = 0; ///< of version 1's blocks
};
/// Nothing if there are too few bytes, or they can't be a header, which has no magic number.
std::optional<Header> headerOf(std::span<const std::byte> bytes);

enum class Kind : uint8_t { Enter, Exit, TailExit, EnterWithArgument, Argument, CustomEvent, TypedEvent };

struct Record {
  Kind kind = Kind::Enter;
  uint32_t function = 0;
  uint64_t ticks = 0;
  uint32_t pid = 0, tid = 0;
  uint64_t argument = 0;      ///< of Argument; for TypedEvent its type
  std::string_view text = {}; ///< of CustomEvent, TypedEvent
};

/// Reads a record of 32 bytes. Nothing if its kind is unknown.
std::optional<Record> basicRecord(std::span<const std::byte, 32> bytes);

/// A buffer that a thread filled.
struct Block {
  uint32_t pid = 0, tid = 0;
  uint64_t wallSeconds = 0, wallRest = 0; ///< when it began
  uint64_t offset = 0, bytes = 0;         ///< of its records in the log
};

/// Finds the blocks of a flight data recorder's log. Damaged parts are left out and reported once in `problem`.
std::vector<Block> blocksOf(std::span<const std::byte> log, const Header &header, std::optional<Error> &problem);

/// Goes through the records of a block.
class BlockReader {
public:
  BlockReader(std::span<const std::byte> log, const Header &header, const Block &block)
      : log_(log), header_(header), block_(block), at_(block.offset), end_(block.offset + block.bytes) {}

  /// The next function, argument or event; nothing at the end.
  std::optional<Record> next();
  const std::optional<Error> &problem() const { return problem_; }
  /// The block as the records at its beginning describe it.
  const Block &block() const { return block_; }

private:
  std::optional<Record> metadata();
  template <class Number> Number load(size_t at) const;
  std::optional<Record> fail(const char *message);

  std::span<const std::byte> log_;
  const Header &header_;
  Block block_;
  uint64_t at_, end_;
  uint64_t ticks_ = 0;
  bool isOver_ = false;
  std::optional<Error> problem_;
};

} // namespace ada::formats::xray
