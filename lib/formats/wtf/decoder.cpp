// The decoder: which part of the file the next bytes belong to, and what to keep until more come.
//
// Bytes are consumed in units: the header, a record, a chunk. A unit that is complete in the pushed bytes is read in
// place. The beginning of an incomplete unit is kept in `pending`, together with the size that is known to be needed,
// so that nothing is tried again before enough bytes have come.
#include "ada/trace/wtf/decoder.h"

#include "bytes.h"
#include "chunk.h"
#include "header.h"
#include "record_parser.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::wtf {

Visitor::~Visitor() = default;

struct Decoder::State {
  State(Visitor &visitor, DecoderOptions options)
      : visitor(visitor), options(options), parser(visitor, options.maxRecordBytes) {}

  Expected<void> push(std::span<const std::byte> bytes);
  Expected<void> consume(std::span<const std::byte> bytes, size_t &used);
  Expected<size_t> step(std::span<const std::byte> bytes);
  Expected<size_t> stepHeader(std::span<const std::byte> bytes);
  Expected<size_t> stepRecord(std::span<const std::byte> bytes);
  Expected<size_t> stepChunk(std::span<const std::byte> bytes);
  Expected<void> readChunk(const ChunkHead &head, std::span<const std::byte> bytes);
  Expected<void> readEvents(const Part &part, const std::optional<Part> &strings);
  Expected<void> finish();
  void begin();

  size_t wait(uint64_t size) {
    need = size;
    return 0;
  }
  Error truncated(uint64_t offset, const std::string &inside) const {
    return errorAt("E_TRUNCATED", offset,
                   "the file ends at byte " + std::to_string(position + pending.size()) + ", " + inside +
                       ": its end is missing; " + std::to_string(parser.delivered()) + " records before it were read");
  }
  WarningSink warner() {
    return [this](const char *code, std::string message) { parser.warn(code, std::move(message)); };
  }

  Visitor &visitor;
  DecoderOptions options;
  RecordParser parser;
  enum class Phase { Start, Header, Records, Chunks } phase = Phase::Start;
  std::vector<std::byte> pending;
  uint64_t need = 1;     // pending need not be looked at before it has this size
  uint64_t position = 0; // of pending's first byte, or of the next byte pushed
  uint64_t skip = 0;     // bytes left of a chunk that is not read
  uint64_t chunkStart = 0;
  bool hasHeader = false, hasEvents = false;
  FileHeader header;
  std::optional<Error> failure;
};

Expected<void> Decoder::State::push(std::span<const std::byte> bytes) {
  while (!bytes.empty() || (!pending.empty() && pending.size() >= need)) {
    size_t used = 0;
    if (pending.empty()) {
      ADA_TRY(consume(bytes, used));
      bytes = bytes.subspan(used);
      pending.assign(bytes.begin(), bytes.end());
      return {};
    }
    const size_t take = std::min<uint64_t>(bytes.size(), need > pending.size() ? need - pending.size() : 0);
    pending.insert(pending.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(take));
    bytes = bytes.subspan(take);
    if (pending.size() < need)
      return {};
    ADA_TRY(consume(pending, used));
    pending.erase(pending.begin(), pending.begin() + static_cast<ptrdiff_t>(used));
  }
  return {};
}

Expected<void> Decoder::State::consume(std::span<const std::byte> bytes, size_t &used) {
  for (;;) {
    auto stepped = ADA_TRY(step(bytes.subspan(used)));
    if (stepped == 0)
      return {};
    used += stepped;
    position += stepped;
  }
}

/// Consumes a unit and returns its size. If the unit is not complete, sets `need` and returns 0.
Expected<size_t> Decoder::State::step(std::span<const std::byte> bytes) {
  if (bytes.empty())
    return wait(1);
  switch (phase) {
  case Phase::Start: {
    if (bytes.size() < 4)
      return wait(4);
    if (bytes.size() < 12 && hasMagic(bytes))
      return wait(12);
    auto dialect = ADA_TRY(sniff(bytes));
    header.dialect = dialect;
    if (dialect != Dialect::Chunked) {
      phase = Phase::Header;
      return stepHeader(bytes);
    }
    phase = Phase::Chunks;
    header.wtfVersion = load32(bytes.data() + 4, false);
    header.eventsOffset = 12;
    return size_t{12};
  }
  case Phase::Header:
    return stepHeader(bytes);
  case Phase::Records:
    return stepRecord(bytes);
  case Phase::Chunks:
    return stepChunk(bytes);
  }
  return wait(1);
}

void Decoder::State::begin() {
  if (options.asciiText)
    header.asciiText = *options.asciiText;
  parser.begin(header.dialect, header.asciiText, header.timeScale);
  hasHeader = true;
  visitor.onHeader(header);
}

Expected<size_t> Decoder::State::stepHeader(std::span<const std::byte> bytes) {
  size_t more = 0;
  auto size = ADA_TRY(readV3Header(bytes, header, more, warner()));
  if (!size)
    return wait(more);
  phase = Phase::Records;
  begin();
  return *size;
}

Expected<size_t> Decoder::State::stepRecord(std::span<const std::byte> bytes) {
  auto outcome = ADA_TRY(parser.parse(bytes, position));
  if (outcome.what == RecordParser::Outcome::NeedMore)
    return wait(outcome.size);
  return static_cast<size_t>(outcome.size);
}

