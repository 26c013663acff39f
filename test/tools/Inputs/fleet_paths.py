"""Compares flame graphs and differences of sessions in a database with those of their files.

Usage: fleet_paths.py DIRECTORY SESSION...
"""
import collections
import json
import sys

from clickhouse import Server

from adatest import attempt

directory, sessions = sys.argv[1], sys.argv[2:]


def adatrace(*command):
    done = attempt("adatrace", *command, env=server.environment, merged=True)
    return done.returncode, done.stdout


def paths(*command):
    """(names of the calls, outermost first): calls, total and self, from the page's first tree."""
    status, page = adatrace("flame", *command)
    if status:
        sys.exit(f"flame {command}: {status} {page}")
    data, _ = json.JSONDecoder().raw_decode(page, page.index('{"title":'))
    tree, figures, around = data["trees"][0], collections.Counter(), []
    for i, depth in enumerate(tree["depth"]):
        around[depth:] = [data["functions"][tree["function"][i]][0]]
        for side in ("now", "before"):
            for figure in ("calls", "total", "self"):
                if tree[side]:
                    figures[(*around, side, figure)] += tree[side][figure][i]
    return figures


with Server(directory) as server:
    database = f"--from={server.address}"
    for number, session in enumerate(sessions):
        server.load("--init", session, "--label", f"number={number}")
    everything = collections.Counter()
    for number, session in enumerate(sessions):
        want = paths(session)
        everything.update(want)
        if want != paths(database, f"number={number}"):
            sys.exit(f"{session}: {want - paths(database, f'number={number}')}")
        print(f"{session}: {len(want) // 3} paths are the same")
    print("all together", paths(database) == everything)
    print("beside another one", paths(database, "number=1", "--against=number=0") == paths(sessions[1], f"--against={sessions[0]}"))
    by_path = ("--by=path", "--all", "--format=json")
    have, want = (adatrace("diff", *sides, *by_path) for sides in ((database, "number=0", "number=1"), sessions[:2]))
    print("difference", have == want or (have, want))
    print("by function", *adatrace("diff", database, "number=0", "number=1"))
    print("filter", *adatrace("diff", database, "number=0", "number=1", "--include=x"))
    print("flame filter", *adatrace("flame", database, "--thread=1"))
    print("flow", *adatrace("diff", database, "number=0", "number=1", "--flow"))
    print("none", *adatrace("flame", database, "number=9"))
    # Sessions loaded by version 1 have no paths, and count as they did.
    before = adatrace("fleet", database, "functions", "--format=csv")
    for column in ("way", "counted"):
        server.query(f"ALTER TABLE spans DROP COLUMN {column}")
    server.query("ALTER TABLE sessions DROP COLUMN processes.epoch_offset")
    for table in ("ways", "aggregates", "schema_version"):
        server.query(f"DROP TABLE {table}")
    server.query("CREATE TABLE schema_version (version UInt32) ENGINE = MergeTree ORDER BY version")
    server.query("INSERT INTO schema_version VALUES (1)")
    print("version 1", *adatrace("fleet", database, "functions"))
    server.load("--init")
    print("figures", adatrace("fleet", database, "functions", "--format=csv") == before)
    print("paths", *adatrace("flame", database))
    print("slowest", len(adatrace("fleet", database, "slowest", "--format=csv")[1].splitlines()))
    server.load(sessions[0], "--replace", "--block-rows=7", "--label", "number=again")
    print("again", paths(database, "number=again") == paths(sessions[0]))
