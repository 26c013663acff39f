// Reads the bytes of XRay's logs.
//
// A flight data recorder's log is a sequence of blocks. From version 2 on, each begins with a record of 16 bytes that
// says how many bytes follow. There may be anything between blocks. Records are 8 bytes (a function, and the ticks
// since the record before it) or 16 (everything else; the upper bits of the first byte say what, and its lowest bit is
// set).
#include "log.h"

#include <algorithm>
#include <cstring>

namespace ada::formats::xray {

namespace {

constexpr size_t kMetadataBytes = 16, kFunctionBytes = 8;
enum Metadata : unsigned {
  kNewBuffer,
  kEndOfBuffer,
  kNewCpu,
  kTscWrap,
  kWallTime,
  kCustomEvent,
  kCallArgument,
  kBufferExtents,
  kTypedEvent,
  kPid,
};
constexpr std::byte kExtentsByte{kBufferExtents << 1 | 1};

template <class Number> Number loadAt(const std::byte *bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

} // namespace

std::optional<Header> headerOf(std::span<const std::byte> bytes) {
  if (bytes.size() < Header::kBytes)
    return std::nullopt;
  Header header;
  header.version = loadAt<uint16_t>(&bytes[0]);
  const auto mode = loadAt<uint16_t>(&bytes[2]);
  header.mode = Mode{mode};
  header.ticksPerSecond = loadAt<uint64_t>(&bytes[8]);
  header.bufferBytes = loadAt<uint64_t>(&bytes[16]);
  // No CPU counts faster than a terahertz.
  if (header.version < 1 || header.version > 5 || mode > 1 || header.ticksPerSecond > 1'000'000'000'000)
    return std::nullopt;
  return header;
}

std::optional<Record> basicRecord(std::span<const std::byte, 32> bytes) {
  const auto type = loadAt<uint16_t>(&bytes[0]);
  const auto kind = static_cast<unsigned>(bytes[3]);
  Record record;
  record.function = loadAt<uint32_t>(&bytes[4]);
  if (type == 1) {
    record.kind = Kind::Argument;
    record.tid = loadAt<uint32_t>(&bytes[8]);
    record.pid = loadAt<uint32_t>(&bytes[12]);
    record.argument = loadAt<uint64_t>(&bytes[16]);
    return record;
  }
  if (type != 0 || kind > 3)
    return std::nullopt;
  record.kind = Kind{static_cast<uint8_t>(kind)};
  record.ticks = loadAt<uint64_t>(&bytes[8]);
  record.tid = loadAt<uint32_t>(&bytes[16]);
  record.pid = loadAt<uint32_t>(&bytes[20]);
  return record;
}

std::vector<Block> blocksOf(std::span<const std::byte> log, const Header &header, std::optional<Error> &problem) {
  std::vector<Block> blocks;
  const auto add = [&](uint64_t offset, uint64_t bytes) {
    Block block{.offset = offset, .bytes = bytes};
    BlockReader reader(log, header, block);
    (void)reader.next(); // reads process, thread and time of the block, which come first
    if (reader.problem() && !problem)
      problem = reader.problem();
    block = reader.block();
    blocks.push_back(block);
  };
  uint64_t at = Header::kBytes;
  if (header.version == 1) {
    const uint64_t step = header.bufferBytes ? header.bufferBytes : log.size();
    for (; at < log.size(); at += std::min<uint64_t>(step, log.size() - at))
      add(at, std::min<uint64_t>(step, log.size() - at));
    return blocks;
  }
  while (at < log.size()) {
    const auto found = std::ranges::find(log.begin() + static_cast<ptrdiff_t>(at), log.end(), kExtentsByte);
    at = static_cast<uint64_t>(found - log.begin());
    if (log.size() - at < kMetadataBytes) {
      if (at < log.size() && !problem)
        problem = Error{.code = "E_TRUNCATED", .message = "the log ends within a record", .offset = at};
      break;
    }
    const auto bytes = loadAt<uint64_t>(&log[at + 1]);
    at += kMetadataBytes;
    const uint64_t there = std::min<uint64_t>(bytes, log.size() - at);
    if (there < bytes && !problem)
      problem = Error{.code = "E_TRUNCATED",
                      .message = "the log ends within a block; everything before its end was read",
                      .offset = log.size()};
    if (there > 0)
      add(at, there);
    at += there;
  }
  return blocks;
}

template <class Number> Number BlockReader::load(size_t at) const { return loadAt<Number>(&log_[at_ + at]); }

std::optional<Record> BlockReader::fail(const char *message) {
  problem_ = Error{.code = "E_BAD_RECORD", .message = message, .offset = at_};
  isOver_ = true;
  return std::nullopt;
}

// Reads a record that is not a function's. Nothing if it only describes the records that follow.
std::optional<Record> BlockReader::metadata() {
  Record record;
  record.pid = block_.pid;
  record.tid = block_.tid;
  uint64_t size = 0; // bytes that follow the record
  switch (static_cast<unsigned>(log_[at_]) >> 1) {
  case kNewBuffer:
    block_.tid = load<uint32_t>(1);
    break;
  case kEndOfBuffer:
    isOver_ = true;
    break;
  case kNewCpu:
    ticks_ = load<uint64_t>(3);
    break;
  case kTscWrap:
    ticks_ = load<uint64_t>(1);
    break;
  case kWallTime:
    block_.wallSeconds = load<uint64_t>(1);
    block_.wallRest = load<uint32_t>(9);
    break;
  case kPid:
    block_.pid = load<uint32_t>(1);
    break;
  case kBufferExtents:
    break;
  case kCallArgument:
    record.kind = Kind::Argument;
    record.argument = load<uint64_t>(1);
    record.ticks = ticks_;
    at_ += kMetadataBytes;
    return record;
  case kCustomEvent:
    record.kind = Kind::CustomEvent;
    size = load<uint32_t>(1);
    if (header_.version >= 5)
      ticks_ += load<uint32_t>(5);
    record.ticks = header_.version >= 5 ? ticks_ : load<uint64_t>(5);
    break;
  case kTypedEvent:
    record.kind = Kind::TypedEvent;
    size = load<uint32_t>(1);
    record.argument = load<uint16_t>(9);
    record.ticks = ticks_ += load<uint32_t>(5);
    break;
  default:
    return fail("this is not an XRay record; the rest of its block was left out");
  }
  at_ += kMetadataBytes;
  if (record.kind != Kind::CustomEvent && record.kind != Kind::TypedEvent)
    return std::nullopt;
  if (size > end_ - at_)
    return fail("an event is longer than its block");
  record.text = {reinterpret_cast<const char *>(log_.data()) + at_, size};
  at_ += size;
  return record;
}

std::optional<Record> BlockReader::next() {
  while (!isOver_ && at_ < end_) {
    const bool isFunction = (log_[at_] & std::byte{1}) == std::byte{0};
    if (end_ - at_ < (isFunction ? kFunctionBytes : kMetadataBytes))
      return fail("a block ends within a record");
    if (!isFunction) {
      if (auto record = metadata())
        return record;
      continue;
    }
    const auto bits = load<uint32_t>(0);
    const unsigned kind = bits >> 1 & 7;
    if (kind > 3)
      return fail("this is not an XRay record; the rest of its block was left out");
    ticks_ += load<uint32_t>(4);
    Record record{.kind = Kind{static_cast<uint8_t>(kind)}, .function = bits >> 4, .ticks = ticks_};
    record.pid = block_.pid;
    record.tid = block_.tid;
    at_ += kFunctionBytes;
    return record;
  }
  return std::nullopt;
}

} // namespace ada::formats::xray