Expected<size_t> Decoder::State::stepChunk(std::span<const std::byte> bytes) {
  if (skip) {
    const size_t size = std::min<uint64_t>(skip, bytes.size());
    skip -= size;
    return size;
  }
  if (bytes.size() < kChunkHead)
    return wait(kChunkHead);
  auto head = ADA_TRY(readChunkHead(bytes, position));
  if (head.type != kHeaderChunk && head.type != kEventChunk) {
    chunkStart = position;
    skip = head.length;
    return stepChunk(bytes);
  }
  if (head.length > options.maxChunkBytes)
    return errorAt("E_LIMIT", position,
                   "a chunk claims " + std::to_string(head.length) + " bytes, more than the limit of " +
                       std::to_string(options.maxChunkBytes));
  if (bytes.size() < head.length)
    return wait(head.length);
  ADA_TRY(readChunk(head, bytes.first(head.length)));
  return size_t{head.length};
}

/// Reads a chunk, or as much of it as the file has.
Expected<void> Decoder::State::readChunk(const ChunkHead &head, std::span<const std::byte> bytes) {
  auto parts = ADA_TRY(readChunkParts(head, bytes, position));
  const bool complete = bytes.size() == head.length;
  if (head.type == kHeaderChunk) {
    if (!complete && !(parts.header && parts.header->complete))
      return {};
    if (hasHeader) {
      parser.warn("W_HEADER_AGAIN",
                  "at byte " + std::to_string(position) + ": the file has a second header chunk, which was ignored");
      return {};
    }
    if (!parts.header)
      return errorAt("E_BAD_HEADER", position, "the file header chunk has no header part");
    ADA_TRY(readChunkedHeader(asText(parts.header->bytes.data(), parts.header->bytes.size()), parts.header->offset,
                              header, warner()));
    begin();
    return {};
  }
  if (!hasHeader)
    return errorAt("E_BAD_HEADER", position, "the file has event data before its header chunk");
  hasEvents = true;
  if (parts.jsonEvents)
    parser.warn("W_JSON_EVENTS", "at byte " + std::to_string(position) +
                                     ": events in JSON form, which no program ever wrote, were skipped");
  return parts.events ? readEvents(*parts.events, parts.strings) : Expected<void>();
}

Expected<void> Decoder::State::readEvents(const Part &part, const std::optional<Part> &strings) {
  StringTable table;
  if (strings)
    table = StringTable(asText(strings->bytes.data(), strings->bytes.size()), strings->complete);
  parser.setStrings(&table);
  if (part.type == kLegacyEventsPart)
    parser.setLayout(Layout::PackedBig, options.asciiText.value_or(AsciiText::Latin1));
  else
    parser.setLayout(Layout::Aligned, AsciiText::Utf8);
  Expected<void> result;
  for (size_t at = 0; at < part.bytes.size();) {
    auto outcome = parser.parse(part.bytes.subspan(at), part.offset + at);
    if (!outcome) {
      result = outcome.error();
      break;
    }
    if (outcome->what == RecordParser::Outcome::Delivered) {
      at += outcome->size;
      continue;
    }
    parser.drop();
    if (part.complete && (!strings || strings->complete))
      result = errorAt("E_BAD_CHUNK", part.offset + at, "a record reaches over the end of its chunk's event part");
    else
      result = truncated(part.offset + at, "inside of a record");
    break;
  }
  if (result && !part.complete && !part.bytes.empty())
    result = truncated(part.offset + part.bytes.size(), "between two records of a chunk");
  parser.setStrings(nullptr);
  return result;
}

Expected<void> Decoder::State::finish() {
  switch (phase) {
  case Phase::Start:
    if (position + pending.size() == 0)
      return errorAt("E_TRUNCATED", 0, "the file is empty");
    return truncated(0, "inside of its first 12 bytes");
  case Phase::Header:
    return truncated(0, "inside of its header");
  case Phase::Records:
    if (!pending.empty())
      return truncated(position, "inside of a record");
    return {};
  case Phase::Chunks:
    break;
  }
  if (skip)
    return truncated(chunkStart, "inside of a chunk");
  if (pending.size() >= kChunkHead) {
    auto head = ADA_TRY(readChunkHead(pending, position));
    ADA_TRY(readChunk(head, pending));
  }
  if (!pending.empty())
    return truncated(position, "inside of a chunk");
  if (!hasHeader)
    return truncated(position, "before the header chunk");
  if (!hasEvents)
    return truncated(position, "before the first chunk with events");
  return {};
}

Decoder::Decoder(Visitor &visitor, DecoderOptions options) : state_(std::make_unique<State>(visitor, options)) {}
Decoder::Decoder(Decoder &&) noexcept = default;
Decoder &Decoder::operator=(Decoder &&) noexcept = default;
Decoder::~Decoder() = default;

Expected<void> Decoder::push(const void *data, size_t size) {
  if (state_->failure)
    return *state_->failure;
  auto pushed = state_->push({static_cast<const std::byte *>(data), size});
  if (!pushed)
    state_->failure = pushed.error();
  return pushed;
}

Expected<void> Decoder::finish() {
  if (state_->failure)
    return *state_->failure;
  auto finished = state_->finish();
  if (!finished)
    state_->failure = finished.error();
  return finished;
}

const FileHeader *Decoder::header() const noexcept { return state_->hasHeader ? &state_->header : nullptr; }
uint64_t Decoder::records() const noexcept { return state_->parser.delivered(); }

} // namespace ada::wtf
