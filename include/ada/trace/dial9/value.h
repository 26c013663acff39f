// A field's value: 16 bytes, which point to the content if it is longer.
//
// The decoder shows values and the encoder takes them. A value never owns
// memory. Values that a decoder shows point into the pushed chunk (or the
// decoder's own buffer) and are valid until the visitor's function returns.
// Values that you make for an encoder point to your memory, which has to live
// until the call returns:
//
//   std::array<Value, 2> inner = {Value::varint(1), Value::string("x")};
//   std::array<Value, 2> values = {Value::varint(7), Value::list(inner)};
//   encoder.event(typeId, timestampNs, values);
#ifndef ADA_TRACE_DIAL9_VALUE_H
#define ADA_TRACE_DIAL9_VALUE_H

#include "ada/trace/dial9/format.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <iterator>
#include <span>

namespace ada::dial9 {

// Addresses and fixed-size numbers are little-endian in the file and are read
// in place.
static_assert(std::endian::native == std::endian::little,
              "dial9 streams are read in place on little-endian hosts only");

namespace detail {
template <class T> inline T load(const uint8_t *p) {
  T value;
  std::memcpy(&value, p, sizeof(T)); // nothing in a stream is aligned
  return value;
}
inline std::string_view text(const uint8_t *p, size_t size) { return {reinterpret_cast<const char *>(p), size}; }
struct ValueAccess;

/// A forward range over a known number of entries: in an array, or one after the other in checked bytes, where `Read`
/// takes a position by reference, moves it to the next entry, and returns this one.
template <class Entry, Entry (*Read)(const uint8_t *&)> class EntryRange {
public:
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = ptrdiff_t;
    using pointer = const Entry *;
    using reference = Entry;

    Entry operator*() const {
      if (array_)
        return *array_;
      const uint8_t *p = packed_;
      return Read(p);
    }
    iterator &operator++() {
      if (array_)
        ++array_;
      else
        (void)Read(packed_);
      --left_;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const iterator &other) const { return left_ == other.left_; }

  private:
    friend class EntryRange;
    iterator(const Entry *a, const uint8_t *p, uint64_t n) : array_(a), packed_(p), left_(n) {}
    const Entry *array_;
    const uint8_t *packed_;
    uint64_t left_;
  };

  EntryRange() = default;
  EntryRange(const uint8_t *first, uint64_t number) : packed_(first), count_(number) {}
  EntryRange(const Entry *first, uint64_t number) : array_(first), count_(number) {}
  iterator begin() const { return {array_, packed_, count_}; }
  iterator end() const { return {nullptr, nullptr, 0}; }
  size_t size() const { return size_t(count_); }
  bool empty() const { return count_ == 0; }

private:
  const Entry *array_ = nullptr;
  const uint8_t *packed_ = nullptr;
  uint64_t count_ = 0;
};
} // namespace detail

/// The addresses of a stack, in file order, at any alignment.
class AddressList {
public:
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = uint64_t;
    using difference_type = ptrdiff_t;
    using pointer = const uint64_t *;
    using reference = uint64_t;

    uint64_t operator*() const { return detail::load<uint64_t>(at_); }
    iterator &operator++() {
      at_ += sizeof(uint64_t);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const iterator &) const = default;

  private:
    friend class AddressList;
    explicit iterator(const uint8_t *p) : at_(p) {}
    const uint8_t *at_;
  };

  AddressList() = default;
  AddressList(const uint8_t *first, size_t number) : bytes_(first), count_(number) {}
  AddressList(std::span<const uint64_t> addresses)
      : bytes_(reinterpret_cast<const uint8_t *>(addresses.data())), count_(addresses.size()) {}

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  uint64_t operator[](size_t index) const { return detail::load<uint64_t>(bytes_ + index * sizeof(uint64_t)); }
  iterator begin() const { return iterator(bytes_); }
  iterator end() const { return iterator(bytes_ + count_ * sizeof(uint64_t)); }
  /// The addresses as they lie in the file, 8 bytes each.
  const uint8_t *data() const { return bytes_; }

private:
  const uint8_t *bytes_ = nullptr;
  size_t count_ = 0;
};

/// A pair of a StringMap. Order and repeated keys are kept; neither has to be
/// UTF-8.
struct StringPair {
  std::string_view key;
  std::string_view value;
  friend bool operator==(const StringPair &, const StringPair &) = default;
};

struct ValuePair;
class Value;
namespace detail {
StringPair readStringPair(const uint8_t *&p);
Value readListItem(const uint8_t *&p);
ValuePair readMapEntry(const uint8_t *&p);
} // namespace detail
using StringMapView = detail::EntryRange<StringPair, detail::readStringPair>;
using ListView = detail::EntryRange<Value, detail::readListItem>;
using MapView = detail::EntryRange<ValuePair, detail::readMapEntry>;

/// One value with its type. Cheap to copy; two words.
class Value {
public:
  /// An absent value: what an optional field has when its presence byte is 0.
  constexpr Value() = default;

