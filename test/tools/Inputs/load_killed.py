"""kill -9 of the loader, and of the server, at random moments: nothing is lost or doubled. Usage:
load_killed.py DIRECTORY SESSION KILLS [--seed=N] [--shards=N] [OPTION...]. In a cluster any server may be killed."""
import contextlib
import random
import subprocess
import sys
import time

from clickhouse import Server, makeCluster

directory, session, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
seeds = [int(option[7:]) for option in sys.argv[4:] if option.startswith("--seed=")]
seed = seeds[0] if seeds else random.randrange(1 << 32)
chance = random.Random(seed)
print(f"seed {seed}", flush=True)
shards = [int(option[9:]) for option in sys.argv[4:] if option.startswith("--shards=")]
SMALL = ("--block-rows=1000", *(option for option in sys.argv[4:] if not option.startswith(("--seed=", "--shards="))))


def sums(server):
    return (server.rows("SELECT count(), uniqExact(id), sum(id), sum(duration), sum(self), max(block) FROM spans")
            + server.rows("SELECT count(), sum(calls), sum(total), max(block) FROM aggregates"))


def complete(server):
    return server.number("SELECT count() FROM (SELECT argMax(state, version) AS s FROM sessions GROUP BY session) "
                         "WHERE s = 'complete'")


def check(server, what):
    have = sums(server)
    if have != want or complete(server) != 1:
        sys.exit(f"seed {seed}, {what}: {have}, and not {want}")
    left = [each.rows("SELECT name, engine FROM system.tables WHERE database = 'traces' AND name LIKE 'gate%'") for each in servers]
    if any(left):
        sys.exit(f"seed {seed}, {what}: gates are left: {left}")


# Parts of a table emptied by TRUNCATE would come back when the server is killed.
def empty(server):
    for each in servers:
        each.query("DROP DATABASE IF EXISTS traces", database="system")
    status, text = server.run("--init", *INIT)
    if status:
        sys.exit(text)


INIT, servers = [], [Server(directory)]
if shards:
    INIT, servers = ["--cluster=fleet"], [Server(f"{directory}/{i}") for i in range(shards[0])]
    makeCluster("fleet", servers)
with contextlib.ExitStack() as stack:
    for each in servers:
        stack.enter_context(each)
    server = servers[0]
    server.address = "clickhouse://" + ",".join(f"127.0.0.1:{each.http}" for each in servers) + "/traces"
    empty(server)
    start = time.time()
    server.load(session, *SMALL)
    whole = time.time() - start
    want = sums(server)
    print("blocks", want[0][5], want[1][3])

    # Kill the loader again and again: each one continues where the last one was killed, until one finishes.
    killed = rounds = 0
    while killed < kills:
        empty(server)
        rounds += 1
        while True:
            loader = subprocess.Popen(server.command("-q", session, *SMALL), env=server.environment,
                                      stderr=subprocess.DEVNULL)
            try:
                loader.wait(timeout=chance.random() * whole if killed < kills else None)
                if loader.returncode:
                    sys.exit(f"seed {seed}: the loader ended with {loader.returncode}")
                break
            except subprocess.TimeoutExpired:
                loader.kill()
                loader.wait()
                killed += 1
        check(server, f"after {killed} kills of the loader")
    print("loaders were killed and went on" if rounds >= 1 else "")

    # Kill the server while one loader continues.
    killed = 0
    while killed < kills:
        empty(server)
        loader = subprocess.Popen(server.command("-q", session, *SMALL), env=server.environment, stderr=subprocess.PIPE,
                                  text=True)
        while killed < kills:
            try:
                loader.wait(timeout=chance.random() * whole)
                break
            except subprocess.TimeoutExpired:
                one = chance.choice(servers)
                one.kill()
                one.start()
                killed += 1
        said = loader.communicate()[1]
        if loader.returncode:
            sys.exit(f"seed {seed}: the loader ended with {loader.returncode}: {said}")
        check(server, f"after {killed} kills of the server")
    print("servers were killed and came back")

    # Three at a time: one loads, and the others report that or find nothing to do.
    empty(server)
    both = [subprocess.Popen(server.command("-q", session, *SMALL), env=server.environment, stderr=subprocess.PIPE, text=True)
            for _ in range(3)]
    ends = [(each.communicate()[1], each.returncode) for each in both]
    if not any(status == 0 for _, status in ends) or any(status and "another load" not in text for text, status in ends):
        sys.exit(f"three at a time: {ends}")
    check(server, "three at a time")
    print("three at a time")
