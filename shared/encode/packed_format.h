// The bytes of packed index files: headers, and what a body is made of. docs/formats/packed.md describes them in words.
//
//   file header │ block │ block │ … │ block index │ trailer
//   block:  header, open calls, body          starts at a multiple of kBlockAlignment
//
// Every block can be read alone. Only the last one may be open: then its header is a placeholder with everything that
// is known at a block's start, and its body goes to the end of the file.
#pragma once

#include <ada/trace/atf_format.h>

namespace ada::packed {

using atf::Little16, atf::Little32, atf::Little64;
using Byte = unsigned char;

inline constexpr uint8_t kVersion = 1;

// A block header never crosses a page, so that a kill in the middle of a write leaves it whole: old or new.
inline constexpr size_t kBlockAlignment = 128;
inline constexpr size_t kFileHeaderBytes = 128, kBlockHeaderBytes = 96, kIndexHeadBytes = 16, kIndexEntryBytes = 48,
                        kTrailerBytes = 64;
// A writer begins a new block when the body has reached this size.
inline constexpr size_t kBlockBodyBytes = 64 * 1024;
// The number of innermost open calls that are known. The calls around them are only counted.
inline constexpr size_t kMaxKnownCalls = 1023;

//===--- events -----------------------------------------------------------===//

// The upper two bits of an event's first byte.
enum class Tag : uint8_t { Return = 0, Predicted = 1, Call = 2, Other = 3 };
// The lower six bits of the others: nanoseconds since the event before, or kMoreTime if the rest of them follows.
inline constexpr uint64_t kMoreTime = 63;
// The lower six bits of Tag::Other. The first four describe the event that follows;
// each comes at most once, in this order.
enum class Sub : uint8_t {
  Link = 0,      // number of the detail event + 1; 0: none, whatever the detail file says
  Depth = 1,     // stored depth
  Lost = 2,      // number of events that were lost before it
  Back = 3,      // number of nanoseconds by which it is before the last event
  Exception = 4, // of the innermost call: time
  Outer = 5,     // exit of an outer call: time, kind, how many calls inside it have no exit (at least 1)
  Beyond = 6,    // exit of a call that is open but not known: time, kind, function
  Stray = 7,     // exit of a function that has no open call: time, kind, function
  Any = 8,       // an event of another kind: time, kind, function
  Inferred = 9,  // as Exception, but no hook saw how the call was left
  Missing = 10,  // as Exception, but the exit was not recorded
};
inline constexpr unsigned kSubs = 11;
// Whether it is an exit of the innermost call, whose kind it says.
constexpr bool isOfInnermost(Sub sub) { return sub == Sub::Exception || sub == Sub::Inferred || sub == Sub::Missing; }

inline constexpr size_t kMaxVarintBytes = 10;
// Four prefixes with a byte each, the event's byte, time, kind, and a function in two numbers.
inline constexpr size_t kMaxEventBytes = 4 * (1 + kMaxVarintBytes) + 1 + kMaxVarintBytes + 5 + 2 * 5;
inline constexpr size_t kMaxOpenCallBytes = kMaxVarintBytes + 2 * 5;
inline constexpr size_t kMaxBlockStartBytes = kBlockHeaderBytes + kMaxKnownCalls * kMaxOpenCallBytes;

inline constexpr uint64_t kNoLink = ~uint64_t{0};
inline constexpr uint32_t kNoDepth = ~uint32_t{0};

struct Event {
  uint64_t ns = 0, functionId = 0;
  uint32_t kind = 0;               // as EventKind
  uint32_t storedDepth = kNoDepth; // what ATF 1 stores, if it isn't the depth that follows from the events
  bool hasLink = false;            // `link` is stored, not found from the detail file
  uint64_t link = kNoLink;
  uint64_t lostBefore = 0; // events that were lost right before this one

