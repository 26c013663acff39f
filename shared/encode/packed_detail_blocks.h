// Puts packed detail files together: file header, and blocks, which are written in place like those of index files.
//
//   file header │ block │ block │ …
//   block:  header, body                      starts at a multiple of kBlockAlignment
//
// A block can be read alone. Only the last one may be open: then its header is a placeholder, and its body goes to the
// end of the file. A reader finds all blocks by going from header to header.
#pragma once

#include "packed_blocks.h"
#include "packed_detail.h"

namespace ada::packed {

struct RawDetailFileHeader {
  char magic[4]; // "ATDK"
  uint8_t endian, version, arch, os;
  Little32 flags, threadId; // kFileFinished
  Little64 blocksOffset;    // of the first block
  // Set in a finished file; 0 before.
  Little64 end;                   // of the last block
  Little64 eventCount;            // of the whole file
  Little64 plainBytes;            // that these events take in ATF 2
  Little64 lowestSeq, highestSeq; // of their index events
  Little64 timeStartNs, timeEndNs;
  uint8_t reserved[44];
  Little32 checksum; // CRC-32C of the bytes before it
};
static_assert(sizeof(RawDetailFileHeader) == kFileHeaderBytes && alignof(RawDetailFileHeader) == 1);

struct RawDetailBlockHeader {
  char magic[4]; // "ATDB"
  uint8_t version,
      flags; // kBlockOpen, kBlockZstd, kBlockUnsorted: an index event's number is below the one before
  uint8_t reserved1[2];
  Little64 firstSeq; // number of its first event
  // 0 while it is open.
  Little64 eventCount;
  Little64 plainBytes;            // of its events in ATF 2
  Little64 lowestSeq, highestSeq; // of their index events
  Little64 firstNs, lastNs;       // of the first and the last event
  Little64 bodyBytes;             // in the file
  Little64 unpackedBytes;         // of the body that isn't compressed
  Little32 bodyChecksum;          // CRC-32C of the body, as in the file
  uint8_t reserved2[8];
  Little32 checksum; // CRC-32C of the bytes before it
};
static_assert(sizeof(RawDetailBlockHeader) == kBlockHeaderBytes && alignof(RawDetailBlockHeader) == 1);

// `totals` null: the file is being written.
template <class Sum>
RawDetailFileHeader encodeDetailFileHeader(const FileOrigin &origin, const atf::DetailTotals *totals, uint64_t end,
                                           Sum &&sum) {
  RawDetailFileHeader raw = {};
  __builtin_memcpy(raw.magic, "ATDK", 4);
  raw.endian = atf::kLittleEndian, raw.version = kVersion, raw.arch = origin.arch, raw.os = origin.os;
  raw.threadId = origin.threadId, raw.blocksOffset = kFileHeaderBytes;
  if (totals) {
    raw.flags = kFileFinished, raw.end = end;
    raw.eventCount = totals->events, raw.plainBytes = totals->bytes;
    raw.lowestSeq = totals->lowestSeq, raw.highestSeq = totals->highestSeq;
    raw.timeStartNs = totals->firstNs, raw.timeEndNs = totals->lastNs;
  }
  seal(raw, sum);
  return raw;
}

// Whether these bytes are the header of a block that this version can read.
template <class Sum> bool isBlockHeader(const RawDetailBlockHeader &raw, Sum &&sum) {
  return __builtin_memcmp(raw.magic, "ATDB", 4) == 0 && isSealed(raw, sum) && raw.version == kVersion &&
         (raw.flags & ~kBlockFlags) == 0 && raw.eventCount <= kMaxDetailBlockEvents;
}

// As those for blocks of index files.
inline size_t startBytes(const RawDetailBlockHeader &) { return kBlockHeaderBytes; }
inline uint64_t blockBytes(const RawDetailBlockHeader &block) { return kBlockHeaderBytes + block.bodyBytes; }
inline uint64_t unpackedBytes(const RawDetailBlockHeader &block) { return block.unpackedBytes; }

// What the header of a file or a closed block says about its events.
template <class Raw> atf::DetailTotals totalsIn(const Raw &raw, uint64_t firstNs, uint64_t lastNs) {
  atf::DetailTotals totals;
  totals.events = raw.eventCount, totals.bytes = raw.plainBytes, totals.firstNs = firstNs, totals.lastNs = lastNs;
  totals.lowestSeq = raw.lowestSeq, totals.highestSeq = raw.highestSeq;
  return totals;
}
inline atf::DetailTotals totalsOf(const RawDetailFileHeader &raw) {
  return totalsIn(raw, raw.timeStartNs, raw.timeEndNs);
}
inline atf::DetailTotals totalsOf(const RawDetailBlockHeader &raw) { return totalsIn(raw, raw.firstNs, raw.lastNs); }

// What the header of a block says about its events.
struct DetailBlockTotals : atf::DetailTotals {
  bool unsorted = false;

