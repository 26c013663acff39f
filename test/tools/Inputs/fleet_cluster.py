"""Compares two servers as two shards with a single one: the same answers.

Usage: fleet_cluster.py DIRECTORY SESSION...
"""
import sys

from clickhouse import Server, makeCluster

from adatest import attempt

directory, sessions = sys.argv[1], sys.argv[2:]
first, second, single = (Server(f"{directory}/{name}") for name in ("first", "second", "single"))
makeCluster("fleet", (first, second))
QUESTIONS = ("functions", "hosts", "percentiles", "releases", "deviating", "exceptions", "slowest", "traces", "counters")


def adatrace(*command):
    done = attempt("adatrace", *command, env=single.environment, merged=True)
    return done.returncode, done.stdout


def same(what, *commands):
    """Compares the answers of the single server and of each server of the cluster."""
    for command in commands:
        answers = [adatrace(*command[:2], f"--from={server.address}", *command[2:]) for server in (single, first, second)]
        if any(answer != answers[0] or answer[0] for answer in answers):
            sys.exit(f"{command}: " + "\n".join(map(str, answers)))
    print(what, "is the same")


with first, second, single:
    both = f"--to=clickhouse://127.0.0.1:{first.http},127.0.0.1:{second.http}/traces"
    alone = f"--to=clickhouse://127.0.0.1:{first.http}/traces"
    print("init", *first.run(both, "--init", "--cluster=fleet"))
    print("init again", *first.run(both, "--init", "--cluster=fleet"))
    print("init as a single one", *first.run(both, "--init"))
    single.load("--init")
    print("a single one as a cluster", *single.run("--init", "--cluster=fleet"))
    print("two single ones", *single.run(f"--to=clickhouse://127.0.0.1:{single.http},127.0.0.1:{single.http}/traces", *sessions))
    for i, session in enumerate(sessions):
        more = ("--aggregate=2us", "--slowest=2") if i % 4 == 3 else ()
        for server, to in ((single, single.address), (first, both[5:])):
            server.load(session, f"--to={to}", "--label", f"release={i % 2}", *more)
    shares = [server.number("SELECT uniqExact(session) FROM sessions_local") for server in (first, second)]
    print("both have some", sum(shares) == len(sessions), min(shares) > 0)
    for table in ("spans", "aggregates", "sessions FINAL"):
        counts = [server.number(f"SELECT count() FROM {table}") for server in (single, first, second)]
        if len(set(counts)) != 1 or not counts[0]:
            sys.exit(f"{table}: {counts}")
    same("every answer", *(("fleet", question, "--format=csv", "--limit=0") for question in QUESTIONS))
    same("a choice", ("fleet", "functions", "--format=csv", "--release=1", "--function=m*"))
    same("the change", ("fleet", "change", "--format=json", "--before=release=0", "--after=release=1"))
    views = [row[0] for row in single.rows("SELECT name FROM system.tables WHERE database = 'traces' AND engine = 'View' ORDER BY name")]
    for view in views:
        counts = [server.number(f"SELECT count() FROM {view}") for server in (single, first, second)]
        if len(set(counts)) != 1:
            sys.exit(f"{view}: {counts}")
    print(len(views), "views are the same")
    before = first.number("SELECT count() FROM spans")
    again = [first.run(both, session, "--label", f"release={i % 2}", *(("--aggregate=2us", "--slowest=2") if i % 4 == 3 else ()))
             for i, session in enumerate(sessions)]
    print("again", {status for status, _ in again}, all("already loaded" in text for _, text in again), first.number("SELECT count() FROM spans") == before)
    # With only one of the two servers, sessions that are on the other one are not loaded.
    texts = [first.run(alone, session, "--label", f"release={i % 2}", *(("--aggregate=2us", "--slowest=2") if i % 4 == 3 else ()))[1]
             for i, session in enumerate(sessions)]
    print("elsewhere", sum("on another server of the cluster" in text for text in texts) == shares[1],
          first.number("SELECT count() FROM spans") == before)
    # A part of the cluster is down.
    second.kill()
    print("half of it", *adatrace("fleet", "functions", f"--from={first.address}"))
    print("half a load", *first.run(both, sessions[0], "--retry-for=100ms"))
    # Replicated tables need ZooKeeper, which does not run here: the server parses the statement, and says so.
    status, text = first.run("--init", "--cluster=fleet", "--replicated", "--sql")
    print(text)
    for statement in (line for line in text.split(";\n") if "Replicated" in line):
        try:
            print("answer", first.query(statement.replace("_local (", "_copy (")))
        except SystemExit as refused:
            print("answer", str(refused).splitlines()[-1])
