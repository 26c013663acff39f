"""Compares the answers of `adatrace sql` with those of SQLite on the same rows. Usage: sql_queries.py COUNT TRACE…

For each trace: conditions of every kind, and COUNT random queries (the generator's seed is the trace's number). SQLite gets
the table `spans` as one query without conditions returns it, so that conditions and sums are computed without the virtual
tables; with a database beside the trace (TRACE.sqlite, from `adatrace convert`), it also gets the table `spans` of that.
Totals by function are those of `adatrace report`.
"""
import json
import pathlib
import random
import sqlite3
import sys

from adatest import attempt

CONDITIONS = """ts > -1; ts >= 250.5; ts < 1e30; ts = 200.0; ts < 'a'; ts > NULL; id = 2 OR id = 3; id > 2 AND id < 4
thread IN (0, 7, NULL); process = 0 AND thread = 1; name IN ('main', 'no'); name LIKE 'MAI_'; name = 'MAIN' COLLATE NOCASE
depth BETWEEN 1 AND 9; parent_id = 1; parent_id IN (1, 2, NULL); dur <= -1; dur <> 300; id IN (1, 2, 3, 1099511627777)
dur * 2 > 300; dur > '150'; dur > 100.5 OR depth = 0; dur IN (300, 900); self < dur; parent_id IS NULL; ts BETWEEN 150 AND 1e3
name GLOB 'm*' AND depth < 0.5; dur > 9223372036854775807; dur < -9e99; exit = 'open'; name = x'6d61696e'; thread = 1.5
id = 1.0; depth = '1'; parent_id = '1'; function_id = 1; outermost; ts > 100 AND ts > 200 AND ts < 1e9""".replace("\n", ";").split(";")
NUMBERS = "ts dur self depth thread id".split()
KEYS = "name function_id thread process depth exit outermost".split()


def ask(trace, queries):
    """The rows of each query."""
    text = "".join(f"SELECT {number} AS next_query; {query};\n" for number, query in enumerate(queries))
    run = attempt("adatrace", "sql", trace, "--format=jsonl", input=text)
    if run.returncode not in (0, 1):
        sys.exit(f"{trace}: {run.stderr}{text}")
    answers = []
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if "next_query" in row:
            answers.append([])
        else:
            answers[-1].append(tuple(row.values()))
    return answers


def same(what, found, wanted):
    order = lambda rows: sorted(rows, key=lambda row: [(value is not None, str(type(value)), value) for value in row])
    near = lambda a, b: a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-9 * abs(b))
    found, wanted = order(found), order(wanted)
    if len(found) != len(wanted) or not all(near(a, b) for one, two in zip(found, wanted) for a, b in zip(one, two)):
        different = [pair for pair in zip(found, wanted) if pair[0] != pair[1]][:3]
        sys.exit(f"{what}: {len(found)} rows, not {len(wanted)}; {different}")


class Generator:
    def __init__(self, seed, rows, columns):
        self.random, self.rows, self.at = random.Random(seed), rows, columns.index

    def value(self, column):
        return self.random.choice(self.rows)[self.at(column)]

    def condition(self):
        column = self.random.choice(NUMBERS + ["name", "thread", "exit"])
        value = self.value(column)
        if isinstance(value, str):
            value = value.replace("'", "''")
            return self.random.choice([f"{column} = '{value}'", f"{column} <> '{value}'", f"{column} IN ('{value}', 'main')"])
        shape = self.random.choice(["{c} >= {v}", "{c} < {v}", "{c} = {v}", "{c} BETWEEN {v} AND {w}", "NOT {c} <= {v}", "{c} > {v}.5"])
        return shape.format(c=column, v=value, w=value + self.random.randrange(1 + abs(value)))

    def query(self):
        conditions = " AND ".join(self.condition() for _ in range(self.random.randrange(4)))
        where = f" WHERE {conditions}" if conditions else ""
        if self.random.random() < 0.4:
            return f"SELECT id, ts, dur, self, name, depth, parent_id, exit FROM spans{where}"
        step = 10 ** self.random.randrange(1, 7)
        keys = self.random.sample(KEYS + [f"ts / {step}", f"dur / {step}", f"1 + self / {step}"], self.random.randrange(3))
        sums = self.random.sample(["count(DISTINCT name)", "count(distinct thread)", "sum(iif(outermost, dur, 0))"], self.random.randrange(2))
        sums += [f"{f}({c})" for f in ("sum", "min", "max", "avg") for c in self.random.sample("dur self ts".split(), 1)]
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        having = f" HAVING count(*) > {self.random.randrange(5)}" if keys and self.random.random() < 0.3 else ""
        return f"SELECT {', '.join(keys + ['count(*)'] + sums)} FROM spans{where}{group}{having}"


