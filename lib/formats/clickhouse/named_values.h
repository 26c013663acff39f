// Arguments and other named values of a call as columns: `args` of the tables `spans` and `points`.
#pragma once

#include "formats/clickhouse/row_binary.h"

#include <string>
#include <string_view>
#include <vector>

namespace ada::formats {

/// A Nested of three columns: each value's name, its text, and its number (NaN if it is not a number).
class NamedValues {
public:
  /// Any further values of a call are left out.
  static constexpr size_t kMax = 64;

  /// Adds the members of a JSON object. Members of nested objects are named like "point.x". Adds nothing if it is not
  /// an object.
  void add(std::string_view object);
  void put(RowBinary &out) const;
  void clear() { values_.clear(); }
  /// The text of the first value whose name is that of a trace id: trace_id, traceId, request->trace_id and the like.
  /// Empty if there is none.
  std::string_view traceId() const;

private:
  struct Value {
    std::string name, text;
    double number;
  };
  std::vector<Value> values_;
};

/// The number in a result's text: 55, -1 (ENOENT), true. NaN for other texts.
double numberIn(std::string_view text);

} // namespace ada::formats