  void add(const atf::DetailHead &head, size_t payloadBytes) {
    unsorted |= events > 0 && head.indexSeq < before_;
    before_ = head.indexSeq;
    DetailTotals::add(head.indexSeq, head.timestampNs, atf::kDetailEventHeaderBytes + payloadBytes);
  }

private:
  uint64_t before_ = 0;
};

// Makes blocks, one after another:
//
//   to = writer.begin(to, sum)              if none is open: a placeholder for its header
//   to = writer.encode(to, head, payload)   its events, until isFull()
//   writer.added(body, n, sum)              as they are put into the file
//   writer.close(sum)                       the header to be written over the placeholder
//
// Plain data; zero-initialised, no block is open.
class DetailBlockWriter {
public:
  template <class Sum> Byte *begin(Byte *to, uint64_t firstSeq, Sum &&sum) {
    state_.beginBlock();
    firstSeq_ = firstSeq, bodyBytes_ = addedBytes_ = 0, checksum_ = 0;
    totals_ = {}, kept_ = {};
    isOpen_ = true;
    const RawDetailBlockHeader placeholder = header(true, sum);
    __builtin_memcpy(to, &placeholder, sizeof placeholder);
    return to + sizeof placeholder;
  }
  Byte *encode(Byte *to, const atf::DetailHead &head, const Byte *payload, size_t bytes) {
    Byte *const end = DetailEncoder(state_).encode(to, head, payload, bytes);
    bodyBytes_ += static_cast<uint64_t>(end - to);
    totals_.add(head, bytes);
    return end;
  }
  // These bytes, everything encoded since the last time, are in the file. If they could not be written,
  // close the block instead: those events are lost.
  template <class Sum> void added(const Byte *body, size_t bytes, Sum &&sum) {
    checksum_ = sum(checksum_, static_cast<const void *>(body), bytes);
    addedBytes_ += bytes;
    kept_ = totals_;
  }
  // The header of the block, with what is in the file.
  template <class Sum> RawDetailBlockHeader close(Sum &&sum) {
    isOpen_ = false;
    return header(false, sum);
  }

  bool isOpen() const { return isOpen_; }
  bool isFull() const { return bodyBytes_ >= kDetailBlockBytes; }
  // Totals of the events that were encoded; of those that are in the file.
  const DetailBlockTotals &totals() const { return totals_; }
  const DetailBlockTotals &kept() const { return kept_; }
  // The size of the block in the file.
  uint64_t blockBytes() const { return kBlockHeaderBytes + addedBytes_; }

  // Continues an existing block after its first events for which `keep(head)` holds, in the order of the body.
  // Returns how many bytes of the body these take; the next event goes there.
  template <class Sum, class Keep>
  size_t resume(uint64_t firstSeq, const Byte *body, size_t bytes, Sum &&sum, Keep &&keep) {
    Byte placeholder[kBlockHeaderBytes];
    begin(placeholder, firstSeq, sum);
    const Byte *at = body;
    DetailDecoder decoder(state_);
    UnpackedDetail event;
    size_t used = 0;
    while (totals_.events < kMaxDetailBlockEvents && decoder.next(at, body + bytes, event) == Decoded::Event &&
           keep(event.head)) {
      totals_.add(event.head, event.bytes);
      used = static_cast<size_t>(at - body);
    }
    // The state that results from these events alone.
    state_.beginBlock();
    for (at = body; at != body + used;)
      if (decoder.next(at, body + used, event) != Decoded::Event)
        break;
    state_.events.events = totals_.events;
    bodyBytes_ = used;
    added(body, used, sum);
    return used;
  }

private:
  template <class Sum> RawDetailBlockHeader header(bool open, Sum &sum) const {
    RawDetailBlockHeader raw = {};
    __builtin_memcpy(raw.magic, "ATDB", 4);
    raw.version = kVersion, raw.flags = open ? kBlockOpen : 0, raw.firstSeq = firstSeq_;
    if (!open) {
      raw.flags = kept_.unsorted ? kBlockUnsorted : 0;
      raw.eventCount = kept_.events, raw.plainBytes = kept_.bytes;
      raw.lowestSeq = kept_.lowestSeq, raw.highestSeq = kept_.highestSeq;
      raw.firstNs = kept_.firstNs, raw.lastNs = kept_.lastNs;
      raw.bodyBytes = raw.unpackedBytes = addedBytes_, raw.bodyChecksum = checksum_;
    }
    seal(raw, sum);
    return raw;
  }

  DetailState state_;
  DetailBlockTotals totals_, kept_;
  uint64_t firstSeq_ = 0, bodyBytes_ = 0, addedBytes_ = 0;
  uint32_t checksum_ = 0;
  bool isOpen_ = false;
};

} // namespace ada::packed
