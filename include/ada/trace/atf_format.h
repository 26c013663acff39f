// The bytes of ATF versions 1 and 2, and their decoded forms.
// docs/formats/atf.md describes them in words.
//
// Everything on disk is little-endian and may lie at any address, so the Raw*
// structs are made of byte arrays (alignment 1) that convert to integers when
// they are read. The conversion is one load on the machines we run on.
#ifndef ADA_TRACE_ATF_FORMAT_H
#define ADA_TRACE_ATF_FORMAT_H

#include "ada/trace/event.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ada::atf {

/// A little-endian integer at any address. It uses the builtin because the runtime
/// is compiled as freestanding code, where std::memcpy would be a call.
template <class T> struct Little {
  static_assert(std::is_unsigned_v<T>);
  unsigned char bytes[sizeof(T)];

  operator T() const noexcept { return get(); }
  T get() const noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      T value;
      __builtin_memcpy(&value, bytes, sizeof value);
      return value;
    } else {
      T value = 0;
      for (size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(T{bytes[i]} << (8 * i)));
      return value;
    }
  }
  Little &operator=(T value) noexcept {
    if constexpr (std::endian::native == std::endian::little)
      __builtin_memcpy(bytes, &value, sizeof value);
    else
      for (size_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<unsigned char>(value >> (8 * i));
    return *this;
  }
};
using Little16 = Little<uint16_t>;
using Little32 = Little<uint32_t>;
using Little64 = Little<uint64_t>;

/// Sizes that both versions share.
inline constexpr size_t kHeaderBytes = 64, kFooterBytes = 64, kIndexEventBytes = 32, kDetailEventHeaderBytes = 24,
                        kFunctionPayloadBytes = 100, kMaxStackBytes = 256;

inline constexpr uint8_t kLittleEndian = 1;
inline constexpr uint32_t kFlagHasDetail = 1; ///< bit of the index header's flags
inline constexpr uint8_t kArchX86_64 = 1, kArchArm64 = 2;
inline constexpr uint8_t kOsIos = 1, kOsAndroid = 2, kOsMacos = 3, kOsLinux = 4, kOsWindows = 5;
inline constexpr uint8_t kClockMachContinuous = 1, kClockQpc = 2, kClockBoottime = 3;

/// "no detail" in a decoded event of either version.
inline constexpr uint64_t kNoDetail = ~uint64_t{0};
/// "no detail" as version 1 stores it. In version 2 this is an ordinary number.
inline constexpr uint32_t kNoDetailV1 = ~uint32_t{0};
/// IndexEvent::storedDepth of version 2, which stores none.
inline constexpr uint32_t kNoDepth = ~uint32_t{0};

/// event_type of a detail event; readers pass other numbers through. Exceptional exits have none:
/// they are written as FunctionCall, and the index event says what they were.
inline constexpr uint16_t kDetailFunctionCall = 3, kDetailFunctionReturn = 4;
/// AdaTrace's own: vector registers, right after the function event with the same index_seq.
/// Readers that only know the specification skip it by its length.
inline constexpr uint16_t kDetailVectors = 0xADA0;
/// Likewise: what arguments, or the result, point to; after the vector registers, if there are any.
inline constexpr uint16_t kDetailContents = 0xADA1;
/// Whether an event of a type only adds to the function event before it.
constexpr bool isAddition(uint16_t type) { return type == kDetailVectors || type == kDetailContents; }

//===--- on disk ----------------------------------------------------------===//

/// First 64 bytes of an index file, version 1.
struct RawIndexHeaderV1 {
  char magic[4]; ///< "ATI2" in both versions
  uint8_t endian, version, arch, os;
  Little32 flags, threadId;
  uint8_t clockType, reserved1[3];
  Little32 reserved2, eventSize, eventCount;
  Little64 eventsOffset, footerOffset, timeStartNs, timeEndNs;
};
static_assert(sizeof(RawIndexHeaderV1) == 64 && alignof(RawIndexHeaderV1) == 1);
static_assert(offsetof(RawIndexHeaderV1, eventSize) == 24 && offsetof(RawIndexHeaderV1, eventsOffset) == 32);

