"""Loads sums of calls instead of calls, or beside some of them. Usage: load_sums.py DIRECTORY SESSION..."""
import sys

from clickhouse import Server

from adatest import answer, attempt

directory, sessions = sys.argv[1], sys.argv[2:]
EXACT = ("calls", "total_ns", "self_ns", "recorder_ns", "exceptions")


def reported(session):
    rows = answer("report", "--names=full", "--format=json", session)
    sums = {}
    for row in rows: # functions with the same name are one
        figures = sums.setdefault(row["function"], [[0] * len(EXACT), []])
        figures[0] = [a + (row[b] or 0) for a, b in zip(figures[0], EXACT)]
        figures[1].append((row["p50_ns"], row["p99_ns"]))
    return sums


def asked(session):
    rows = answer("fleet", f"--from={server.address}", "functions", "--format=json", "--limit=0", f"--release={session}",
                  env=server.environment)
    return {row["name"]: ([row[c] for c in EXACT], row["p50_ns"], row["p99_ns"]) for row in rows}


def compare(session, what):
    want, have = reported(session), asked(session)
    if {name: figures[0] for name, figures in want.items()} != {name: figures[0] for name, figures in have.items()}:
        sys.exit(f"{session}, {what}: {want}\n{have}")
    for name, (_, percentiles) in want.items():
        # `report` and the sums both round to 1/128.
        for is_, was in zip(have[name][1:], percentiles[0]) if len(percentiles) == 1 else ():
            if abs(is_ - was) > was / 60:
                sys.exit(f"{session}, {what}: {name}: {have[name]} {percentiles}")
    return len(want)


def numbers(table):
    return server.rows(f"SELECT count(), {'sum(calls)' if table == 'aggregates' else 'uniqExact(session, id)'} FROM {table}")[0]


with Server(directory) as server:
    server.load("--init")
    for session in sessions:
        server.load(session, "--aggregate=2us", "--label", f"release={session}")
        print(f"{session}: {compare(session, 'sums')} functions are the same,", "spans", *numbers("spans"))
    print("several times", server.number("SELECT uniqExact(begin) FROM aggregates WHERE release = 'many'") >= 100,
          server.number("SELECT countIf(begin % 2000 != 0) FROM aggregates"))
    print("shortest and longest", server.rows("SELECT min(shortest), max(longest) FROM aggregates WHERE release = 'many'"))
    off = "sum(waiting), sum(preempted), sum(self_waiting), sum(self_preempted), sum(recorder), sum(self_recorder)"
    waits = server.rows(f"SELECT {off} FROM aggregates WHERE release = 'waits'")
    before = numbers("aggregates")
    status, text = server.run(sessions[0], "--aggregate=2us", "--label", f"release={sessions[0]}")
    print("again", status, "already loaded" in text, numbers("aggregates") == before)
    status, text = server.run(sessions[0], "--aggregate=4us", "--label", f"release={sessions[0]}")
    print("otherwise", status, "--replace" in text, numbers("aggregates") == before)
    flame = attempt("adatrace", "flame", f"--from={server.address}", "release=calls", env=server.environment, merged=True)
    print("flame", flame.returncode, flame.stdout, end="")
    # Small blocks: the same sums, in more rows.
    server.load("many", "--aggregate=2us", "--block-rows=10", "--replace", "--label", "release=many")
    print("blocks", numbers("aggregates") == before, server.number("SELECT max(block) FROM aggregates") > 10, compare("many", "blocks"))
    # Some calls beside the sums; only the sums count.
    server.load("many", "--aggregate=1ms", "--slowest=3", "--sample=10%", "--replace", "--label", "release=many")
    compare("many", "some calls")
    kept, ids = map(int, numbers("spans"))
    print("some calls", 1500 < kept < 2500, kept == ids)
    slow = "SELECT arraySlice(arrayReverseSort(groupArray(duration)), 1, 3) AS s FROM spans GROUP BY function ORDER BY s"
    some = server.rows(slow)
    server.load("many", "--aggregate=1ms", "--slowest=3", "--replace", "--label", "release=many")
    print("slowest", numbers("spans"), server.rows(slow) == some)
    # All of them beside the sums; and some without sums.
    server.load("many", "--aggregate=1ms", "--spans", "--replace", "--label", "release=many")
    compare("many", "all calls")
    print("all calls", numbers("spans"), server.rows(slow) == some)
    server.load("waits", "--replace", "--label", "release=waits")
    print("off-CPU times", server.rows(
        "SELECT sumIf(waiting, outermost), sumIf(preempted, outermost), sum(self_waiting), sum(self_preempted), sumIf(recorder, outermost), "
        "sum(self_recorder) FROM spans "
        "WHERE release = 'waits'") == waits and "0" not in waits[0])
    compare("waits", "spans again")
    print("sums", server.rows("SELECT DISTINCT release FROM aggregates ORDER BY release"))
    server.load("many", "--sample=0.1", "--replace", "--label", "release=many")
    print("sample", 0 < int(numbers("spans")[0]) < 2500, server.rows("SELECT DISTINCT release FROM aggregates ORDER BY release"))
    for wrong in (["--sample=0"], ["--sample=200%"], ["--sample=x"], ["--spans", "--slowest=1"], ["--aggregate=0"], ["--aggregate=x"]):
        print("wrong", *server.run("many", *wrong))
