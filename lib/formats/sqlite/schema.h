// The tables and views of an exported database.
#pragma once

namespace ada::model {

/// Run before anything is inserted.
inline constexpr char kSqliteTables[] = R"(
CREATE TABLE processes (id INTEGER PRIMARY KEY, name TEXT NOT NULL, pid INTEGER, executable TEXT NOT NULL,
  resolution_ns INTEGER NOT NULL);
CREATE TABLE threads (id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES processes, number INTEGER NOT NULL,
  tid INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE functions (id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES processes, name TEXT NOT NULL,
  symbol TEXT NOT NULL, file TEXT, line INTEGER, signature TEXT, kind TEXT NOT NULL);
CREATE TABLE calls (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES calls, thread INTEGER NOT NULL REFERENCES threads,
  function INTEGER NOT NULL REFERENCES functions, depth INTEGER NOT NULL, begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL, end TEXT NOT NULL, is_outermost INTEGER NOT NULL, arguments TEXT,
  result TEXT, "values" TEXT, recorder_ns INTEGER NOT NULL);
CREATE TABLE marks (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, call INTEGER REFERENCES calls,
  time_ns INTEGER NOT NULL, name TEXT NOT NULL, data TEXT);
CREATE TABLE counters (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, call INTEGER REFERENCES calls,
  function INTEGER NOT NULL REFERENCES functions, time_ns INTEGER NOT NULL, value NUMERIC NOT NULL);
CREATE TABLE flows (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, call INTEGER REFERENCES calls,
  function INTEGER NOT NULL REFERENCES functions, time_ns INTEGER NOT NULL, step TEXT NOT NULL, flow INTEGER NOT NULL);
CREATE TABLE off_cpu (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, why TEXT NOT NULL, processor INTEGER NOT NULL);
CREATE TABLE trace (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)";

/// Run when all rows are there. The totals of functions and callers count only the outermost of recursive calls.
inline constexpr char kSqliteViews[] = R"(
CREATE INDEX calls_by_parent ON calls (parent);
CREATE INDEX calls_by_function ON calls (function);
CREATE INDEX calls_by_thread ON calls (thread, begin_ns);
CREATE INDEX off_cpu_by_thread ON off_cpu (thread, begin_ns);
CREATE VIEW all_calls AS SELECT c.id, c.parent, p.pid, t.tid, t.name AS thread, f.name AS function, f.file, f.line, c.depth,
  c.begin_ns, c.end_ns, c.end_ns - c.begin_ns AS duration_ns, c.self_ns, c.end, c.arguments, c.result, c."values",
  c.recorder_ns
  FROM calls c JOIN functions f ON f.id = c.function JOIN threads t ON t.id = c.thread JOIN processes p ON p.id = t.process;
CREATE VIEW function_totals AS SELECT f.id AS function_id, p.pid, f.name AS function, count(*) AS calls,
  sum(iif(c.is_outermost, c.end_ns - c.begin_ns, 0)) AS total_ns, sum(c.self_ns) AS self_ns,
  min(c.end_ns - c.begin_ns) AS min_ns, max(c.end_ns - c.begin_ns) AS max_ns, sum(c.end = 'exception') AS exceptions,
  sum(c.end = 'missing') AS missing, sum(c.end = 'open') AS open, sum(c.recorder_ns) AS recorder_ns
  FROM calls c JOIN functions f ON f.id = c.function JOIN processes p ON p.id = f.process GROUP BY f.id;
CREATE VIEW callers AS SELECT f.name AS function, coalesce(g.name, '') AS caller, count(*) AS calls,
  sum(iif(c.is_outermost, c.end_ns - c.begin_ns, 0)) AS total_ns, sum(c.self_ns) AS self_ns,
  sum(c.recorder_ns) AS recorder_ns FROM calls c JOIN functions f ON f.id = c.function LEFT JOIN calls d ON d.id = c.parent
  LEFT JOIN functions g ON g.id = d.function GROUP BY f.id, g.id;
CREATE VIEW thread_totals AS SELECT t.id AS thread_id, p.pid, t.tid, t.name AS thread, count(*) AS calls,
  sum(iif(c.depth = 0, c.end_ns - c.begin_ns, 0)) AS total_ns, min(c.begin_ns) AS begin_ns, max(c.end_ns) AS end_ns
  FROM calls c JOIN threads t ON t.id = c.thread JOIN processes p ON p.id = t.process GROUP BY t.id;
)";

} // namespace ada::model
