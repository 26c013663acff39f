// JSON of which nothing is trusted: parsed texts, and reading the fields that a description names.
#pragma once

#include "shared/text/json_fields.h"

#include <cstdint>
#include <map>
#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ada {

namespace dom = simdjson::dom;

/// A JSON text whose values stay as long as it does.
class JsonDocument {
public:
  JsonDocument() = default;
  explicit JsonDocument(std::string_view json) { (void)parse(json); }

  /// Repairs what simdjson rejects but real files have (json_repair.h).
  simdjson::error_code parse(std::string_view json);
  bool isRepaired() const noexcept { return isRepaired_; }
  /// Null if the text is not JSON, or not an object.
  const dom::object *object() const noexcept { return object_ ? &*object_ : nullptr; }

private:
  dom::parser parser_;
  std::optional<dom::object> object_;
  bool isRepaired_ = false;
};

/// Calls f for each object of an array; skips other elements.
template <class F> void eachObject(const dom::element &array, F f) {
  dom::array elements;
  if (array.get(elements))
    return;
  for (const dom::element element : elements)
    if (dom::object object; !element.get(object))
      f(object);
}
template <class F> void eachObject(const dom::object &object, std::string_view key, F f) {
  if (dom::element array; !object[key].get(array))
    eachObject(array, f);
}

//===--- values -----------------------------------------------------------===//
// Each sets `to` if the value is of its type.

/// An integer or a hexadecimal string: other writers use either form.
bool take(dom::element value, uint64_t &to);
template <class Integer>
  requires(std::is_unsigned_v<Integer> && sizeof(Integer) < sizeof(uint64_t) && !std::is_same_v<Integer, bool>)
bool take(dom::element value, Integer &to) {
  uint64_t number = 0;
  const bool isNumber = take(value, number);
  if (isNumber)
    to = static_cast<Integer>(number);
  return isNumber;
}
bool take(dom::element value, int64_t &to);
bool take(dom::element value, bool &to);
bool take(dom::element value, std::string_view &to);
bool take(dom::element value, std::string &to);
/// Strings unchanged, everything else as JSON.
bool take(dom::element value, std::vector<std::string> &to);
bool take(dom::element value, std::vector<std::pair<std::string, std::string>> &to);
/// Those members that are counts.
bool take(dom::element value, std::map<std::string, uint64_t> &to);
template <class T> bool take(dom::element value, std::optional<T> &to) {
  T read = {};
  const bool isRead = take(value, read);
  if (isRead)
    to = std::move(read);
  return isRead;
}
template <class Number> bool take(dom::element value, Hex<Number> to) { return take(value, to.number); }

//===--- fields -----------------------------------------------------------===//

/// Takes one member of an object at a time: a manifest may have hundreds of thousands of symbols, and looking up a key
/// starts at the beginning of an object. If a key comes twice, the first one counts.
class FieldReader {
public:
  template <class T> void operator()(std::string_view key, T &&to) { (void)(is(key) && take(value_, to)); }
  template <class T> void some(std::string_view key, T &&to) { (*this)(key, to); }
  template <class T> void require(std::string_view key, T &&to) {
    if (is(key) && take(value_, to))
      complete_ |= bit_;
    isIncomplete_ |= isEnd_ && !(complete_ & bit_);
  }
  template <class T, class Fields> void object(std::string_view key, T &of, Fields fields);
  template <class T, class Fields> void list(std::string_view key, std::vector<T> &list, Fields fields);

  /// False if a required field is missing.
  template <class T, class Fields> static bool read(const dom::object &object, T &to, Fields fields) {
    FieldReader reader;
    for (const dom::key_value_pair member : object) {
      reader.key_ = member.key, reader.value_ = member.value;
      reader.isTaken_ = false, reader.bit_ = 1;
      fields(reader, to);
    }
    reader.isEnd_ = true, reader.bit_ = 1;
    fields(reader, to);
    return !reader.isIncomplete_;
  }

private:
  // Each call is about the next field.
  bool is(std::string_view key) {
    bit_ <<= 1;
    if (isTaken_ || isEnd_ || key_ != key)
      return false;
    isTaken_ = true;
    const bool isFirst = !(seen_ & bit_);
    seen_ |= bit_;
    return isFirst;
  }

  std::string_view key_;
  dom::element value_;
  bool isTaken_ = false, isEnd_ = false, isIncomplete_ = false;
  uint64_t bit_ = 1, seen_ = 0, complete_ = 0;
};

template <class T, class Fields> void FieldReader::object(std::string_view key, T &of, Fields fields) {
  dom::object object;
  if (!is(key) || value_.get(object))
    return;
  if constexpr (requires { of.emplace(); })
    (void)read(object, of.emplace(), fields);
  else
    (void)read(object, of, fields);
}

template <class T, class Fields> void FieldReader::list(std::string_view key, std::vector<T> &list, Fields fields) {
  if (is(key))
    eachObject(value_, [&](const dom::object &object) {
      if (T element = {}; read(object, element, fields))
        list.push_back(std::move(element));
    });
}

} // namespace ada