/// First 64 bytes of an index file, version 2.
struct RawIndexHeaderV2 {
  char magic[4];
  uint8_t endian, version, arch, os;
  Little32 flags, threadId;
  uint8_t clockType, reserved1[3];
  Little32 eventSize;
  Little64 eventCount, eventsOffset, footerOffset, timeStartNs, timeEndNs;
};
static_assert(sizeof(RawIndexHeaderV2) == 64 && alignof(RawIndexHeaderV2) == 1);
static_assert(offsetof(RawIndexHeaderV2, eventSize) == 20 && offsetof(RawIndexHeaderV2, eventsOffset) == 32);

struct RawIndexEventV1 {
  Little64 timestampNs, functionId;
  Little32 threadId, kind, depth, detailSeq;
};
static_assert(sizeof(RawIndexEventV1) == 32 && alignof(RawIndexEventV1) == 1);

struct RawIndexEventV2 {
  Little64 timestampNs, functionId, detailSeq;
  uint8_t kind, reserved[7];
};
static_assert(sizeof(RawIndexEventV2) == 32 && alignof(RawIndexEventV2) == 1);

struct RawIndexFooter {
  char magic[4]; ///< "2ITA"
  Little32 checksum;
  Little64 eventCount, timeStartNs, timeEndNs, bytesWritten;
  uint8_t reserved[24];
};
static_assert(sizeof(RawIndexFooter) == 64 && alignof(RawIndexFooter) == 1);

/// First 64 bytes of a detail file, both versions. Note that the 64-bit fields
/// are not 8-aligned.
struct RawDetailHeader {
  char magic[4]; ///< "ATD2" in both versions
  uint8_t endian, version, arch, os;
  Little32 flags, threadId, reserved1;
  Little64 eventsOffset, eventCount, bytesLength, indexSeqStart, indexSeqEnd;
  Little32 reserved2;
};
static_assert(sizeof(RawDetailHeader) == 64 && alignof(RawDetailHeader) == 1);
static_assert(offsetof(RawDetailHeader, eventsOffset) == 20);

struct RawDetailEventV1 {
  Little32 totalLength;
  Little16 type, flags;
  Little32 indexSeq, threadId;
  Little64 timestampNs;
};
static_assert(sizeof(RawDetailEventV1) == 24);

struct RawDetailEventV2 {
  Little32 totalLength;
  Little16 type, flags;
  Little64 indexSeq, timestampNs;
};
static_assert(sizeof(RawDetailEventV2) == 24);

/// Payload of function events; `stackBytes` bytes of stack follow.
struct RawFunctionPayload {
  Little64 functionId, registers[8], lr, fp, sp;
  Little16 stackBytes, reserved;
};
static_assert(sizeof(RawFunctionPayload) == 100);

/// Payload of kDetailVectors; `count` registers of `bytesEach` bytes follow, in the order in which the
/// architecture passes arguments (x86-64 xmm0…, AArch64 v0…).
struct RawVectorPayload {
  Little64 functionId;
  uint8_t count, bytesEach, reserved[6];
};
static_assert(sizeof(RawVectorPayload) == 16);

/// Payload of kDetailContents; `count` RawContents follow, each followed by its bytes, padded to a multiple of 8.
struct RawContentsPayload {
  Little64 functionId;
  uint8_t count, reserved[7];
};
static_assert(sizeof(RawContentsPayload) == 16);
struct RawContents {
  uint8_t where; ///< number of the register in the function event that holds the address;
                 ///< kContentsOfResult: the text is in the result, which is in memory
  uint8_t flags; ///< kContentsUnreadable
  Little16 bytes;
  Little32 reserved;
  Little64 length; ///< of the whole text; kUnknownLength if no end was seen
};
static_assert(sizeof(RawContents) == 16);
inline constexpr uint8_t kContentsOfResult = 0x80, kContentsUnreadable = 1;
inline constexpr uint64_t kUnknownLength = ~uint64_t{0};

