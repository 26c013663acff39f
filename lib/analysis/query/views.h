// The views of a trace: questions that are asked often, and names that other tools and older versions use.
//
// A database that is exported has the same ones.
#pragma once

namespace ada::query {

/// Statements that begin with "CREATE VIEW NAME AS": the name of the schema is put in before NAME.
inline constexpr struct {
  const char *name, *help, *query;
} kViews[] = {
    {"slow_calls", "The hundred longest calls.",
     "SELECT id, name, ts, dur, self, waiting, preempted, thread FROM spans ORDER BY dur DESC LIMIT 100"},
    {"exceptions", "Calls that were left by an exception or longjmp.",
     "SELECT id, name, ts, dur, thread, depth FROM spans WHERE exit = 'exception'"},
    {"inferred_exits", "Calls whose ends were only inferred: no hook saw how they were left.",
     "SELECT id, name, ts, dur, thread, depth FROM spans WHERE exit = 'inferred'"},
    {"open_calls", "Calls that had not ended when the trace did.",
     "SELECT id, name, ts, dur, thread, depth FROM spans WHERE exit = 'open'"},
    // Names of Perfetto's tables, as far as they mean the same.
    {"slice", "Perfetto's name for spans; `dur` is -1 for calls that had not ended.",
     "SELECT id, ts, iif(exit = 'open', -1, dur) AS dur, thread AS track_id, 'function' AS category, name, depth, "
     "parent_id, thread AS utid, process AS upid, id AS slice_id, id AS arg_set_id FROM spans"},
    {"thread_slice", "The same with names, as in Perfetto's library.",
     "SELECT s.id, s.ts, iif(s.exit = 'open', -1, s.dur) AS dur, s.name, s.depth, s.parent_id, s.thread AS track_id, "
     "s.thread AS utid, t.tid, t.name AS thread_name, s.process AS upid, p.pid, p.name AS "
     "process_name, s.id AS arg_set_id FROM spans s JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = "
     "s.process"},
    {"thread", "Perfetto's name for threads.",
     "SELECT id, id AS utid, tid, name, first_ts AS start_ts, last_ts AS end_ts, process AS upid FROM threads"},
    {"process", "Perfetto's name for processes.", "SELECT id, id AS upid, pid, name FROM processes"},
    {"thread_track", "Perfetto's tracks of slices: one for each thread.", "SELECT id, name, id AS utid FROM threads"},
    {"track", "The same.", "SELECT id, name FROM threads"},
    {"process_track", "Perfetto's tracks of processes; functions are on those of threads, so there are none.",
     "SELECT id, name, id AS upid FROM processes WHERE 0"},
    {"counter_track", "Perfetto's tracks of counters: one for each place that reports a value.",
     "SELECT id, name FROM functions WHERE kind = 'counter'"},
    {"counter", "Perfetto's name for values of counters.", "SELECT ts, function_id AS track_id, value FROM counters"},
    // Names that earlier exports to SQLite had: times end in _ns, and names stand beside numbers.
    {"calls", "Spans under the names of earlier exports.",
     "SELECT id, parent_id AS parent, thread, function_id AS function, depth, ts AS begin_ns, ts + dur AS end_ns, self "
     "AS self_ns, exit AS \"end\", outermost AS is_outermost, arguments, result, \"values\", coalesce(self_recorder, "
     "0) "
     "AS recorder_ns FROM spans"},
    {"all_calls", "The same, with names instead of numbers.",
     "SELECT s.id, s.parent_id AS parent, p.pid, t.tid, t.name AS thread, f.name AS function, f.file, f.line, s.depth, "
     "s.ts AS begin_ns, s.ts + s.dur AS end_ns, s.dur AS duration_ns, s.self AS self_ns, s.exit AS \"end\", "
     "s.arguments, "
     "s.result, s.\"values\", coalesce(s.self_recorder, 0) AS recorder_ns FROM spans s JOIN functions f ON f.id = "
     "s.function_id JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = s.process"},
    {"function_totals", "Functions that were called, with the process.",
     "SELECT f.id AS function_id, p.pid, f.name AS function, c.calls, c.total AS total_ns, c.self AS self_ns, "
     "coalesce(c.min, 0) AS min_ns, coalesce(c.max, 0) AS max_ns, c.exceptions, c.inferred, c.missing, c.open, "
     "coalesce(c.self_recorder, 0) AS recorder_ns FROM process_functions c JOIN functions f ON f.id = c.function_id "
     "JOIN processes p ON p.id = c.process"},
    {"thread_totals", "Threads that have calls, with the process.",
     "SELECT t.id AS thread_id, p.pid, t.tid, t.name AS thread, t.calls, t.total AS total_ns, t.first_ts AS begin_ns, "
     "t.last_ts AS end_ns FROM threads t JOIN processes p ON p.id = t.process WHERE t.calls > 0"},
    {"callers", "How often each function called each other one, and what that took.",
     "SELECT f.name AS function, coalesce(g.name, '') AS caller, count(*) AS calls, sum(iif(c.outermost, c.dur, 0)) AS "
     "total_ns, sum(c.self) AS self_ns, sum(coalesce(c.self_recorder, 0)) AS recorder_ns FROM spans c JOIN functions f "
     "ON "
     "f.id = c.function_id LEFT JOIN spans d ON d.id = c.parent_id LEFT JOIN functions g ON g.id = d.function_id GROUP "
     "BY f.id, g.id"},
};

} // namespace ada::query
