// What a wtf-trace file is made of: dialects, header, event types, argument values.
//
// docs/formats/wtf-trace.md shows the bytes. The same content exists in three
// dialects:
//
//   BigEndian     version 3 as all known programs write it; existing viewers open it
//   LittleEndian  version 3 as its description says literally; no existing viewer opens it
//   Chunked       the successor, version 10: chunks, each with a string table
#ifndef ADA_TRACE_WTF_FORMAT_H
#define ADA_TRACE_WTF_FORMAT_H

#include "ada/trace/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::wtf {

enum class Dialect : uint8_t { BigEndian, LittleEndian, Chunked };

/// "v3-big-endian", "v3-little-endian", "CFF v10".
std::string_view dialectName(Dialect dialect);

/// True if the file begins with one of the two magic numbers. Four bytes are
/// enough.
bool hasMagic(std::span<const std::byte> head);

/// The dialect of the file that begins with these (at least 12) bytes.
/// Errors: E_TRUNCATED, E_BAD_MAGIC, E_BAD_VERSION (the message says which
/// version it is).
Expected<Dialect> sniff(std::span<const std::byte> head);

/// FileHeader::flags. Other bits are kept as they are.
inline constexpr uint32_t kHighResolutionTimes = 1, kTimesAsCount = 2;

/// How `ascii` strings of version 3 become text. They are bytes without a
/// declared encoding; viewers take them for Latin-1. The chunked dialect has
/// UTF-8 only.
enum class AsciiText : uint8_t {
  Latin1, ///< what viewers see. Writing a character above U+00FF is an error
  Utf8,   ///< the bytes are UTF-8 (lossless for every name; viewers show
          ///< mojibake)
};

/// Which of the two string forms a version 3 header uses.
enum class HeaderStrings : uint8_t {
  UnitsAndBytes, ///< u16 count of UTF-16 units, u16 count of bytes, bytes
  LengthOnly,    ///< u16 count of bytes, bytes
};

/// The header. All text is UTF-8.
struct FileHeader {
  Dialect dialect = Dialect::BigEndian;
  /// Low 32 bits of the date, in ms since 1970, on which the writing program
  /// was built.
  uint32_t wtfVersion = 0x8D742800;
  uint32_t flags = kHighResolutionTimes;
  /// All times count from here: ms since 1970, or of a monotonic clock.
  int64_t timebaseMs = 0;
  /// Nanoseconds to add to timebaseMs, below 1,000,000. Only the chunked
  /// dialect has them.
  uint32_t timebaseNs = 0;
  /// JSON object with member "contextType": "script"; see context.h.
  std::string contextInfo = R"({"contextType":"script","uri":"","args":[]})";
  /// JSON, usually an object; empty if the file has none.
  std::string metadata;

  /// Version 3: how `ascii` strings are text. Noted in the metadata when it is
  /// Utf8.
  AsciiText asciiText = AsciiText::Latin1;
  /// Times in the file are in units of this many microseconds. It is 1, except in
  /// files that this library wrote to hold more than 71 minutes; those note it in
  /// their metadata. See timeScaleFor().
  uint32_t timeScale = 1;

  /// Set by the decoder, ignored by the encoder (which writes what fits the
  /// dialect).
  HeaderStrings strings = HeaderStrings::UnitsAndBytes;
  /// Set by the decoder: where the first event is (version 3) or the first
  /// chunk (chunked).
  uint64_t eventsOffset = 0;

  /// 3 or 10.
  uint32_t formatVersion() const { return dialect == Dialect::Chunked ? 10 : 3; }
  /// Nanoseconds since the timebase's zero for a time of this file, if that fits
  /// into 64 bits.
  std::optional<int64_t> absoluteNs(uint64_t timeUs) const;
};

/// Times are unsigned 32-bit counts, so a file holds 71 min 34.967295 s of
/// microseconds.
inline constexpr uint64_t kMaxTime = 0xFFFFFFFF;
/// The smallest FileHeader::timeScale with which `durationUs` can be written.
constexpr uint32_t timeScaleFor(uint64_t durationUs) { return static_cast<uint32_t>((durationUs >> 32) + 1); }

