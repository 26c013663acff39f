// Opens detail files: finds the footer, walks the events, keeps the offset of every eighth.
#include "ada/trace/atf_detail.h"

#include "formats/native/bytes/checks.h"
#include "formats/native/detail/detail_shared.h"
#include "trace/base/try.h"

namespace ada::atf {

Expected<DetailReader> DetailReader::open(const std::string &path, const OpenOptions &options) {
  auto file = ADA_TRY(FileBytes::open(path));
  DetailReader reader;
  reader.name_ = path;
  reader.shared_ = std::make_shared<Shared>();
  reader.shared_->file = std::move(file);
  reader.shared_->bytes = reader.shared_->file.bytes();
  reader.base_ = reader.shared_->bytes.data();
  reader.total_ = reader.shared_->bytes.size();
  ADA_TRY(reader.parse(options));
  return reader;
}

Expected<DetailReader> DetailReader::fromBytes(Bytes bytes, const std::string &name, const OpenOptions &options) {
  DetailReader reader;
  reader.name_ = name;
  reader.shared_ = std::make_shared<Shared>();
  reader.shared_->bytes = bytes;
  reader.base_ = bytes.data();
  reader.total_ = bytes.size();
  ADA_TRY(reader.parse(options));
  return reader;
}

static DetailHeader decodeHeader(const RawDetailHeader &raw) {
  return {.version = raw.version,
          .arch = raw.arch,
          .os = raw.os,
          .flags = raw.flags,
          .threadId = raw.threadId,
          .eventsOffset = raw.eventsOffset,
          .eventCount = raw.eventCount,
          .bytesLength = raw.bytesLength,
          .indexSeqStart = raw.indexSeqStart,
          .indexSeqEnd = raw.indexSeqEnd};
}

static DetailFooter decodeDetailFooter(Bytes file, uint64_t offset) {
  auto raw = load<RawDetailFooter>(file, offset);
  return {.offset = offset,
          .checksum = raw.checksum,
          .eventCount = raw.eventCount,
          .bytesLength = raw.bytesLength,
          .timeStartNs = raw.timeStartNs,
          .timeEndNs = raw.timeEndNs};
}

namespace {

// Why a walk ended.
enum class Stop { AtEnd, TooShort, Partial };

struct Walk {
  std::vector<uint64_t> offsets; // of every `stride`-th event
  uint64_t count = 0;
  uint64_t end = 0;    // start of the first bad event
  uint32_t length = 0; // the bad event's total_length, if it has one
  Stop why = Stop::AtEnd;
};

} // namespace

// Walks from event to event up to `last`, or to the first one that does not fit before it.
static Walk walkEvents(Bytes file, uint64_t first, uint64_t last, const FileBytes *pages, unsigned stride) {
  constexpr uint64_t kReleaseBytes = 4 << 20;
  Walk walk;
  uint64_t at = first, released = first;
  while (at < last) {
    if (pages && at - released > kReleaseBytes) {
      pages->release(file.subspan(released, at - released));
      released = at;
    }
    uint64_t rest = last - at;
    if (rest < kDetailEventHeaderBytes) {
      walk.why = Stop::Partial;
      break;
    }
    walk.length = load<Little32>(file, at);
    if (walk.length < kDetailEventHeaderBytes) {
      walk.why = Stop::TooShort;
      break;
    }
    if (walk.length > rest) {
      walk.why = Stop::Partial;
      break;
    }
    if (walk.count++ % stride == 0)
      walk.offsets.push_back(at);
    at += walk.length;
  }
  walk.end = at;
  return walk;
}

// Walks all events up to the footer, which has their number.
Expected<void> DetailReader::walkToFooter(const OpenOptions &options) {
  Bytes file{base_, static_cast<size_t>(total_)};
  const uint64_t end = foot_->offset;
  if (end < total_ - kFooterBytes)
    warn("W_TRAILING_BYTES", std::to_string(total_ - kFooterBytes - end) + " bytes after the footer were ignored");
  checksumNow_ = foot_->checksum == 0 ? ChecksumState::Unchecked : ChecksumState::Deferred;
  if (checksumNow_ == ChecksumState::Deferred && options.checksum == ChecksumPolicy::Verify)
    ADA_TRY(verifyChecksum());
  Walk walk = walkEvents(file, head_.eventsOffset, end, lowMemory_ ? &shared_->file : nullptr, kStride);
  if (walk.why != Stop::AtEnd) {
    const bool noHeader = end - walk.end < kDetailEventHeaderBytes;
    return Error{.code = "E_BAD_EVENT",
                 .message = noHeader ? "not enough bytes for an event before the footer; the file is damaged"
                                     : "the events can't be told apart from here on; the file is damaged",
                 .file = name_,
                 .offset = walk.end,
                 .field = noHeader ? "size of the rest" : "total_length",
                 .expected = noHeader ? "0, or 24 or more" : "24 to " + std::to_string(end - walk.end),
                 .found = std::to_string(noHeader ? end - walk.end : walk.length)};
  }
  if (walk.count != foot_->eventCount)
    return Error{.code = "E_BAD_FOOTER",
                 .message = "the footer's count is not the number of events; the footer is damaged",
                 .file = name_,
                 .offset = end + offsetof(RawDetailFooter, eventCount),
                 .field = "event_count",
                 .expected = std::to_string(walk.count),
                 .found = std::to_string(foot_->eventCount)};
  offsets_ = std::move(walk.offsets);
  count_ = walk.count;
  return {};
}

// Walks all events up to the end of the file or to the first invalid one. `doubtful`: offsets of possible footers,
// which have the magic.
Expected<void> DetailReader::walkWithoutFooter(const std::vector<uint64_t> &doubtful) {
  Bytes file{base_, static_cast<size_t>(total_)};
  const uint64_t start = head_.eventsOffset;
  warn("W_NO_FOOTER", "the writer did not finish (the program was killed, ended without exit(), or still runs); all "
                      "whole events in the file are used");
  Walk walk = walkEvents(file, start, total_, lowMemory_ ? &shared_->file : nullptr, kStride);
  for (uint64_t place : doubtful)
    if (walk.why != Stop::AtEnd && walk.end == place)
      return Error{.code = "E_BAD_FOOTER",
                   .message = "the footer's byte count is not the distance from the first event; the footer is damaged",
                   .file = name_,
                   .offset = place + offsetof(RawDetailFooter, bytesLength),
                   .field = "bytes_length",
                   .expected = std::to_string(place - start),
                   .found = std::to_string(decodeDetailFooter(file, place).bytesLength)};
  if (walk.why == Stop::TooShort)
    warn("W_BAD_EVENT_LENGTH", "at byte " + std::to_string(walk.end) + ": an event of " + std::to_string(walk.length) +
                                   " bytes is impossible; it and everything after it were ignored");
  else if (walk.why == Stop::Partial)
    warn("W_PARTIAL_EVENT",
         "the last " + std::to_string(total_ - walk.end) + " bytes are part of an event and were ignored");
  offsets_ = std::move(walk.offsets);
  count_ = walk.count;
  return {};
}

Expected<void> DetailReader::parse(const OpenOptions &options) {
  Bytes file{base_, static_cast<size_t>(total_)};
  if (total_ >= 4 && hasMagic(file, 0, packed::DetailKind::kMagic))
    return parsePacked(options);
  lowMemory_ = options.lowMemory;
  ADA_TRY(checkStart(file, "ATD2", name_));
  head_ = decodeHeader(load<RawDetailHeader>(file, 0));
  ADA_TRY(checkEventsOffset(head_.eventsOffset, offsetof(RawDetailHeader, eventsOffset), file, name_));

  // The header has no offset of the footer. The footer is at the end of the file, or after the number of bytes that the
  // header gives, and its own byte count must match its position. Bytes that have only the magic are doubtful: they may
  // be a damaged footer, or payload that looks like one.
  const uint64_t start = head_.eventsOffset;
  std::vector<uint64_t> doubtful;
  auto tryFooter = [&](uint64_t place) {
    if (foot_ || place < start || place > total_ - kFooterBytes || !hasMagic(file, place, "2DTA"))
      return;
    DetailFooter found = decodeDetailFooter(file, place);
    if (found.bytesLength == place - start)
      foot_ = found;
    else
      doubtful.push_back(place);
  };
  tryFooter(total_ - kFooterBytes);
  if (head_.bytesLength != 0 && head_.bytesLength <= total_ - start)
    tryFooter(start + head_.bytesLength);

  ADA_TRY(foot_ ? walkToFooter(options) : walkWithoutFooter(doubtful));
  if (head_.eventCount != count_)
    warn("W_HEADER_COUNT_STALE",
         "the header says " + std::to_string(head_.eventCount) + " events, but there are " + std::to_string(count_));
  return {};
}

Expected<void> DetailReader::verifyChecksum() {
  if (isPacked())
    return verifyPacked();
  if (checksumNow_ != ChecksumState::Deferred)
    return {};
  ADA_TRY(checkChecksum({base_ + head_.eventsOffset, static_cast<size_t>(foot_->bytesLength)}, head_.version,
                        foot_->checksum, foot_->offset, name_, lowMemory_ ? &shared_->file : nullptr));
  checksumNow_ = ChecksumState::Ok;
  return {};
}

void DetailReader::release() const noexcept {
  shared_->file.release(shared_->file.bytes());
  shared_->letGo();
}

DetailEvent DetailReader::operator[](uint64_t seq) const noexcept {
  if (isPacked())
    return packedAt(seq, nullptr);
  Bytes file{base_, static_cast<size_t>(total_)};
  uint64_t at = offsets_[seq / kStride];
  for (uint64_t steps = seq % kStride; steps > 0; --steps)
    at += load<Little32>(file, at);
  return decode(seq, at);
}

DetailEvent DetailReader::after(const DetailEvent &event) const noexcept {
  return isPacked() ? packedAt(event.seq + 1, event.block) : decode(event.seq + 1, event.offset + event.totalLength);
}

DetailEvent DetailReader::decode(uint64_t seq, uint64_t offset) const noexcept {
  Bytes file{base_, static_cast<size_t>(total_)};
  DetailEvent event;
  event.seq = seq;
  event.offset = offset;
  if (head_.version == 1) {
    auto raw = load<RawDetailEventV1>(file, event.offset);
    event.totalLength = raw.totalLength;
    event.type = raw.type;
    event.flags = raw.flags;
    event.indexSeq = raw.indexSeq;
    event.threadId = raw.threadId;
    event.timestampNs = raw.timestampNs;
  } else {
    auto raw = load<RawDetailEventV2>(file, event.offset);
    event.totalLength = raw.totalLength;
    event.type = raw.type;
    event.flags = raw.flags;
    event.indexSeq = raw.indexSeq;
    event.threadId = head_.threadId;
    event.timestampNs = raw.timestampNs;
  }
  event.payload = file.subspan(event.offset + kDetailEventHeaderBytes, event.totalLength - kDetailEventHeaderBytes);
  return event;
}

std::optional<FunctionPayload> DetailEvent::function() const {
  if (payload.size() < kFunctionPayloadBytes)
    return std::nullopt;
  auto raw = load<RawFunctionPayload>(payload, 0);
  size_t stackBytes = raw.stackBytes;
  if (stackBytes > kMaxStackBytes || payload.size() != kFunctionPayloadBytes + stackBytes)
    return std::nullopt;
  FunctionPayload function;
  function.functionId = raw.functionId;
  for (size_t i = 0; i < function.registers.size(); ++i)
    function.registers[i] = raw.registers[i];
  function.lr = raw.lr;
  function.fp = raw.fp;
  function.sp = raw.sp;
  function.stack = payload.subspan(kFunctionPayloadBytes);
  return function;
}

std::optional<VectorPayload> DetailEvent::vectors() const {
  if (type != kDetailVectors || payload.size() < sizeof(RawVectorPayload))
    return std::nullopt;
  auto raw = load<RawVectorPayload>(payload, 0);
  if (raw.bytesEach == 0 || payload.size() != sizeof(RawVectorPayload) + size_t{raw.count} * raw.bytesEach)
    return std::nullopt;
  return VectorPayload{.functionId = raw.functionId,
                       .count = raw.count,
                       .bytesEach = raw.bytesEach,
                       .registers = payload.subspan(sizeof(RawVectorPayload))};
}

std::optional<ContentsPayload> DetailEvent::contents() const {
  if (type != kDetailContents || payload.size() < sizeof(RawContentsPayload))
    return std::nullopt;
  const auto raw = load<RawContentsPayload>(payload, 0);
  ContentsPayload found{.functionId = raw.functionId};
  size_t at = sizeof raw;
  for (unsigned i = 0; i < raw.count; ++i) {
    if (payload.size() - at < sizeof(RawContents))
      return std::nullopt;
    const auto head = load<RawContents>(payload, at);
    at += sizeof head;
    const size_t bytes = head.bytes, filled = (bytes + 7) / 8 * 8;
    if (payload.size() - at < filled)
      return std::nullopt;
    types::Contents contents{.where = head.where, .isUnreadable = (head.flags & kContentsUnreadable) != 0};
    if (head.length != kUnknownLength)
      contents.length = head.length;
    contents.bytes = payload.subspan(at, bytes);
    found.contents.push_back(contents);
    at += filled;
  }
  return at == payload.size() ? std::optional(std::move(found)) : std::nullopt;
}

} // namespace ada::atf