COLUMNS = ("id parent_id ts dur self on_cpu waiting preempted recorder self_recorder name function_id thread process depth exit outermost "
           "arguments result \"values\"").split()


TABLES = ["id, name, process, symbol, file, line, signature, kind, calls, exceptions, inferred, missing, open, earlier, total, self, on_cpu, waiting, preempted, recorder, "
          "unknown, self_recorder, min, p50, p90, p99, max FROM functions WHERE calls > 0", "* FROM threads", "* FROM processes", "* FROM off_cpu",
          "* FROM counters", "* FROM marks", "* FROM flows",
          "* FROM args", "function, caller, calls, total_ns, self_ns FROM callers",
          "pid, tid, calls, total_ns, begin_ns, end_ns FROM thread_totals", "id, depth, function, begin_ns, end_ns, self_ns, recorder_ns FROM all_calls"]


def check(number, trace, count):
    rows = ask(trace, [f"SELECT {', '.join(COLUMNS)} FROM spans"])[0]
    database = sqlite3.connect(":memory:")
    kind = lambda column: "TEXT" if column in ("name", "exit", "arguments", "result", '"values"') else "INTEGER"
    database.execute(f"CREATE TABLE spans ({', '.join(f'{column} {kind(column)}' for column in COLUMNS)})")
    database.executemany(f"INSERT INTO spans VALUES ({', '.join('?' * len(COLUMNS))})", rows)
    if pathlib.Path(trace + ".sqlite").exists():
        exported = sqlite3.connect(trace + ".sqlite")
        same(f"{trace}: the exported spans", exported.execute(f"SELECT {', '.join(COLUMNS)} FROM spans").fetchall(), rows)
        for table in TABLES:
            found = ask(trace, [f"SELECT {table}"])[0]
            same(f"{trace}: {table}", exported.execute(f"SELECT {table}").fetchall(), found)
    make = Generator(number, rows, COLUMNS)
    queries = [f"SELECT id, name, dur FROM spans WHERE {condition}" for condition in CONDITIONS]
    queries += [f"SELECT name, thread, count(*), sum(dur), min(self), avg(dur), max(ts) FROM spans WHERE {c} GROUP BY name, thread"
                for c in CONDITIONS]
    queries += [make.query() for _ in range(count)]
    for query, found in zip(queries, ask(trace, queries), strict=True):
        same(f"{trace}: {query}", found, database.execute(query).fetchall())
    totals = {(f["process"], f["function"]): [f["calls"], f["total_ns"], f["self_ns"]] + [f[k] for k in ("on_cpu_self_ns", "waiting_ns", "preempted_ns")]
              for f in json.loads(attempt("adatrace", "report", "--names=full", "--format=json", "--limit=0", trace).stdout)}
    functions, sums = ask(trace, ["SELECT p.name AS p, f.name, calls, total, self, on_cpu, waiting, preempted FROM functions f JOIN (SELECT id, name FROM processes) p "
                                  "ON p.id = f.process WHERE calls > 0",
                                  "SELECT p.name AS p, s.name, count(*), sum(iif(outermost, dur, 0)), sum(self), sum(on_cpu), sum(iif(outermost, waiting, 0)), "
                                  "sum(iif(outermost, preempted, 0)) FROM spans s JOIN (SELECT id, name FROM processes) p ON p.id = s.process GROUP BY p.id, s.function_id"])
    wanted = [(*key, *figures) for key, figures in totals.items()]
    same(f"{trace}: functions", functions, wanted)
    same(f"{trace}: sums of spans", [tuple(v if w is not None else None for v, w in zip(row, one)) for row, one in zip(sorted(sums), sorted(wanted))], sorted(wanted))
    return len(queries)


print(sum(check(number, trace, int(sys.argv[1])) for number, trace in enumerate(sys.argv[2:])), "queries have the same answers")