/// The 20 types of arguments, and four that only the chunked dialect has.
enum class ArgType : uint8_t {
  Bool,
  Int8,
  Uint8,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Float32,
  Ascii,
  Utf8,
  Any,    ///< JSON text
  FlowId, ///< u32; 0: none
  Time32, ///< u32, microseconds
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Char,
  Wchar,
  CharArray,
  WcharArray, ///< chunked only
};

constexpr bool isText(ArgType type) { return type >= ArgType::Ascii && type <= ArgType::Any; }
constexpr bool isArray(ArgType type) {
  return (type >= ArgType::Int8Array && type <= ArgType::Float32Array) || type >= ArgType::CharArray;
}
/// The type of the elements of an array type.
ArgType elementType(ArgType array);
/// Bytes of a scalar or of an array's element: 1, 2 or 4. 0 for text.
unsigned widthOf(ArgType type);
/// "int32", "float32[]"...
std::string_view typeName(ArgType type);

struct ArgDef {
  ArgType type;
  std::string name;
  bool operator==(const ArgDef &) const = default;
};

/// Splits an argument list, "int32 x, ascii why"; aliases ("unsigned short",
/// "sequence<T>") become the types they stand for. E_BAD_SIGNATURE for what
/// existing readers refuse: unknown types, two spaces between type and name, an
/// empty argument.
Expected<std::vector<ArgDef>> parseSignature(std::string_view args, Dialect dialect = Dialect::BigEndian);

/// EventType::eventClass. Other values are kept, and behave as Instance.
inline constexpr uint16_t kInstance = 0, kScope = 1;

/// EventType::flags.
inline constexpr uint32_t kHighFrequency = 2, kSystemTime = 4, kInternal = 8, kAppendScopeData = 16, kBuiltIn = 32,
                          kAppendFlowData = 64;

/// What the format itself does with events of a type; found by the type's name.
enum class Role : uint8_t {
  None,
  Define,
  Discontinuity,
  ZoneCreate,
  ZoneDelete,
  ZoneSet,
  ScopeEnter,
  EnterTracing,
  ScopeLeave,
  AppendData,
  FlowBranch,
  FlowExtend,
  FlowTerminate,
  FlowAppendData,
  Mark,
  TimeStamp,
  RangeBegin,
  RangeEnd,
};

/// An event type, as a wtf.event#define record makes it.
struct EventType {
  uint32_t wireId = 0;
  uint16_t eventClass = kInstance;
  uint32_t flags = 0;
  std::string name;
  std::string args; ///< the argument list as it was written; empty if none
  std::vector<ArgDef> argDefs = {};

  /// Zone events have their role only if `flags` has kBuiltIn, the others by
  /// name alone.
  Role role = Role::None;

  bool isScope() const { return eventClass == kScope || role == Role::ScopeEnter; }
  /// Position of the argument with that name, -1 if there is none.
  int indexOf(std::string_view argName) const;
};

/// The 17 types that every file may use, with the numbers and flags that
/// existing writers give them. Wire id n is element n - 1.
struct BuiltIn {
  Role role;
  uint16_t eventClass;
  uint32_t flags;
  std::string_view name, args;
};
std::span<const BuiltIn, 17> builtIns();
constexpr uint16_t wireIdOf(Role role) { return static_cast<uint16_t>(role); }
inline constexpr uint16_t kDefineWireId = 1, kFirstFreeWireId = 18;

/// The elements of an array argument, in the file's byte order.
class ArrayView {
public:
  ArrayView() = default;
  ArrayView(ArgType element, bool bigEndian, const std::byte *data, uint32_t count)
      : bytes_(data), length_(count), elementKind_(element), msbFirst_(bigEndian) {}
  /// Over the caller's array, which must outlive the view.
  static ArrayView of(std::span<const int8_t> values);
  static ArrayView of(std::span<const uint8_t> values);
  static ArrayView of(std::span<const int16_t> values);
  static ArrayView of(std::span<const uint16_t> values);
  static ArrayView of(std::span<const int32_t> values);
  static ArrayView of(std::span<const uint32_t> values);
  static ArrayView of(std::span<const float> values);