  static constexpr Value absent() { return {}; }
  static constexpr Value int64(int64_t v) { return {FieldType::I64, uint64_t(v)}; }
  static constexpr Value float64(double v) { return {FieldType::F64, std::bit_cast<uint64_t>(v)}; }
  static constexpr Value boolean(bool v) { return {FieldType::Bool, v}; }
  static constexpr Value varint(uint64_t v) { return {FieldType::Varint, v}; }
  static constexpr Value u8(uint8_t v) { return {FieldType::U8, v}; }
  static constexpr Value u16(uint16_t v) { return {FieldType::U16, v}; }
  static constexpr Value u32(uint32_t v) { return {FieldType::U32, v}; }
  /// An id of the string pool.
  static constexpr Value pooledString(uint32_t id) { return {FieldType::PooledString, id}; }
  /// An id of the stack pool, whose ids are independent of the string pool's.
  /// Extended.
  static constexpr Value pooledStack(uint32_t id) { return {FieldType::PooledStackFrames, id}; }
  static Value string(std::string_view v) { return {FieldType::String, v.data(), v.size(), Form::Encoded}; }
  static Value bytes(std::span<const uint8_t> v) { return {FieldType::Bytes, v.data(), v.size(), Form::Encoded}; }
  static Value stackFrames(std::span<const uint64_t> v) {
    return {FieldType::StackFrames, v.data(), v.size(), Form::Encoded};
  }
  static Value stackFrames(AddressList v) { return {FieldType::StackFrames, v.data(), v.size(), Form::Encoded}; }
  static Value stringMap(std::span<const StringPair> v) {
    return {FieldType::StringMap, v.data(), v.size(), Form::Items};
  }
  /// Extended. Elements may have any type but `Absent`, also lists and maps.
  static Value list(std::span<const Value> v) { return {FieldType::DynamicList, v.data(), v.size(), Form::Items}; }
  /// Extended. Keys and values as in a list.
  static Value map(std::span<const ValuePair> v);

  FieldType type() const { return kind_; }
  bool isAbsent() const { return kind_ == FieldType::Absent; }

  // Each of the following is for the types in its comment; asking a value of
  // another type is a bug in the caller (asserted in debug builds).

  int64_t asInt64() const { return assert(kind_ == FieldType::I64), int64_t(payload_); }                ///< I64
  double asFloat64() const { return assert(kind_ == FieldType::F64), std::bit_cast<double>(payload_); } ///< F64
  bool asBool() const { return assert(kind_ == FieldType::Bool), payload_ != 0; }                       ///< Bool
  /// Varint, U8, U16, U32.
  uint64_t asUint64() const {
    assert(kind_ == FieldType::Varint || (kind_ >= FieldType::U8 && kind_ <= FieldType::U32));
    return payload_;
  }
  /// PooledString, PooledStackFrames.
  uint32_t poolId() const {
    assert(kind_ == FieldType::PooledString || kind_ == FieldType::PooledStackFrames);
    return uint32_t(payload_);
  }
  /// String, Bytes. Not checked to be UTF-8.
  std::string_view asString() const {
    assert(kind_ == FieldType::String || kind_ == FieldType::Bytes);
    return detail::text(pointer<uint8_t>(), count_);
  }
  /// Bytes, String.
  std::span<const uint8_t> asBytes() const {
    assert(kind_ == FieldType::String || kind_ == FieldType::Bytes);
    return {pointer<uint8_t>(), count_};
  }
  AddressList asStack() const { ///< StackFrames
    assert(kind_ == FieldType::StackFrames);
    return {pointer<uint8_t>(), count_};
  }
  StringMapView asStringMap() const; ///< StringMap
  ListView asList() const;           ///< DynamicList
  MapView asMap() const;             ///< DynamicMap

  /// Same type and same content; F64 by its bits, so a NaN equals itself and
  /// the two zeros differ.
  friend bool operator==(const Value &a, const Value &b);

private:
  friend struct detail::ValueAccess;

  // Where a container's elements are: in a stream's encoding, or in an array of
  // the caller's. TooLong marks a length that doesn't fit a u32 count; the encoder refuses it.
  enum class Form : uint8_t { Encoded, Items, TooLong };

  constexpr Value(FieldType type, uint64_t bits) : payload_(bits), kind_(type) {}
  Value(FieldType type, const void *data, size_t size, Form where)
      : payload_(reinterpret_cast<uintptr_t>(data)), count_(uint32_t(size)), kind_(type),
        form_(size > UINT32_MAX ? Form::TooLong : where) {}
  template <class T> const T *pointer() const { return reinterpret_cast<const T *>(uintptr_t(payload_)); }
  template <class Range> Range elements() const {
    using Entry = typename Range::iterator::value_type;
    return form_ == Form::Items ? Range(pointer<Entry>(), count_) : Range(pointer<uint8_t>(), count_);
  }

  uint64_t payload_ = 0; // the number, or the address of what follows the count
  uint32_t count_ = 0;   // bytes of a string, elements of anything else
  FieldType kind_ = FieldType::Absent;
  Form form_ = Form::Encoded;
};
static_assert(sizeof(Value) == 16);

/// An entry of a DynamicMap. Order and repeated keys are kept.
struct ValuePair {
  Value key;
  Value value;
  friend bool operator==(const ValuePair &, const ValuePair &) = default;
};

inline Value Value::map(std::span<const ValuePair> v) {
  return {FieldType::DynamicMap, v.data(), v.size(), Form::Items};
}

inline StringMapView Value::asStringMap() const {
  assert(kind_ == FieldType::StringMap);
  return elements<StringMapView>();
}
inline ListView Value::asList() const {
  assert(kind_ == FieldType::DynamicList);
  return elements<ListView>();
}
inline MapView Value::asMap() const {
  assert(kind_ == FieldType::DynamicMap);
  return elements<MapView>();
}

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_VALUE_H
