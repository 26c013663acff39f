// Writes the fields that a description names, such as those in shared/manifest_keys.h.
// lib/trace/base/json_document.h reads them.
//
// A description is a template that names each field of an object to `f`, with its key and a member of some struct:
//
//   f(key, member)              a field that is always there; an optional member without a value is left out
//   f.some(key, member)         a field that is left out if it is 0, empty or false
//   f.require(key, member)      a field without which the object is no use: a reader of a list leaves the object out
//   f.object(key, of, fields)   an object, whose fields `fields(f, of)` names; left out if it is an empty optional
//   f.list(key, list, fields)   an array of objects, likewise; left out if it is empty
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "json.h"

namespace ada {

/// A member that is written as a string: "0x" and at least `digits` digits.
template <class Number> struct Hex {
  Number &number;
  unsigned digits;
};
template <class Number> constexpr Hex<Number> hex(Number &number, unsigned digits) { return {number, digits}; }

/// Writes to a JsonStructure.
template <class Json> class FieldWriter {
public:
  explicit FieldWriter(Json &json) : json_(json) {}

  template <class T> void operator()(TextPiece key, const T &value) {
    if constexpr (requires { value.number.has_value(); }) {
      if (value.number)
        json_.hex(key, *value.number, value.digits);
    } else if constexpr (requires { value.digits; })
      json_.hex(key, value.number, value.digits);
    else if constexpr (requires { value.has_value(); }) {
      if (value)
        (*this)(key, *value);
    } else if constexpr (__is_same(T, bool))
      json_.boolean(key, value);
    else if constexpr (requires { value.begin()->second; }) {
      json_.beginObject(key);
      for (const auto &[name, count] : value)
        json_.number(name, count);
      json_.endObject();
    } else if constexpr (requires { json_.text(key, value); })
      json_.text(key, value);
    else
      json_.number(key, value);
  }
  template <class T> void require(TextPiece key, const T &value) { (*this)(key, value); }
  template <class T> void some(TextPiece key, const T &value) {
    if (isSome(value))
      (*this)(key, value);
  }
  template <class T, class Fields> void object(TextPiece key, const T &of, Fields fields) {
    if constexpr (requires { of.has_value(); }) {
      if (of)
        object(key, *of, fields);
    } else {
      json_.beginObject(key);
      fields(*this, of);
      json_.endObject();
    }
  }
  template <class List, class Fields> void list(TextPiece key, const List &list, Fields fields) {
    if (list.empty())
      return;
    json_.beginArray(key);
    for (const auto &element : list)
      object({}, element, fields);
    json_.endArray();
  }

private:
  template <class T> static bool isSome(const T &value) {
    if constexpr (requires { value.digits; })
      return isSome(value.number);
    else if constexpr (requires { value.empty(); })
      return !value.empty();
    else
      return value != T{};
  }

  Json &json_;
};

} // namespace ada
