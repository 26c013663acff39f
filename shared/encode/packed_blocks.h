// Puts packed files together and takes them apart: file header, blocks, block index, trailer.
//
// A block is written in place. begin() gives its start with a placeholder for a header, encode() its body, which is
// appended in pieces of any size, and close() the header to be written over the placeholder. A file is valid at every
// moment: a kill leaves the last block open, and an open block goes to the end of the file.
//
//   writer.begin(start, sum)       pwrite at the next multiple of kBlockAlignment
//   Encoder::Run run(writer, to)   into a buffer
//   writer.added(buffer, n, sum)   append
//   if (writer.isFull()) writer.close(sum) …   pwrite over the placeholder
//
// `Sum` is CRC-32C: (sum of the bytes before, or 0; bytes; how many) -> sum. The runtime and the library each have one.
#pragma once

#include "atf.h"
#include "packed_decoder.h"
#include "packed_encoder.h"

namespace ada::packed {

using atf::FileOrigin; // its version is ignored here

struct FileTotals {
  uint64_t events = 0, firstNs = 0, lastNs = 0;
};

// Sets the checksum that a header or trailer ends with, or says whether it is right.
template <class Raw, class Sum> void seal(Raw &raw, Sum &&sum) {
  raw.checksum = sum(uint32_t{0}, static_cast<const void *>(&raw), offsetof(Raw, checksum));
}
template <class Raw, class Sum> bool isSealed(const Raw &raw, Sum &&sum) {
  return raw.checksum == sum(uint32_t{0}, static_cast<const void *>(&raw), offsetof(Raw, checksum));
}

//===--- file header, block index, trailer --------------------------------===//

// `totals` null: the file is being written.
template <class Sum>
RawFileHeader encodeFileHeader(const FileOrigin &origin, const FileTotals *totals, uint64_t trailerOffset,
                               bool hasDetail, Sum &&sum, uint64_t blocksOffset = kFileHeaderBytes,
                               uint64_t droppedCount = 0) {
  RawFileHeader raw = {};
  __builtin_memcpy(raw.magic, "ATPK", 4);
  raw.endian = atf::kLittleEndian, raw.version = kVersion, raw.arch = origin.arch, raw.os = origin.os;
  raw.threadId = origin.threadId, raw.clockType = origin.clockType;
  raw.blocksOffset = blocksOffset, raw.droppedCount = droppedCount;
  if (totals) {
    raw.flags = kFileFinished | (hasDetail ? kFileHasDetail : 0);
    raw.trailerOffset = trailerOffset, raw.eventCount = totals->events;
    raw.timeStartNs = totals->firstNs, raw.timeEndNs = totals->lastNs;
  }
  seal(raw, sum);
  return raw;
}

inline RawIndexHead encodeIndexHead(uint64_t blocks) {
  RawIndexHead raw = {};
  __builtin_memcpy(raw.magic, "ATPX", 4);
  raw.entryBytes = kIndexEntryBytes, raw.blocks = blocks;
  return raw;
}

// The bytes of a block before its body, of a closed block in the file, and of its body when it isn't compressed.
inline size_t startBytes(const RawBlockHeader &block) { return kBlockHeaderBytes + block.callsBytes; }
inline uint64_t blockBytes(const RawBlockHeader &block) { return startBytes(block) + uint64_t{block.bodyBytes}; }
inline uint64_t unpackedBytes(const RawBlockHeader &block) { return block.plainBytes; }

// For a closed block.
inline RawIndexEntry encodeIndexEntry(uint64_t offset, const RawBlockHeader &block) {
  RawIndexEntry raw = {};
  raw.offset = offset, raw.firstSeq = block.firstSeq, raw.eventCount = block.eventCount;
  raw.firstNs = block.firstNs, raw.lastNs = block.lastNs;
  raw.bytes = static_cast<uint32_t>(blockBytes(block));
  raw.flags = block.flags;
  return raw;
}

// `indexChecksum`: of head and entries.
template <class Sum>
RawTrailer encodeTrailer(uint64_t indexOffset, uint64_t blocks, uint32_t indexChecksum, const FileTotals &totals,
                         bool unsorted, Sum &&sum) {
  RawTrailer raw = {};
  __builtin_memcpy(raw.magic, "KPTA", 4);
  raw.indexChecksum = indexChecksum, raw.indexOffset = indexOffset, raw.blocks = blocks;
  raw.eventCount = totals.events, raw.timeStartNs = totals.firstNs, raw.timeEndNs = totals.lastNs;
  raw.unsorted = unsorted;
  seal(raw, sum);
  return raw;
}

//===--- blocks -----------------------------------------------------------===//

// Whether these bytes are the header of a block that this version can read.
template <class Sum> bool isBlockHeader(const RawBlockHeader &raw, Sum &&sum) {
  return __builtin_memcmp(raw.magic, "ATPB", 4) == 0 && isSealed(raw, sum) && raw.version == kVersion &&
         (raw.flags & ~kBlockFlags) == 0 && raw.knownCalls <= kMaxKnownCalls && raw.knownCalls <= raw.depth &&
         raw.callsBytes <= kMaxKnownCalls * kMaxOpenCallBytes;
}

// Puts a decoder at a block's start; `calls` are the header's callsBytes. False if they are damaged.
inline bool beginDecoding(Decoder &decoder, const RawBlockHeader &raw, const Byte *calls) {
  State &state = decoder.state;
  state.beginBlock();
  state.lastNs = raw.beforeNs, state.depth = raw.depth, state.floor = raw.depth - raw.knownCalls;
  // Numbers may be cut off; reading them must not go beyond the list.
  Byte padded[kMaxOpenCallBytes];
  const Byte *const end = calls + raw.callsBytes;
  uint32_t module = 0;
  uint64_t beginNs = 0;
  for (uint64_t level = state.floor; level < state.depth; ++level) {
    const auto left = static_cast<size_t>(end - calls);
    const Byte *at = calls;
    if (left < sizeof padded) {
      __builtin_memset(padded, 0, sizeof padded);
      __builtin_memcpy(padded, calls, left);
      at = padded;
    }
    const Byte *const from = at;
    uint64_t function = 0, passed = 0;
    if (!getFunction(at, function, module) || !getVarint(at, passed) || static_cast<size_t>(at - from) > left)
      return false;
    calls += at - from;
    beginNs += passed;
    state.at(level) = {Product::of(function), beginNs};
  }
  return calls == end;
}

class BlockWriter : public Encoder {
public:
  // The number of the first event, before any block.
  void startAt(uint64_t seq) { seq_ = seq; }
  // Begins a block. Writes its start, at most kMaxBlockStartBytes, and returns how many bytes that is.
  template <class Sum> size_t begin(Byte *to, Sum &&sum) {
    firstSeq_ = seq_, beforeNs_ = state.lastNs, depth_ = state.depth;
    knownCalls_ = static_cast<uint16_t>(state.depth - state.floor);
    unsorted = wasUnsorted_ = beforeNs_ >> 63 != 0;
    if (events > 0) // otherwise it has changed nothing, and the memory of a new file need not be touched
      state.beginBlock();
    events = 0, firstNs = 0;
    kept_ = {}, bodyBytes_ = 0;
    Byte *const calls = to + kBlockHeaderBytes, *end = calls;
    uint32_t module = 0;
    uint64_t beginNs = 0;
    for (uint64_t level = state.floor; level < state.depth; ++level) {
      const State::OpenCall &call = state.at(level);
      end = putVarint(putFunction(end, call.function.functionId(), module), call.beginNs - beginNs);
      beginNs = call.beginNs;
    }
    callsBytes_ = static_cast<uint32_t>(end - calls);
    checksum_ = sum(uint32_t{0}, static_cast<const void *>(calls), callsBytes_);
    isOpen_ = true;
    const RawBlockHeader placeholder = header(true, sum);
    __builtin_memcpy(to, &placeholder, sizeof placeholder);
    return static_cast<size_t>(end - to);
  }

