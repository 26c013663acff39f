// The usual questions to a database of sessions.
//
// A function's cost comes from two tables: `aggregates`, and `spans` except for sessions that have only some of their
// calls there (`counted` is 0). Percentiles include only calls that have both ends. They use the nearest rank, as in
// `adatrace report`; so does quantileExactWeighted, while quantileExact takes the larger of two values in the middle.
#include "questions.h"

#include <array>

namespace ada::formats {

namespace {

constexpr std::string_view kHere = "{where}";
constexpr std::string_view kBoth = "end IN ('return', 'exception')";
constexpr std::string_view kHour = "toDateTime(intDiv(begin, 3600000000000) * 3600) AS hour";

std::string text(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts)
    all += part;
  return all;
}

// Figures of functions, by `keys`: calls, total_ns, self_ns, off_cpu_ns, recorder_ns, exceptions, p (percentiles 50,
// 90, 99, 99.9). `made`: the keys with the expressions of those that are not columns. The innermost queries read the
// tables and already group their rows, so that each server of a Distributed table adds up its own.
std::string figures(std::string_view keys, std::string_view made = "") {
  if (made.empty())
    made = keys;
  return text(
      {"SELECT ", keys,
       ", sum(n) AS calls, sum(whole) AS total_ns, sum(own) AS self_ns, sum(off) AS off_cpu_ns, sum(held) AS "
       "recorder_ns, sum(failed) AS exceptions, quantilesExactWeightedMerge(0.5, 0.9, 0.99, 0.999)(state) AS p FROM "
       "(SELECT ",
       made,
       ", count() AS n, sumIf(duration, outermost) AS whole, sum(self) AS own, sum(self_waiting + self_preempted) AS "
       "off, sumIf(recorder, outermost) AS held, countIf(end = 'exception') AS failed, "
       "quantilesExactWeightedStateIf(0.5, 0.9, 0.99, 0.999)(duration, "
       "toUInt64(1), ",
       kBoth, ") AS state FROM spans WHERE counted AND ", kHere, " GROUP BY ", keys, " UNION ALL SELECT ", made,
       ", sum(calls) AS n, sum(total) AS whole, sum(self) AS own, sum(self_waiting + self_preempted) AS off, "
       "sum(recorder) AS held, sum(exceptions) AS failed, quantilesExactWeightedMergeState(0.5, 0.9, 0.99, "
       "0.999)(durations) AS state FROM "
       "aggregates WHERE ",
       kHere, " GROUP BY ", keys, ") GROUP BY ", keys});
}

// A function has one row for each file and module in which it occurs.
constexpr std::string_view kNames = " ANY LEFT JOIN (SELECT function, any(name) AS name, max(file) AS at_file, "
                                    "argMax(line, file) AS at_line FROM functions "
                                    "GROUP BY function) USING function";

Question ofTraces() {
  return {.name = "traces",
          .about = "trace ids by the time from the first call of each to the last, on all hosts",
          .view = "trace_totals",
          .query =
              text({"SELECT trace_id, hosts, processes, calls, exceptions, time, duration_ns, self_ns, name FROM "
                    "(SELECT trace_id, uniqExact(host) AS hosts, uniqExact(session, process) AS processes, count() AS "
                    "calls, countIf(end = 'exception') AS exceptions, toDateTime(intDiv(min(begin), 1000000000)) AS "
                    "time, max(begin + duration) - min(begin) AS duration_ns, sum(self) AS self_ns, argMax(function, "
                    "duration) AS function FROM spans WHERE trace_id != '' AND ",
                    kHere, " GROUP BY trace_id)", kNames}),
          .order = "duration_ns DESC, trace_id"};
}

Question ofCounters() {
  return {.name = "counters",
          .about = "values of counters, hour by hour",
          .view = "counter_hours",
          .query =
              text({"SELECT name, host, release, hour, values, least, mean, p99, greatest FROM (SELECT function, host, "
                    "release, ",
                    kHour,
                    ", count() AS values, min(value) AS least, avg(value) AS mean, "
                    "quantileExactWeighted(0.99)(value, toUInt64(1)) AS p99, max(value) AS greatest FROM points WHERE "
                    "kind = 'counter' AND ",
                    kHere, " GROUP BY function, host, release, hour)", kNames}),
          .order = "name, host, release, hour"};
}

std::array<Question, 9> make() {
  const std::string byHost = figures("function, host");
  return {{
      {.name = "functions",
       .about = "what functions cost on all hosts",
       .view = "function_totals",
       .query = text({"SELECT name, at_file AS file, at_line AS line, calls, total_ns, self_ns, off_cpu_ns, "
                      "recorder_ns, exceptions, p[1] AS p50_ns, p[3] "
                      "AS p99_ns, p[4] AS p999_ns FROM (",
                      figures("function"), ")", kNames}),
       .order = "self_ns DESC, name"},
      {.name = "hosts",
       .about = "what functions cost by host, release and hour",
       .view = "host_totals",
       .query = text({"SELECT host, release, hour, name, calls, total_ns, self_ns, exceptions, p[1] AS p50_ns, p[3] AS "
                      "p99_ns FROM (",
                      figures("function, host, release, hour", "function, host, release, " + std::string(kHour)), ")",
                      kNames}),
       .order = "self_ns DESC, host, release, hour, name"},
      {.name = "percentiles",
       .about = "how long calls took, hour by hour",
       .view = "function_hours",
       .query =
           text({"SELECT name, hour, calls, p[1] AS p50_ns, p[2] AS p90_ns, p[3] AS p99_ns, p[4] AS p999_ns FROM (",
                 figures("function, hour", "function, " + std::string(kHour)), ")", kNames}),
       .order = "name, hour"},
      {.name = "releases",
       .about = "what functions cost in each release",
       .view = "release_totals",
       .query =
           text({"SELECT name, release, calls, total_ns, self_ns, exceptions, p[1] AS p50_ns, p[3] AS p99_ns FROM (",
                 figures("function, release"), ")", kNames}),
       .order = "name, release"},
      {.name = "deviating",
       .about = "hosts on which a function's median is at least 1.5 times that of the median host",
       .view = "deviating_hosts",
       .query = text(
           {"SELECT name, host, calls, p50_ns, usual_ns, p50_ns / usual_ns AS times FROM (SELECT function, "
            "host, calls, p[1] AS p50_ns, usual_ns FROM (",
            byHost, ") ANY LEFT JOIN (SELECT function, quantileExactWeighted(0.5)(p[1], 1) AS usual_ns FROM (", byHost,
            ") GROUP BY function) USING function WHERE usual_ns > 0 AND p50_ns >= 1.5 * usual_ns)", kNames}),
       .order = "times DESC, name, host"},
      {.name = "exceptions",
       .about = "functions that are rarely left by an exception",
       .view = "rare_exceptions",
       .query = text(
           {"SELECT name, calls, exceptions, exceptions / calls AS share FROM (", figures("function"), ")", kNames}),
       .where = "exceptions > 0 AND share <= 0.01",
       .order = "share, name"},
      {.name = "slowest",
       .about = "the slowest calls, each with the command that shows it on the machine that has its session",
       .view = "slow_calls",
       .query = text(
           {"SELECT duration AS duration_ns, self AS self_ns, host, release, toDateTime(intDiv(begin, 1000000000)) AS "
            "time, name, arguments, concat('adatrace tree --thread=', toString(tid), ' --from=@', toString(begin - "
            "offset), ' --to=@', toString(begin - offset + duration + 1), ' \\'', replaceAll(path, '\\'', "
            "'\\'\\\\\\'\\''), '\\'') AS command FROM (SELECT * FROM (SELECT * FROM (SELECT session, process, thread, "
            "function, host, release, begin, duration, self, arguments FROM spans WHERE ",
            kBoth, " AND ", kHere, " ORDER BY duration DESC, begin, session, thread, id LIMIT 1000)", kNames,
            ") ANY LEFT JOIN (SELECT session, path, p.number AS process, if(p.epoch_offset = 0, "
            "visitParamExtractUInt(p.manifest, 'epoch_offset_ns'), p.epoch_offset) AS offset FROM sessions FINAL ARRAY "
            "JOIN processes AS p) USING session, process) ANY LEFT JOIN (SELECT session, thread, tid FROM threads) "
            "USING session, thread"}),
       .order = "duration_ns DESC, time, host, command"},
      ofTraces(),
      ofCounters(),
  }};
}

std::string replaced(std::string query, const std::string &condition) {
  for (size_t at = 0; (at = query.find(kHere, at)) != query.npos; at += condition.size())
    query.replace(at, kHere.size(), condition);
  return query;
}

} // namespace

std::span<const Question> questions() {
  static const auto all = make();
  return all;
}

std::string queryOf(const Question &question, const std::string &condition) {
  return replaced(question.query, condition);
}

std::string sessionFigures(const std::string &condition) {
  return replaced(text({"SELECT session, function, calls, total_ns, self_ns, p[1] AS p50_ns, p[3] AS p99_ns FROM (",
                        figures("session, function"), ")"}),
                  condition);
}

} // namespace ada::formats
