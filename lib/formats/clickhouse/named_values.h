// Arguments and other named values of a call as columns: `args` of the tables `spans` and `points`.
#ifndef ADA_LIB_FORMATS_CLICKHOUSE_NAMED_VALUES_H
#define ADA_LIB_FORMATS_CLICKHOUSE_NAMED_VALUES_H

#include "formats/clickhouse/row_binary.h"

#include <string>
#include <string_view>
#include <vector>

namespace ada::model {

/// A Nested of three columns: what each is called, its text, and its number, NaN if it is none.
class NamedValues {
public:
  /// More of a call are left out.
  static constexpr std::size_t kMost = 64;

  /// The members of a JSON object; what is an object itself by its members, as "point.x". Nothing if it is no object.
  void add(std::string_view object);
  void put(RowBinary &out) const;
  void clear() { values_.clear(); }
  /// The text of the first one that is called a trace id: trace_id, traceId, request->trace_id and the like. Empty if
  /// none is.
  std::string_view traceId() const;

private:
  struct Value {
    std::string name, text;
    double number;
  };
  std::vector<Value> values_;
};

/// Of a result's text: 55, -1 (ENOENT), true; NaN of others.
double numberIn(std::string_view text);

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CLICKHOUSE_NAMED_VALUES_H
