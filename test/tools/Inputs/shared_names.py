"""Compares the tables whose names all interfaces share: those of a ClickHouse server with `adatrace sql` on the session's files."""
import json
import sys

from adatest import answer

# Columns of `adatrace sql` that the server answers from, as well. `function_id` is another number there.
SHARED = {
    "spans": "id parent_id ts dur self on_cpu waiting preempted recorder self_recorder name thread process depth exit outermost".split(),
    "threads": "id process tid name".split(),
    "processes": "id name pid executable".split(),
    "args": "span_id thread process ts position name value number".split(),
    "counters": "thread process ts name value span_id".split(),
    "marks": "thread process ts name span_id".split(),
    "flows": "thread process ts name step flow span_id".split(),
}
NULLABLE, TEXTS = ("parent_id", "span_id", "number"), ("name", "executable")


def compareShared(server, session, without=()):
    """The same query on a file and on the server, where times are since 1970; those that are not known are 0, names that are not known empty."""
    rows = 0
    for table, columns in SHARED.items():
        if table in without:
            continue
        query = f"SELECT {', '.join(columns)} FROM {table}"
        wanted = [list(row.values()) for row in answer("sql", session, query, "--format=jsonl")]
        where = f" WHERE session IN (SELECT session FROM sessions WHERE name = '{session}' AND state = 'complete')"
        found = json.loads(server.query(query + where + " FORMAT JSONCompact"))["data"]
        known = lambda column, value: str(value) if value is not None or column in NULLABLE else "" if column in TEXTS else "0"

        def plain(rows):
            rows = [dict(zip(columns, row)) for row in rows]
            start = min((int(row["ts"]) for row in rows if "ts" in row), default=0)
            for row in rows:
                if row.get("on_cpu", 0) is None:
                    row["on_cpu"] = row["self"]
                if "flow" in row:  # integers of SQLite have a sign
                    row["flow"] = int(row["flow"]) % 2**64
                if "ts" in row:
                    row["ts"] = int(row["ts"]) - start
            return sorted([known(*pair) for pair in row.items()] for row in rows)

        if plain(wanted) != plain(found):
            sys.exit(f"{session}, {query}:\n" + "\n".join(f"{w}\n{f}" for w, f in zip(plain(wanted), plain(found)) if w != f))
        rows += len(wanted)
    # What the page promises for all calls works word by word.
    sums = "SELECT name, count(*), sum(dur) FROM spans GROUP BY name"
    wanted = sorted(list(map(str, row.values())) for row in answer("sql", session, sums, "--format=jsonl"))
    if wanted != sorted(list(map(str, row)) for row in json.loads(server.query(sums.replace("spans", f"spans{where}") + " FORMAT JSONCompact"))["data"]):
        sys.exit(f"{session}: {sums}")
    return rows
