// Encodes ATF, versions 1 and 2: the one place that writes these bytes.
//
// The layout is in include/ada/trace/atf_format.h, its description in docs/formats/atf.md.
// The runtime's drain, the library's writers and recovery all encode here.
// Freestanding; a caller provides the memory and keeps the checksum.
//
// Index and detail files consist of header, events and footer. While a file grows, its header is a placeholder
// (`totals` null); the true header is written last, after events and footer, so that a crash can't spoil it.
#pragma once

#include <ada/trace/atf_format.h>

namespace ada::atf {

// What a file's header says about its origin, the same from its first write to its last.
struct FileOrigin {
  uint8_t version = 2, arch = kArchX86_64, os = kOsLinux, clockType = kClockBoottime;
  uint32_t threadId = 0;
};

// What header and footer say about the events.
struct IndexTotals {
  uint64_t events = 0, firstNs = 0, lastNs = 0;

  void add(uint64_t ns) {
    if (events++ == 0)
      firstNs = ns;
    lastNs = ns;
  }
  uint64_t bytes() const { return events * kIndexEventBytes; }
};

struct DetailTotals {
  uint64_t events = 0, bytes = 0, firstNs = 0, lastNs = 0;
  uint64_t lowestSeq = 0, highestSeq = 0; // of the index events that they belong to

