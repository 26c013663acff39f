// SQL on traces, with results as arrays.
#pragma once

#include "trace.h"

#include "ada/trace/sql.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ada::python {

/// A connection to one trace or several. One query at a time; others wait for it.
class Database {
public:
  /// Traces, each with the name of its schema; "main" is that of the first.
  using Schemas = std::vector<std::pair<std::string, std::shared_ptr<Trace>>>;
  static Expected<std::shared_ptr<Database>> open(const Schemas &schemas, const StopFlag &stop);

  /// The result of a query, column by column.
  class Result;
  Expected<std::shared_ptr<Result>> run(const std::string &sql, const StopFlag &stop);
  /// Ends the query that is being run with this flag.
  void interrupt(const StopFlag &stop);

private:
  void begin(const StopFlag &stop);

  std::timed_mutex mutex_;
  std::mutex runningMutex_;
  const void *running_ = nullptr; ///< the flag of the query
  std::unique_ptr<query::SqlDatabase> database_;
};

/// A dict with the columns of the result, by name, as SpanArrays::take() has them. A column has numbers of one type, or
/// words; if its values are of several types, all of them become words. Needs Python's lock.
pybind11::dict taken(Database::Result &result);
/// What was wrong with the traces, as far as queries have read them.
const Damage &damageIn(const Database::Result &result);

} // namespace ada::python
