// The usual questions to a database (docs/reference/fleet.md), as views and as queries for some of its calls.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ada::formats {

struct Question {
  std::string_view name, about;
  std::string_view view;       ///< its name in the database; `--init` creates it
  std::string query;           ///< for all calls
  std::string_view where = {}; ///< which lines of the answer to keep; empty: all
  std::string_view order;      ///< what to sort the answer by
};
std::span<const Question> questions();

/// The query for calls that fulfil `condition`, which may use the columns that `spans` and `aggregates` share (host,
/// release, session, function, day, begin).
std::string queryOf(const Question &question, const std::string &condition);

/// A query for figures by session and function, for the sessions that `condition` (on `session`) chooses: session,
/// function, calls, total_ns, self_ns, p50_ns, p99_ns.
std::string sessionFigures(const std::string &condition);

/// The quantiles that the queries ask for, as ClickHouse's aggregate function.
inline constexpr std::string_view kQuantiles = "quantilesExactWeighted(0.5, 0.9, 0.99, 0.999)";

} // namespace ada::formats