  bool operator==(const Event &) const = default;
};

inline constexpr uint32_t kCall = 1, kReturn = 2, kException = 3,
                          kInferred = static_cast<uint32_t>(EventKind::Inferred),
                          kMissing = static_cast<uint32_t>(EventKind::Missing);
constexpr bool isExit(uint32_t kind) { return ada::isExit(EventKind{kind}); }
// How exits number their kinds: ATF has two of them, the others follow. Sub::Any has any other number as it is.
inline constexpr uint32_t kInferredInFile = 4, kMissingInFile = 5;
constexpr uint32_t kindInFile(uint32_t kind) {
  return kind == kInferred ? kInferredInFile : kind == kMissing ? kMissingInFile : kind;
}
constexpr uint32_t exitFromFile(uint32_t kind) {
  return kind == kInferredInFile ? kInferred : kind == kMissingInFile ? kMissing : kind;
}

//===--- headers ----------------------------------------------------------===//

inline constexpr uint32_t kFileFinished = 1, kFileHasDetail = 2; // RawFileHeader::flags

struct RawFileHeader {
  char magic[4]; // "ATPK"
  uint8_t endian, version, arch, os;
  Little32 flags, threadId;
  uint8_t clockType, reserved1[7];
  Little64 blocksOffset; // of the first block
  // Set in a finished file; 0 before.
  Little64 trailerOffset, eventCount, timeStartNs, timeEndNs;
  Little64 droppedCount; // events before the first block
  uint8_t reserved2[52];
  Little32 checksum; // CRC-32C of the bytes before it
};
static_assert(sizeof(RawFileHeader) == kFileHeaderBytes && alignof(RawFileHeader) == 1);
static_assert(kFileHeaderBytes % kBlockAlignment == 0);

inline constexpr uint8_t kBlockOpen = 1, // being written, or never finished: its body goes to the end of the file
    kBlockZstd = 2,                      // the body is a zstd frame
    kBlockUnsorted = 4;                  // an event in it may be older than the one before it
inline constexpr uint8_t kBlockFlags = kBlockOpen | kBlockZstd | kBlockUnsorted;

struct RawBlockHeader {
  char magic[4]; // "ATPB"
  uint8_t version, flags;
  Little16 knownCalls;      // how many calls are listed
  Little64 firstSeq;        // number of its first event
  Little64 depth;           // calls that are open at its start
  Little64 beforeNs;        // time of the event before it, from which its first event's time counts
  Little64 firstNs, lastNs; // of its events; 0 while it is open
  Little64 eventCount;      // 0 while it is open
  Little32 callsBytes;      // of the list of open calls
  Little32 bodyBytes;       // in the file; 0 while it is open
  Little32 plainBytes;      // of the body that isn't compressed; 0 while it is open
  Little32 bodyChecksum;    // CRC-32C of open calls and body, as in the file; 0 while it is open
  uint8_t reserved[20];
  Little32 checksum; // CRC-32C of the bytes before it
};
static_assert(sizeof(RawBlockHeader) == kBlockHeaderBytes && alignof(RawBlockHeader) == 1);
static_assert(kBlockAlignment >= kBlockHeaderBytes && 4096 % kBlockAlignment == 0);

// Follows the last block at the next multiple of kBlockAlignment, with an entry per block.
struct RawIndexHead {
  char magic[4]; // "ATPX"
  Little32 entryBytes;
  Little64 blocks;
};
static_assert(sizeof(RawIndexHead) == kIndexHeadBytes);

struct RawIndexEntry {
  Little64 offset, firstSeq, eventCount, firstNs, lastNs;
  Little32 bytes, flags; // of the whole block; as in its header
};
static_assert(sizeof(RawIndexEntry) == kIndexEntryBytes);

// The last bytes of a finished file.
struct RawTrailer {
  char magic[4];          // "KPTA"
  Little32 indexChecksum; // CRC-32C of the block index, its head included
  Little64 indexOffset, blocks, eventCount, timeStartNs, timeEndNs;
  Little64 unsorted; // 1 if a block has kBlockUnsorted
  uint8_t reserved[4];
  Little32 checksum; // CRC-32C of the bytes before it
};
static_assert(sizeof(RawTrailer) == kTrailerBytes);

// Where a block after `end` may start.
constexpr uint64_t aligned(uint64_t end) { return (end + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment; }

} // namespace ada::packed
