"""Compares a server's answers about loaded sessions with `adatrace report` of their files.

Usage: load_exact.py DIRECTORY SESSION...
"""
import collections
import json
import re
import sys

from clickhouse import Server
from shared_names import compareShared

from adatest import answer

COLUMNS = ("calls", "total_ns", "self_ns", "exceptions", "inferred", "missing", "open", "waiting_ns", "preempted_ns", "recorder_ns",
           "self_recorder_ns", "on_cpu_self_ns", "min_ns", "max_ns")


# `report` shows no such characters in a name.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def reported(session):
    """name: the figures of COLUMNS. Functions with the same name are one row on the server."""
    rows = collections.defaultdict(lambda: [0] * 12 + [None, 0])
    for row in answer("report", "--names=full", "--format=json", session):
        figures = rows[row["function"]]
        for i, column in enumerate(COLUMNS[:12]):
            figures[i] += row[column] if row[column] is not None else row["self_ns"] if i == 11 else 0
        # For functions without a call that has both ends it is 0 in both places.
        if row["calls"] > row["inferred"] + row["missing"] + row["open"]:
            figures[12] = min(row["min_ns"], figures[12] if figures[12] is not None else row["min_ns"])
            figures[13] = max(row["max_ns"], figures[13])
    return {name: [figure or 0 for figure in figures] for name, figures in rows.items()}


def counted(server, session):
    whole = "end IN ('return', 'exception')"
    sql = f"""SELECT any(name), count(), sumIf(duration, outermost), sum(self), sum(end = 'exception'),
        sum(end = 'inferred'), sum(end = 'missing'), sum(end = 'open'), sumIf(waiting, outermost), sumIf(preempted, outermost),
        sumIf(recorder, outermost), sum(self_recorder),
        sum(self - self_waiting - self_preempted), if(countIf({whole}) = 0, 0, minIf(duration, {whole})),
        maxIf(duration, {whole}) FROM spans ANY LEFT JOIN functions USING function
        WHERE session IN (SELECT session FROM sessions WHERE name = '{session}' AND state = 'complete')
        GROUP BY function FORMAT JSONCompact"""
    return {UNSAFE.sub("?", row[0]): [int(figure) for figure in row[1:]] for row in json.loads(server.query(sql))["data"]}


directory, sessions = sys.argv[1], sys.argv[2:]
with Server(directory) as server:
    server.load("--init", *sessions, "--label", "release=1.4", "--label", "colour=it's\tred")
    for session in sessions:
        want, have = reported(session), counted(server, session)
        if want != have:
            sys.exit(f"{session}: " + "\n".join(f"{n}: {want.get(n)} {have.get(n)}" for n in {*want, *have}
                                               if want.get(n) != have.get(n)))
        print(f"{session}: {len(want)} functions, {sum(row[0] for row in want.values())} calls, {compareShared(server, session)} rows of SQL are the same")
    # A call's parent is the enclosing call in the same thread, one level up.
    print("orphans", server.number("SELECT count() FROM spans WHERE parent != 0 AND (session, thread, parent, toUInt32(depth - 1)) "
                                   "NOT IN (SELECT session, thread, id, depth FROM spans)"))
    print("outermost", server.number("SELECT count() FROM spans WHERE (parent = 0) != (depth = 0)"))
    print("labels", server.rows("SELECT DISTINCT release, labels.value FROM sessions WHERE state = 'complete'"))
    print("threads", server.rows("SELECT session_name, tid, thread_name FROM threads WHERE tid > 4000 ORDER BY session_name, tid"))
    # Again, from another place, in small blocks, and with a filter.
    everything = server.number("SELECT count() FROM spans")
    print("again", server.run(*sessions, "--label", "release=1.4", "--label", "colour=it's\tred")[0],
          server.number("SELECT count() FROM spans") - everything)
    status, text = server.run(sessions[0])
    print("copy", *(server.run("copy.trc")[0], server.number("SELECT count() FROM spans") - everything))
    print("otherwise", status, "--replace" in text, server.number("SELECT count() FROM spans") - everything)
    server.load(sessions[0], "--replace", "--block-rows=7")
    want, have = reported(sessions[0]), counted(server, sessions[0])
    print("replaced", want == have, server.number("SELECT count() FROM spans") - everything)
    server.load(sessions[0], "--replace", "--include=_nothing_")
    print("nothing", counted(server, sessions[0]))
    print("gates", server.rows("SELECT name FROM system.tables WHERE name LIKE 'gate%'"))
