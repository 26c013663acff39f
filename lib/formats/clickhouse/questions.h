// The usual questions to a database of sessions (docs/fleet.md), as views and as queries of some of its calls.
#ifndef ADA_LIB_FORMATS_CLICKHOUSE_QUESTIONS_H
#define ADA_LIB_FORMATS_CLICKHOUSE_QUESTIONS_H

#include <span>
#include <string>
#include <string_view>

namespace ada::model {

struct Question {
  std::string_view name, about;
  std::string_view view;       ///< under which `--init` puts it into the database
  std::string query;           ///< of all calls
  std::string_view where = {}; ///< of the answer's lines; empty: all
  std::string_view order;      ///< what to sort the answer by
};
std::span<const Question> questions();

/// The query of calls for which `condition` holds: it may use what `spans` and `aggregates` both have (host, release,
/// session, function, day, begin).
std::string queryOf(const Question &question, const std::string &condition);

/// By session and function, of the sessions that `condition` (of `session`) chooses: session, function, calls,
/// total_ns, self_ns, p50_ns, p99_ns.
std::string sessionFigures(const std::string &condition);

/// Of a quantile's state in `aggregates`, and its position among `kQuantiles`.
inline constexpr std::string_view kQuantiles = "quantilesExactWeighted(0.5, 0.9, 0.99, 0.999)";

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CLICKHOUSE_QUESTIONS_H