  // These bytes, everything encoded since the last time, are in the file. Don't pass bytes that could not be written:
  // close the block instead, and those events are lost.
  template <class Sum> void added(const Byte *body, size_t bytes, Sum &&sum) {
    checksum_ = sum(checksum_, static_cast<const void *>(body), bytes);
    bodyBytes_ += bytes;
    kept_ = {events, firstNs, state.lastNs};
    wasUnsorted_ = unsorted;
    seq_ = firstSeq_ + events;
  }

  // The header of the block, with what is in the file. The next event needs a new block.
  template <class Sum> RawBlockHeader close(Sum &&sum) {
    isOpen_ = false;
    return header(false, sum);
  }

  bool isOpen() const { return isOpen_; }
  bool isFull(size_t most = kBlockBodyBytes) const { return bodyBytes_ >= most; }
  // Number of the next event in the file; startAt() sets where the numbers begin, before the first block.
  uint64_t nextSeq() const { return seq_; }
  uint64_t bodyBytes() const { return bodyBytes_; }
  size_t startBytes() const { return kBlockHeaderBytes + callsBytes_; }
  uint64_t blockBytes() const { return startBytes() + bodyBytes_; }

  // Continues an open block that another process began and left, for example because it was killed.
  // `start` is the header and the open calls, `body` everything the file has after them; events from number `beforeSeq`
  // on don't count. Returns how many bytes of the body are used: the next event goes there.
  template <class Sum> size_t resume(const Byte *start, const Byte *body, size_t bytes, uint64_t beforeSeq, Sum &&sum);

private:
  template <class Sum> RawBlockHeader header(bool open, Sum &sum) const {
    RawBlockHeader raw = {};
    __builtin_memcpy(raw.magic, "ATPB", 4);
    raw.version = kVersion, raw.knownCalls = knownCalls_;
    raw.flags = static_cast<uint8_t>((open ? kBlockOpen : 0) | (!open && wasUnsorted_ ? kBlockUnsorted : 0));
    raw.firstSeq = firstSeq_, raw.depth = depth_, raw.beforeNs = beforeNs_, raw.callsBytes = callsBytes_;
    if (!open) {
      raw.firstNs = kept_.firstNs, raw.lastNs = kept_.lastNs, raw.eventCount = kept_.events;
      raw.bodyBytes = raw.plainBytes = static_cast<uint32_t>(bodyBytes_);
      raw.bodyChecksum = checksum_;
    }
    seal(raw, sum);
    return raw;
  }

