// Turns a query that only adds up calls into one that reads sums.
//
// SQLite takes a microsecond for each row that it groups by a text, most of it to sort; a trace has a hundred million.
// A query such as
//
//   SELECT name, count(*), sum(dur) FROM spans WHERE depth < 3 GROUP BY name HAVING count(*) > 9 ORDER BY 3 DESC
//
// needs one row for each name only. There is a hidden table `span_groups`, with one row for each combination of those
// keys (name, function_id, thread, process, depth, exit, outermost) that a query uses, and with the sums of all other
// columns. The query is changed to read that table: `count(*)` becomes `sum(ada_n)`, `sum(dur)` becomes
// `sum(ada_dur_sum)`, and so on; a query can't have used these names for anything else. Divided by a number, times are
// keys, too: with `FROM span_groups(1000000, 0, 0)`, `ada_ts_part` is `ts / 1000000`. Conditions on other columns than
// keys are met by the table, or the table fails before its first row; then the query is run as it was written.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ada::query {

/// Columns of spans that `span_groups` has as keys, and those that it adds up.
inline constexpr std::array<const char *, 7> kGroupKeys = {"name",  "function_id", "thread",   "process",
                                                           "depth", "exit",        "outermost"};
/// Columns that `span_groups` has as keys if its arguments, in this order, say by what to divide them.
inline constexpr std::array<const char *, 3> kGroupParts = {"ts", "dur", "self"};
inline constexpr std::array<const char *, 8> kGroupMeasures = {"ts",      "dur",       "self",     "on_cpu",
                                                               "waiting", "preempted", "recorder", "self_recorder"};

/// The changed query; nothing if the query is of another form. It has the same result, except for the names of columns.
std::optional<std::string> rewriteGroups(std::string_view sql);

} // namespace ada::query
