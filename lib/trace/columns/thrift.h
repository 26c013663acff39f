// Writes structs of Apache Thrift's compact protocol, in which Parquet's page headers and footer are:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace ada::columns {

inline void appendVarint(std::string &to, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
inline uint64_t zigzag(int64_t value) { return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63); }

/// One struct. Fields must come with increasing numbers. A field that is a struct, or a list of structs, is written by
/// a function:
///
///   ThriftStruct(bytes, [&](ThriftStruct &page) {
///     page.i32(1, kDataPage);
///     page.structure(5, [&](ThriftStruct &header) { header.i32(1, rows); });
///   });
class ThriftStruct {
public:
  template <std::invocable<ThriftStruct &> Fill> ThriftStruct(std::string &to, Fill &&fill) : to_(to) {
    fill(*this);
    to_ += '\0';
  }

  void flag(unsigned field, bool value) { begin(field, value ? kTrue : kFalse); }
  void i8(unsigned field, int8_t value) {
    begin(field, kI8);
    to_ += static_cast<char>(value);
  }
  void i32(unsigned field, int32_t value) { number(field, kI32, value); }
  void i64(unsigned field, uint64_t value) { number(field, kI64, static_cast<int64_t>(value)); }
  void binary(unsigned field, std::string_view value) {
    begin(field, kBinary);
    appendBinary(value);
  }
  template <class Fill> void structure(unsigned field, Fill &&fill) {
    begin(field, kStruct);
    ThriftStruct(to_, fill);
  }
  /// fill(index, struct) for each element.
  template <class Fill> void structures(unsigned field, size_t count, Fill &&fill) {
    beginList(field, kStruct, count);
    for (size_t i = 0; i < count; ++i)
      ThriftStruct(to_, [&](ThriftStruct &element) { fill(i, element); });
  }
  /// The same for structs that are bytes already.
  void encodedStructures(unsigned field, size_t count, std::string_view bytes) {
    beginList(field, kStruct, count);
    to_.append(bytes);
  }
  template <class List> void i32s(unsigned field, const List &list) {
    beginList(field, kI32, list.size());
    for (const int32_t value : list)
      appendVarint(to_, zigzag(value));
  }
  void oneBinary(unsigned field, std::string_view value) {
    beginList(field, kBinary, 1);
    appendBinary(value);
  }

private:
  enum Type : uint8_t { kTrue = 1, kFalse, kI8, kI32 = 5, kI64, kBinary = 8, kList, kStruct = 12 };

  void begin(unsigned field, Type type) {
    to_ += static_cast<char>((field - last_) << 4 | type); // fields are never more than 15 apart
    last_ = field;
  }
  void number(unsigned field, Type type, int64_t value) {
    begin(field, type);
    appendVarint(to_, zigzag(value));
  }
  void appendBinary(std::string_view value) {
    appendVarint(to_, value.size());
    to_.append(value);
  }
  void beginList(unsigned field, Type type, size_t count) {
    begin(field, kList);
    to_ += static_cast<char>((count < 15 ? count : 15) << 4 | type);
    if (count >= 15)
      appendVarint(to_, count);
  }

  std::string &to_;
  unsigned last_ = 0;
};

} // namespace ada::columns