  uint64_t seq_;
  uint64_t firstSeq_, beforeNs_, depth_, bodyBytes_;
  FileTotals kept_;
  uint32_t callsBytes_, checksum_;
  uint16_t knownCalls_;
  bool isOpen_, wasUnsorted_;
};

template <class Sum>
size_t BlockWriter::resume(const Byte *start, const Byte *body, size_t bytes, uint64_t beforeSeq, Sum &&sum) {
  RawBlockHeader raw;
  __builtin_memcpy(&raw, start, sizeof raw);
  Decoder decoder(state);
  if (!beginDecoding(decoder, raw, start + kBlockHeaderBytes))
    return 0;
  firstSeq_ = raw.firstSeq, beforeNs_ = raw.beforeNs, depth_ = raw.depth;
  knownCalls_ = raw.knownCalls, callsBytes_ = raw.callsBytes;
  events = 0, firstNs = 0, unsorted = beforeNs_ >> 63 != 0;
  const Byte *at = body;
  for (uint64_t before = beforeNs_; firstSeq_ + events < beforeSeq; before = state.lastNs) {
    const auto used = static_cast<size_t>(at - body);
    Event event;
    const Decoded how = decoder.next(at, body + bytes, event);
    if (how == Decoded::Bad) // the state can't be used any more
      return resume(start, body, used, beforeSeq, sum);
    if (how == Decoded::End)
      break;
    if (events++ == 0)
      firstNs = event.ns;
    unsorted |= mayGoBack(event.ns - before, event.ns);
  }
  bodyBytes_ = 0;
  checksum_ = sum(uint32_t{0}, static_cast<const void *>(start + kBlockHeaderBytes), size_t{callsBytes_});
  isOpen_ = true;
  const auto used = static_cast<size_t>(at - body);
  added(body, used, sum);
  return used;
}

} // namespace ada::packed