  void add(uint64_t indexSeq, uint64_t ns, uint64_t size) { add({1, size, ns, ns, indexSeq, indexSeq}); }
  // Adds the totals of the events that follow these.
  void add(const DetailTotals &more) {
    if (more.events == 0)
      return;
    firstNs = events ? firstNs : more.firstNs;
    lowestSeq = events && lowestSeq < more.lowestSeq ? lowestSeq : more.lowestSeq;
    highestSeq = events && highestSeq > more.highestSeq ? highestSeq : more.highestSeq;
    lastNs = more.lastNs, events += more.events, bytes += more.bytes;
  }
  bool operator==(const DetailTotals &) const = default; // for the library: a compiler may make it a memcmp
};

// A header or footer, ready to be written.
struct Frame {
  unsigned char bytes[64] = {};
};
static_assert(sizeof(Frame) == kHeaderBytes && sizeof(Frame) == kFooterBytes);

//===--- index files ------------------------------------------------------===//

inline Frame encodeIndexHeader(const FileOrigin &origin, const IndexTotals *totals, bool hasDetail) {
  Frame frame;
  auto fill = [&](auto &raw) {
    __builtin_memcpy(raw.magic, "ATI2", 4);
    raw.endian = kLittleEndian, raw.version = origin.version, raw.arch = origin.arch, raw.os = origin.os;
    raw.threadId = origin.threadId, raw.clockType = origin.clockType;
    raw.eventSize = kIndexEventBytes, raw.eventsOffset = kHeaderBytes;
    raw.footerOffset = kHeaderBytes + (totals ? totals->bytes() : 0);
    if (totals) {
      raw.flags = hasDetail ? kFlagHasDetail : 0;
      raw.timeStartNs = totals->firstNs, raw.timeEndNs = totals->lastNs;
    }
  };
  const uint64_t count = totals ? totals->events : 0;
  if (origin.version == 1) {
    auto &raw = *reinterpret_cast<RawIndexHeaderV1 *>(frame.bytes);
    fill(raw);
    raw.eventCount = static_cast<uint32_t>(count < 0xffffffff ? count : 0xffffffff); // the footer has the true one
  } else {
    auto &raw = *reinterpret_cast<RawIndexHeaderV2 *>(frame.bytes);
    fill(raw);
    raw.eventCount = count;
  }
  return frame;
}

inline Frame encodeIndexFooter(const IndexTotals &totals, uint32_t checksum) {
  Frame frame;
  auto &raw = *reinterpret_cast<RawIndexFooter *>(frame.bytes);
  __builtin_memcpy(raw.magic, "2ITA", 4);
  raw.checksum = checksum, raw.eventCount = totals.events, raw.bytesWritten = totals.bytes();
  raw.timeStartNs = totals.firstNs, raw.timeEndNs = totals.lastNs;
  return frame;
}

// Whether a number of a detail event can be stored as a link. Version 1 has 32 bits.
inline bool canLink(unsigned version, uint64_t detailSeq) { return version != 1 || detailSeq < kNoDetailV1; }

// kIndexEventBytes bytes. Version 1 stores threadId and storedDepth (kNoDepth as 0) of the event, version 2 neither.
// The fields must fit: see canLink, and a kind over 255 needs version 1.
inline void encodeIndexEvent(unsigned char *to, unsigned version, const IndexEvent &event) {
  if (version == 1) {
    auto &raw = *reinterpret_cast<RawIndexEventV1 *>(to);
    raw.timestampNs = event.timestampNs, raw.functionId = event.functionId;
    raw.threadId = event.threadId, raw.kind = static_cast<uint32_t>(inAtf(event.kind));
    raw.depth = event.storedDepth == kNoDepth ? 0 : event.storedDepth;
    raw.detailSeq = event.detailSeq == kNoDetail ? kNoDetailV1 : static_cast<uint32_t>(event.detailSeq);
  } else {
    auto &raw = *reinterpret_cast<RawIndexEventV2 *>(to);
    raw.timestampNs = event.timestampNs, raw.functionId = event.functionId, raw.detailSeq = event.detailSeq;
    // The kind's byte (as inAtf() has it) and the seven reserved ones in one store.
    *reinterpret_cast<Little64 *>(&raw.kind) = static_cast<uint8_t>(event.kind);
  }
}

// Where an event's link lies in the file, to be set later; its bytes, and how many these are. kNoDetail means no link.
static_assert(static_cast<uint32_t>(kNoDetail) == kNoDetailV1);
inline uint64_t linkOffset(unsigned version, uint64_t indexSeq) {
  return kHeaderBytes + indexSeq * kIndexEventBytes +
         (version == 1 ? offsetof(RawIndexEventV1, detailSeq) : offsetof(RawIndexEventV2, detailSeq));
}
inline size_t encodeLink(unsigned char *to, unsigned version, uint64_t detailSeq) {
  if (version == 1)
    *reinterpret_cast<Little32 *>(to) = static_cast<uint32_t>(detailSeq);
  else
    *reinterpret_cast<Little64 *>(to) = detailSeq;
  return version == 1 ? 4 : 8;
}

//===--- detail files -----------------------------------------------------===//

inline Frame encodeDetailHeader(const FileOrigin &origin, const DetailTotals *totals) {
  Frame frame;
  auto &raw = *reinterpret_cast<RawDetailHeader *>(frame.bytes);
  __builtin_memcpy(raw.magic, "ATD2", 4);
  raw.endian = kLittleEndian, raw.version = origin.version, raw.arch = origin.arch, raw.os = origin.os;
  raw.threadId = origin.threadId, raw.eventsOffset = kHeaderBytes;
  if (totals) {
    raw.eventCount = totals->events, raw.bytesLength = totals->bytes;
    raw.indexSeqStart = totals->lowestSeq, raw.indexSeqEnd = totals->highestSeq;
  }
  return frame;
}

inline Frame encodeDetailFooter(const DetailTotals &totals, uint32_t checksum) {
  Frame frame;
  auto &raw = *reinterpret_cast<RawDetailFooter *>(frame.bytes);
  __builtin_memcpy(raw.magic, "2DTA", 4);
  raw.checksum = checksum, raw.eventCount = totals.events, raw.bytesLength = totals.bytes;
  raw.timeStartNs = totals.firstNs, raw.timeEndNs = totals.lastNs;
  return frame;
}

// The part before the payload of a detail event.
struct DetailHead {
  uint16_t type = 0, flags = 0;
  uint64_t indexSeq = 0; // version 1 has 32 bits for it
  uint32_t threadId = 0; // stored by version 1 only
  uint64_t timestampNs = 0;
};

// kDetailEventHeaderBytes bytes, for a payload of that many bytes.
inline void encodeDetailHead(unsigned char *to, unsigned version, const DetailHead &head, uint32_t payloadBytes) {
  auto fill = [&](auto &raw) {
    raw.totalLength = static_cast<uint32_t>(kDetailEventHeaderBytes + payloadBytes);
    raw.type = head.type, raw.flags = head.flags, raw.timestampNs = head.timestampNs;
  };
  if (version == 1) {
    auto &raw = *reinterpret_cast<RawDetailEventV1 *>(to);
    fill(raw);
    raw.indexSeq = static_cast<uint32_t>(head.indexSeq), raw.threadId = head.threadId;
  } else {
    auto &raw = *reinterpret_cast<RawDetailEventV2 *>(to);
    fill(raw);
    raw.indexSeq = head.indexSeq;
  }
}

// Registers in the order in which the architecture numbers its arguments, and the stack from `sp` upwards.
struct FunctionRegisters {
  uint64_t functionId;
  const uint64_t *general; // 8 of them
  uint64_t lr, fp, sp;
  const void *stack;
  size_t stackBytes; // at most kMaxStackBytes
};

inline constexpr size_t kMaxFunctionPayloadBytes = kFunctionPayloadBytes + kMaxStackBytes;

// Returns how many bytes the payload has.
inline size_t encodeFunctionPayload(unsigned char *to, const FunctionRegisters &from) {
  auto &raw = *reinterpret_cast<RawFunctionPayload *>(to);
  raw.functionId = from.functionId;
  for (int i = 0; i < 8; ++i)
    raw.registers[i] = from.general[i];
  raw.lr = from.lr, raw.fp = from.fp, raw.sp = from.sp;
  raw.stackBytes = static_cast<uint16_t>(from.stackBytes), raw.reserved = 0;
  if (from.stackBytes)
    __builtin_memcpy(to + sizeof raw, from.stack, from.stackBytes);
  return sizeof raw + from.stackBytes;
}

inline constexpr size_t kVectorBytes = 16, kMaxVectors = 8;
inline constexpr size_t kMaxVectorPayloadBytes = sizeof(RawVectorPayload) + kMaxVectors * kVectorBytes;

// `count` vector registers of 16 bytes. Returns how many bytes the payload has.
inline size_t encodeVectorPayload(unsigned char *to, uint64_t functionId, unsigned count, const void *registers) {
  auto &raw = *reinterpret_cast<RawVectorPayload *>(to);
  __builtin_memset(to, 0, sizeof raw);
  raw.functionId = functionId;
  raw.count = static_cast<uint8_t>(count), raw.bytesEach = kVectorBytes;
  __builtin_memcpy(to + sizeof raw, registers, count * kVectorBytes);
  return sizeof raw + count * kVectorBytes;
}

} // namespace ada::atf