  uint32_t size() const { return length_; }
  ArgType element() const { return elementKind_; }
  bool bigEndian() const { return msbFirst_; }
  const std::byte *data() const { return bytes_; }
  /// Element `index` (less than size()), signed as its type says. Not for
  /// Float32.
  int64_t integer(uint32_t index) const;
  /// Element `index` of a Float32 array.
  float number(uint32_t index) const;

private:
  const std::byte *bytes_ = nullptr;
  uint32_t length_ = 0;
  ArgType elementKind_ = ArgType::Uint8;
  bool msbFirst_ = false;
};

/// The value of an argument. Text and arrays are views: into the decoder's
/// buffers (valid during the visitor's call), or into what the caller gave.
struct Arg {
  ArgType type = ArgType::Bool;
  /// Text and arrays: the value is missing. Version 3 can't distinguish missing from empty and writes both alike.
  /// Read back, such text is missing and such an array is empty.
  bool isNull = false;
  /// Any: `text` is JSON. (Existing readers refuse files with other text in
  /// it.)
  bool validJson = false;
  /// Scalars: the value; signed types are sign-extended to 32 bits, Float32 its
  /// bits.
  uint32_t bits = 0;
  std::string_view text; ///< UTF-8, see decoder.h on what that means for damaged text
  ArrayView array;

  static Arg boolean(bool value) { return scalar(ArgType::Bool, value); }
  static Arg int8(int8_t value) { return scalar(ArgType::Int8, static_cast<uint32_t>(value)); }
  static Arg uint8(uint8_t value) { return scalar(ArgType::Uint8, value); }
  static Arg int16(int16_t value) { return scalar(ArgType::Int16, static_cast<uint32_t>(value)); }
  static Arg uint16(uint16_t value) { return scalar(ArgType::Uint16, value); }
  static Arg int32(int32_t value) { return scalar(ArgType::Int32, static_cast<uint32_t>(value)); }
  static Arg uint32(uint32_t value) { return scalar(ArgType::Uint32, value); }
  static Arg float32(float value);
  static Arg flowId(uint32_t value) { return scalar(ArgType::FlowId, value); }
  static Arg time32(uint32_t us) { return scalar(ArgType::Time32, us); }
  static Arg ascii(std::string_view value) { return string(ArgType::Ascii, value); }
  static Arg utf8(std::string_view value) { return string(ArgType::Utf8, value); }
  static Arg any(std::string_view json) { return string(ArgType::Any, json); }
  static Arg null(ArgType type) {
    Arg arg;
    arg.type = type;
    arg.isNull = true;
    return arg;
  }
  template <class T> static Arg arrayOf(std::span<const T> values) { return arrayArg(ArrayView::of(values)); }
  static Arg scalar(ArgType type, uint32_t bits) {
    Arg arg;
    arg.type = type;
    arg.bits = bits;
    return arg;
  }
  static Arg string(ArgType type, std::string_view value) {
    Arg arg;
    arg.type = type;
    arg.text = value;
    return arg;
  }
  static Arg arrayArg(ArrayView view);

  /// A scalar as a signed number. Not for Float32.
  int64_t integer() const;
  float number() const;
};

/// Appends the value as JSON: numbers, true and false, text quoted, JSON text
/// without its blanks, time32 in milliseconds, arrays as lists, none as null.
/// Lone surrogates and bytes that are not UTF-8 become U+FFFD, and what JSON
/// cannot hold (NaN, damaged JSON text) becomes a string.
void appendJson(std::string &out, const Arg &arg);

} // namespace ada::wtf

#endif // ADA_TRACE_WTF_FORMAT_H
