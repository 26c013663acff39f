// What dial9-trace-format 1 fixes: constants, field types, and the named answers of a decoder.
#ifndef ADA_TRACE_DIAL9_FORMAT_H
#define ADA_TRACE_DIAL9_FORMAT_H

#include "ada/trace/error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ada::dial9 {

/// "TRC\0": the first four bytes of a stream, and of each later segment.
inline constexpr std::array<uint8_t, 4> kMagic = {0x54, 0x52, 0x43, 0x00};
/// The byte after the magic.
inline constexpr uint8_t kVersion = 1;
/// Magic and version.
inline constexpr size_t kHeaderBytes = kMagic.size() + 1;
/// The largest distance in nanoseconds that an event can have from the one
/// before it without a timestamp reset frame.
inline constexpr uint32_t kMaxDeltaNs = 0xff'ffff;
/// Dynamic lists and maps may be nested this deep; one more is
/// `DecodeError::Depth`. The specification has no limit. Without one, a file with
/// 5 bytes per level would decide how much stack its readers need.
inline constexpr int kMaxNesting = 64;
/// The longest LEB128 that fits 64 bits.
inline constexpr size_t kMaxVarintBytes = 10;
/// Longest event or field name, and most fields of a schema: both have u16
/// counts.
inline constexpr size_t kMaxNameBytes = 0xffff;
inline constexpr size_t kMaxFields = 0xffff;

/// Which frames and field types a stream may hold.
///
/// Both carry version byte 1. `Seed` is the specification's text and nothing
/// else; `Extended` adds what later writers emit under the same version byte:
/// stack pools, annotations, optional fields, dynamic lists and maps, and a
/// header in mid-stream that starts a new segment.
enum class Dialect : uint8_t { Seed, Extended };

/// The first byte of a frame.
enum class FrameTag : uint8_t {
  Schema = 0x01,
  Event = 0x02,
  StringPool = 0x03,
  StackPool = 0x04, ///< Extended
  TimestampReset = 0x05,
  Annotations = 0x06,  ///< Extended
  Segment = kMagic[0], ///< Extended: the first byte of another header
};

/// How a field's value is encoded. The numbers are those of the file.
enum class FieldType : uint8_t {
  Absent = 0, ///< never in a schema: the type of the value that an optional
              ///< field does not have
  I64 = 1,
  F64 = 2,
  Bool = 3,
  String = 4,
  Bytes = 5,
  PooledStackFrames = 6, ///< Extended
  PooledString = 7,
  StackFrames = 8,
  Varint = 9,
  StringMap = 10,
  U8 = 11,
  U16 = 12,
  U32 = 13,
  DynamicList = 14, ///< Extended
  DynamicMap = 15,  ///< Extended
};

/// Set in the type byte of a schema's field (Extended): a presence byte comes
/// before the value.
inline constexpr uint8_t kOptionalBit = 0x80;

/// True if `type` can be the type of a value in this dialect. The optional bit
/// must have been taken off.
constexpr bool isFieldType(uint8_t type, Dialect dialect) {
  if (type < uint8_t(FieldType::I64) || type > uint8_t(FieldType::DynamicMap))
    return false;
  return dialect == Dialect::Extended ||
         (type != uint8_t(FieldType::PooledStackFrames) && type <= uint8_t(FieldType::U32));
}

/// "I64", "PooledString"; "Absent" for a value that is not there.
std::string_view typeName(FieldType type);

/// Why decoding stopped. `code` gives the stable name.
enum class DecodeError : uint8_t {
  None,
  HeaderTruncated,   ///< E_HEADER_TRUNCATED: fewer than 5 bytes, which could begin
                     ///< a header
  BadMagic,          ///< E_BAD_MAGIC
  BadVersion,        ///< E_BAD_VERSION: also in a later segment
  UnknownTag,        ///< E_UNKNOWN_TAG: the length of such a frame can't be known
  UnknownTypeId,     ///< E_UNKNOWN_TYPE_ID: event without a schema in its segment
  SchemaConflict,    ///< E_SCHEMA_CONFLICT: a type id again, with another schema
  BadFieldType,      ///< E_BAD_FIELD_TYPE: in a schema, or of an element of a
                     ///< dynamic container
  VarintOverflow,    ///< E_VARINT_OVERFLOW: does not fit 64 bits
  TimestampOverflow, ///< E_TIMESTAMP_OVERFLOW: base + delta does not fit 64
                     ///< bits
  BadPresence,       ///< E_BAD_PRESENCE: presence byte of an optional field over 1
  Depth,             ///< E_DEPTH: over `kMaxNesting`
  FrameTooLarge,     ///< E_FRAME_TOO_LARGE: over `DecoderOptions::maxBufferedBytes`
};

/// The stable name, "E_BAD_MAGIC". "" for `None`.
std::string_view code(DecodeError error);

enum class Outcome : uint8_t {
  Ok,        ///< the data ended between two frames
  Truncated, ///< the data ended inside a frame; all frames before it were
             ///< delivered
  Error,     ///< see `DecodeStatus::error`; all frames before the offset were
             ///< delivered
};

/// How decoding ended.
struct DecodeStatus {
  Outcome outcome = Outcome::Ok;
  DecodeError error = DecodeError::None;
  /// Where decoding stopped, counted from the first byte pushed: the tag of the
  /// frame that is cut or wrong, or the size of the data if it is complete.
  uint64_t offset = 0;

  bool ok() const { return outcome == Outcome::Ok; }
  /// One sentence for people: what is wrong, where, and what can be done. Empty
  /// if all is well.
  std::string message() const;
  /// The same as the trace library's error value. Truncated streams have the
  /// code E_TRUNCATED there.
  Error toError() const;
  friend bool operator==(const DecodeStatus &, const DecodeStatus &) = default;
};

/// Why the encoder refused an operation. A refused operation leaves the stream
/// as it was.
enum class [[nodiscard]] EncodeError : uint8_t {
  None,
  UnknownTypeId,       ///< no schema with this id in this segment
  SchemaConflict,      ///< the id is registered with another schema
  BadFieldType,        ///< not a field type of the encoder's dialect
  NotInDialect,        ///< this frame is an extension, and the dialect is `Seed`
  WrongValueCount,     ///< the schema has more or fewer fields
  WrongValueType,      ///< a value's type is not its field's; or absent where the
                       ///< field is not optional
  TimestampMissing,    ///< the schema has a timestamp, the call has none
  TimestampUnexpected, ///< the call has a timestamp, the schema has none
  NameTooLong,         ///< a name or key over 65535 bytes
  TooManyFields,       ///< over 65535 fields or annotations
  LengthTooLarge,      ///< a length or count over 2^32-1
  Depth,               ///< nested over `kMaxNesting`
  SinkFailed,          ///< the sink refused bytes; everything after it is refused too
};

/// One sentence for people. Empty for `None`.
std::string_view message(EncodeError error);

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_FORMAT_H
