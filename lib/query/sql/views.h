// The views of every trace: questions that are asked often, and names that other tools and older versions use.
#pragma once

namespace ada::query {

/// Statements that begin with "CREATE VIEW NAME AS": the name of the schema is put in before NAME.
inline constexpr struct {
  const char *name, *help, *query;
} kViews[] = {
    {"function_totals", "Functions that were called, those with the most own time first.",
     "SELECT id AS function_id, process, name, calls, total, self, on_cpu, waiting, preempted, recorder, min, p50, "
     "p90, "
     "p99, max, file, line FROM functions WHERE calls > 0 ORDER BY self DESC"},
    {"thread_totals", "Threads with what they did: on-CPU, waiting, preempted.",
     "SELECT t.id AS thread, p.pid, t.tid, t.name, t.calls, t.total, t.on_cpu, t.waiting, t.preempted, t.recorder, "
     "t.first_ts, t.last_ts FROM threads t JOIN processes p ON p.id = t.process"},
    {"slow_calls", "The hundred longest calls.",
     "SELECT id, name, ts, dur, self, waiting, preempted, thread FROM spans ORDER BY dur DESC LIMIT 100"},
    {"exceptions", "Calls that were left by an exception or longjmp.",
     "SELECT id, name, ts, dur, thread, depth FROM spans WHERE exit = 'exception'"},
    {"open_calls", "Calls that had not ended when the trace did.",
     "SELECT id, name, ts, dur, thread, depth FROM spans WHERE exit = 'open'"},
    // Names of Perfetto's tables, as far as they mean the same.
    {"slice", "Perfetto's name for spans; `dur` is -1 for calls that had not ended.",
     "SELECT id, ts, iif(exit = 'open', -1, dur) AS dur, thread AS track_id, 'function' AS category, name, depth, "
     "parent_id, thread AS utid, process AS upid FROM spans"},
    {"thread", "Perfetto's name for threads.",
     "SELECT id, id AS utid, tid, name, first_ts AS start_ts, last_ts AS end_ts, process AS upid FROM threads"},
    {"process", "Perfetto's name for processes.",
     "SELECT id, id AS upid, pid, coalesce(executable, name) AS name FROM processes"},
    {"thread_track", "Perfetto's tracks of slices: one for each thread.", "SELECT id, name, id AS utid FROM threads"},
    {"track", "The same.", "SELECT id, name FROM threads"},
    {"counter_track", "Perfetto's tracks of counters: one for each place that reports a value.",
     "SELECT id, name FROM functions WHERE kind = 'counter'"},
    {"counter", "Perfetto's name for values of counters.", "SELECT ts, function_id AS track_id, value FROM counters"},
    // Names of earlier versions of the export to SQLite.
    {"calls", "Spans under the names of earlier exports.",
     "SELECT id, parent_id AS parent, thread, function_id AS function, depth, ts AS begin_ns, ts + dur AS end_ns, self "
     "AS self_ns, exit AS \"end\", outermost AS is_outermost, arguments, result, \"values\", coalesce(recorder, 0) AS "
     "recorder_ns FROM spans"},
};

} // namespace ada::query
