// The library's own way into Value, and the sizes of an event's head.
#pragma once

#include "bytes.h"

namespace ada::dial9 {

/// tag, type id; with a timestamp also a delta of three bytes
inline constexpr size_t kUntimedEventBytes = 3;
inline constexpr size_t kTimedEventBytes = 6;
/// tag, u64
inline constexpr size_t kResetBytes = 9;

namespace detail {
struct ValueAccess {
  static uint64_t &payload(Value &v) { return v.payload_; }
  static uint64_t payload(const Value &v) { return v.payload_; }
  static uint32_t &count(Value &v) { return v.count_; }
  static uint32_t count(const Value &v) { return v.count_; }
  static bool tooLong(const Value &v) { return v.form_ == Value::Form::TooLong; }
  static bool isArray(const Value &v) { return v.form_ == Value::Form::Items; }
  static const uint8_t *bytes(const Value &v) { return v.pointer<uint8_t>(); }
  static void point(Value &v, const uint8_t *p, uint32_t count) {
    v.payload_ = reinterpret_cast<uintptr_t>(p);
    v.count_ = count;
  }
  /// A value of this type whose number or place is still to come.
  static Value blank(FieldType type) { return {type, 0}; }
};
} // namespace detail

using detail::ValueAccess;

/// True if the payload is an address.
constexpr bool pointsToBytes(FieldType type) {
  switch (type) {
  case FieldType::String:
  case FieldType::Bytes:
  case FieldType::StackFrames:
  case FieldType::StringMap:
  case FieldType::DynamicList:
  case FieldType::DynamicMap:
    return true;
  default:
    return false;
  }
}

/// Reads a value from bytes that were checked before, and moves `p` past it.
Value readChecked(FieldType type, const uint8_t *&p);
/// Moves `p` from after the count of a value in checked bytes to after the value.
void skipCounted(FieldType type, uint32_t count, const uint8_t *&p);

} // namespace ada::dial9
