// A JSON object whose members are changed by name; all others stay as they are.
#pragma once

#include "json.h"
#include "shared/text/json_fields.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simdjson::dom {
class object; // from json_document.h
}

namespace ada {

class JsonObject {
public:
  /// simdjson refuses values that are nested more deeply than 1024.
  static constexpr size_t kMaxNesting = 1000;

  JsonObject() = default;
  /// No members if the text is not a JSON object. What is nested too deeply for a reader becomes "…".
  explicit JsonObject(std::string_view json);
  explicit JsonObject(const simdjson::dom::object &object);

  bool empty() const noexcept { return members_.empty(); }
  /// Each with its JSON.
  const std::vector<std::pair<std::string, std::string>> &members() const noexcept { return members_; }
  /// The member as JSON, or null.
  const std::string *find(std::string_view key) const;
  /// Keeps the member's place if it has one.
  void set(std::string_view key, std::string json);
  void erase(std::string_view key);
  /// Adds elements, with commas between them, to an array. Anything but an array becomes one.
  void append(std::string_view key, std::string_view elements);
  /// Adds the members that this object does not have.
  void addMissing(JsonObject more);
  /// Sets the fields that `fields(f, of)` names, and erases those that are left out. Objects in it are updated
  /// likewise.
  template <class T, class Fields> void update(const T &of, Fields fields);
  std::string text() const;

private:
  struct Update;
  std::vector<std::pair<std::string, std::string>> members_;
};

struct JsonObject::Update {
  JsonObject &target;

  template <class Write> void put(std::string_view key, Write write) {
    JsonMembers value;
    FieldWriter writer(value);
    write(writer);
    if (value.list().empty())
      target.erase(key);
    else
      target.set(key, value.list());
  }
  template <class T> void operator()(std::string_view key, const T &value) {
    put(key, [&](auto &f) { f({}, value); });
  }
  template <class T> void require(std::string_view key, const T &value) { (*this)(key, value); }
  template <class T> void some(std::string_view key, const T &value) {
    put(key, [&](auto &f) { f.some({}, value); });
  }
  template <class List, class Fields> void list(std::string_view key, const List &list, Fields fields) {
    put(key, [&](auto &f) { f.list({}, list, fields); });
  }
  template <class T, class Fields> void object(std::string_view key, const T &of, Fields fields) {
    if constexpr (requires { of.has_value(); }) {
      if (of)
        object(key, *of, fields);
      else
        target.erase(key);
    } else {
      const std::string *const now = target.find(key);
      JsonObject updated(now ? std::string_view(*now) : std::string_view());
      updated.update(of, fields);
      target.set(key, updated.text());
    }
  }
};

template <class T, class Fields> void JsonObject::update(const T &of, Fields fields) {
  Update update{*this};
  fields(update, of);
}

} // namespace ada
