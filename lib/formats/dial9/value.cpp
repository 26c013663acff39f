// Values in checked bytes: reading for the views, and comparison.
// Nothing here can fail, because the scanners have checked the bytes.
#include "value_access.h"

#include "ada/trace/dial9/decoder.h"

#include <algorithm>

namespace ada::dial9 {

namespace {
template <class T> T take(const uint8_t *&p) {
  T value = load<T>(p);
  p += sizeof(T);
  return value;
}

std::string_view takeText(const uint8_t *&p, size_t size) {
  std::string_view text = detail::text(p, size);
  p += size;
  return text;
}

uint64_t takeVarint(const uint8_t *&p) {
  uint64_t value = 0;
  // Checked before, so it ends within ten bytes.
  (void)readVarintBounded(p, p + kMaxVarintBytes, value);
  return value;
}

void skipChecked(FieldType type, const uint8_t *&p) {
  if (pointsToBytes(type))
    skipCounted(type, take<uint32_t>(p), p);
  else
    (void)readChecked(type, p);
}
} // namespace

Value readChecked(FieldType type, const uint8_t *&p) {
  Value value = ValueAccess::blank(type);
  uint64_t &payload = ValueAccess::payload(value);
  switch (type) {
  case FieldType::Absent:
    break;
  case FieldType::I64:
  case FieldType::F64:
    payload = take<uint64_t>(p);
    break;
  case FieldType::Bool:
    payload = take<uint8_t>(p) != 0;
    break;
  case FieldType::U8:
    payload = take<uint8_t>(p);
    break;
  case FieldType::U16:
    payload = take<uint16_t>(p);
    break;
  case FieldType::U32:
  case FieldType::PooledString:
  case FieldType::PooledStackFrames:
    payload = take<uint32_t>(p);
    break;
  case FieldType::Varint:
    payload = takeVarint(p);
    break;
  case FieldType::String:
  case FieldType::Bytes:
  case FieldType::StackFrames:
  case FieldType::StringMap:
  case FieldType::DynamicList:
  case FieldType::DynamicMap:
    ValueAccess::count(value) = take<uint32_t>(p);
    ValueAccess::point(value, p, ValueAccess::count(value));
    skipCounted(type, ValueAccess::count(value), p);
    break;
  }
  return value;
}

// Recursive, but the scanner lets at most kMaxNesting levels through.
void skipCounted(FieldType type, uint32_t count, const uint8_t *&p) {
  switch (type) {
  case FieldType::StackFrames:
    p += size_t(count) * sizeof(uint64_t);
    break;
  case FieldType::StringMap:
    for (; count; --count)
      (void)detail::readStringPair(p);
    break;
  case FieldType::DynamicList:
  case FieldType::DynamicMap:
    for (uint64_t n = type == FieldType::DynamicMap ? uint64_t(count) * 2 : count; n; --n) {
      FieldType element{*p++};
      skipChecked(element, p);
    }
    break;
  default: // String, Bytes
    p += count;
  }
}

namespace detail {
StringPair readStringPair(const uint8_t *&p) {
  StringPair pair;
  pair.key = takeText(p, take<uint32_t>(p));
  pair.value = takeText(p, take<uint32_t>(p));
  return pair;
}

Value readListItem(const uint8_t *&p) {
  FieldType type{*p++};
  return readChecked(type, p);
}

ValuePair readMapEntry(const uint8_t *&p) {
  ValuePair entry;
  entry.key = readListItem(p);
  entry.value = readListItem(p);
  return entry;
}

StringPoolEntry readStringPoolEntry(const uint8_t *&p) {
  StringPoolEntry entry;
  entry.id = take<uint32_t>(p);
  entry.text = takeText(p, take<uint32_t>(p));
  return entry;
}

StackPoolEntry readStackPoolEntry(const uint8_t *&p) {
  StackPoolEntry entry;
  entry.id = take<uint32_t>(p);
  uint32_t count = take<uint32_t>(p);
  entry.addresses = {p, count};
  p += size_t(count) * sizeof(uint64_t);
  return entry;
}

Annotation readAnnotation(const uint8_t *&p) {
  Annotation annotation;
  annotation.fieldIndex = take<uint16_t>(p);
  annotation.key = takeText(p, take<uint16_t>(p));
  annotation.value = takeText(p, take<uint32_t>(p));
  return annotation;
}
} // namespace detail

template <class View> static bool sameElements(const View &a, const View &b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

bool operator==(const Value &a, const Value &b) {
  if (a.kind_ != b.kind_)
    return false;
  switch (a.kind_) {
  case FieldType::String:
  case FieldType::Bytes:
    return a.asString() == b.asString();
  case FieldType::StackFrames:
    return sameElements(a.asStack(), b.asStack());
  case FieldType::StringMap:
    return sameElements(a.asStringMap(), b.asStringMap());
  case FieldType::DynamicList:
    return sameElements(a.asList(), b.asList());
  case FieldType::DynamicMap:
    return sameElements(a.asMap(), b.asMap());
  default:
    return a.payload_ == b.payload_;
  }
}

} // namespace ada::dial9