/// Last 64 bytes of a detail file. The byte count is the third field here, the
/// last one in the index footer.
struct RawDetailFooter {
  char magic[4]; ///< "2DTA"
  Little32 checksum;
  Little64 eventCount, bytesLength, timeStartNs, timeEndNs;
  uint8_t reserved[24];
};
static_assert(sizeof(RawDetailFooter) == 64 && offsetof(RawDetailFooter, bytesLength) == 16);

//===--- decoded ----------------------------------------------------------===//

/// An index file's header as stored. It need not be true: see
/// IndexReader::size().
struct IndexHeader {
  uint8_t version = 0, arch = 0, os = 0, clockType = 0;
  uint32_t flags = 0, threadId = 0, eventSize = 0;
  uint64_t eventCount = 0, eventsOffset = 0, footerOffset = 0, timeStartNs = 0, timeEndNs = 0;
};

/// An index file's footer as stored, and where it lies.
struct IndexFooter {
  uint64_t offset = 0;
  uint32_t checksum = 0;
  uint64_t eventCount = 0, timeStartNs = 0, timeEndNs = 0, bytesWritten = 0;
};

/// An index event of either version.
struct IndexEvent {
  uint64_t timestampNs = 0;
  uint64_t functionId = 0;
  uint64_t detailSeq = kNoDetail;  ///< number of its detail event, or kNoDetail
  EventKind kind{};                ///< may be a number that EventKind has no name for
  uint32_t threadId = 0;           ///< version 2 takes it from the header
  uint32_t storedDepth = kNoDepth; ///< version 1 only; writers disagree on it: see
                                   ///< ada::CallStackWalker for a depth that can be relied on

  bool operator==(const IndexEvent &) const = default;
};

struct DetailHeader {
  uint8_t version = 0, arch = 0, os = 0;
  uint32_t flags = 0, threadId = 0;
  uint64_t eventsOffset = 0, eventCount = 0, bytesLength = 0, indexSeqStart = 0, indexSeqEnd = 0;
};

struct DetailFooter {
  uint64_t offset = 0;
  uint32_t checksum = 0;
  uint64_t eventCount = 0, bytesLength = 0, timeStartNs = 0, timeEndNs = 0;
};

/// Whether the events are known to be what was written.
enum class ChecksumState {
  Ok,        ///< the events were read and match the footer's checksum
  Unchecked, ///< the footer says 0: the writer made no checksum
  Absent,    ///< there is no footer
  Deferred,  ///< not checked yet, as requested: see verifyChecksum()
};

/// "ok", "unchecked", "absent", "deferred".
constexpr std::string_view checksumName(ChecksumState state) {
  switch (state) {
  case ChecksumState::Ok:
    return "ok";
  case ChecksumState::Unchecked:
    return "unchecked";
  case ChecksumState::Absent:
    return "absent";
  case ChecksumState::Deferred:
    break;
  }
  return "deferred";
}

/// Where the number of events comes from.
enum class CountSource {
  Footer,   ///< a good footer
  Header,   ///< the header, finalised, of a file whose footer is damaged
  FileSize, ///< the file's size: its writer did not finish
  Walk,     ///< detail files: the events were walked
};

/// "footer", "header", "file_size", "walk".
constexpr std::string_view countSourceName(CountSource source) {
  switch (source) {
  case CountSource::Footer:
    return "footer";
  case CountSource::Header:
    return "header";
  case CountSource::FileSize:
    return "file_size";
  case CountSource::Walk:
    break;
  }
  return "walk";
}

} // namespace ada::atf

#endif // ADA_TRACE_ATF_FORMAT_H
