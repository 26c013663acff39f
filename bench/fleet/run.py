#!/usr/bin/env python3
"""How fast sessions come into ClickHouse and questions are answered there. Called by `tools/dev bench`.

Usage: run.py --build BUILD --output DIR [--calls N] [--runs N]. The program of bench/viewing is traced until it has made so many calls, in eight
sessions; a server of Debian's package is started on loopback, with a data directory of its own, and holds four of them as release 1 and
four as release 2. The same calls are loaded with the server's own client from CSV, into a table with the same columns. Questions are
asked as users do, by the command; shown are the minimum and the median of N runs. Sizes are decimal (1 MB is 10^6 bytes).
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

repository = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(repository / "bench"), str(repository / "test/tools/Inputs")]
from built import newestWrapper
from clickhouse import Server
from recorded import recorded

SESSIONS = 8
QUESTIONS = ("functions", "hosts", "percentiles", "releases", "deviating", "exceptions", "slowest")
# The columns of `adatrace convert` to CSV, by their names in the CSV.
TYPES = {name: "UInt64" for name in ("id", "parent", "pid", "thread", "tid", "depth")}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree with the plugin, the runtime and the tool")
parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for sessions and server (removed) and fleet.json")
parser.add_argument("--calls", type=int, default=10_000_000, help="how many are recorded, about (default 10,000,000)")
parser.add_argument("--runs", type=int, default=5, help="runs of each question (default 5)")
args = parser.parse_args()

if not shutil.which("clickhouse-server", path=os.environ["PATH"] + ":/usr/sbin"):
    print("clickhouse-server is not installed: the fleet's figures are left out")
    sys.exit(0)
output = args.output.resolve()
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
os.environ["PATH"] = f"{args.build.resolve() / 'bin'}:{os.environ['PATH']}"
for name in [name for name in os.environ if name.startswith("ADA_")]:
    del os.environ[name]
result = {"machine": {"cpu": platform.processor(), "cores": os.cpu_count(), "load": os.getloadavg()}, "load": {}, "questions": {}}


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def timed(command, **options):
    began = time.monotonic()
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode:
        sys.exit(f"bench/fleet: {' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.decode()}")
    return time.monotonic() - began


def show(title, **figures):
    result["load"][title] = figures
    print(f"  {title:36}" + "  ".join(f"{value:14,.1f} {name}" for name, value in figures.items()), flush=True)


def stored(server, table):
    server.query(f"OPTIMIZE TABLE {table} FINAL")
    return server.number(f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'traces' AND table = '{table}'")


def record():
    program = output / "program"
    subprocess.run([newestWrapper(args.build), "-O1", "-g", repository / "bench/viewing/program.c", "-o", program, "-lpthread"], check=True)
    sessions = [output / f"session{number}" for number in range(SESSIONS)]
    for session in sessions:
        subprocess.run([program, str(2 * args.calls // SESSIONS)], check=True,
                       env=os.environ | {"ADA_OPTIONS": f"session={session}:format=packed:overflow=block"})
        if recorded(session)[1]:
            sys.exit("bench/fleet: events of a session were lost")
    return sessions


def load(server, sessions, title, *options):
    """Loads all sessions and returns how many calls they have."""
    server.query("DROP DATABASE IF EXISTS traces", database="system")
    server.load("--init")
    seconds = 0
    for number, session in enumerate(sessions):
        seconds += timed(server.command("-q", session, "--label", f"release={1 + number % 2}", *options), env=server.environment)
    calls = server.number("SELECT sum(calls) FROM function_totals")
    size = sum(stored(server, table) for table in ("spans", "aggregates"))
    show(title, **{"calls/s": calls / seconds, "bytes/call": size / calls, "s": seconds})
    return calls


def loadCsv(server, sessions):
    """Loads with the server's own client. The CSV file exists by then: making it is not counted."""
    seconds = converting = 0
    for number, session in enumerate(sessions):
        file = output / "calls.csv"
        converting += timed(["adatrace", "convert", "-q", session, file])
        header = file.open().readline().strip().split(",")
        if number == 0:
            kinds = {name: "UInt64" if name.endswith("_ns") else TYPES.get(name, "String") for name in header}
            server.query("CREATE TABLE csv (" + ", ".join(f"`{name}` {kind}" for name, kind in kinds.items()) +
                         ") ENGINE = MergeTree ORDER BY (function, begin_ns)")
        with open(file) as lines:
            seconds += timed(["clickhouse-client", "--port", server.tcp, "--user=ada", "--password=a secret", "--database=traces",
                              "--query=INSERT INTO csv FORMAT CSVWithNames"], stdin=lines)
        file.unlink()
    calls = server.number("SELECT count() FROM csv")
    show("CSV, clickhouse-client", **{"calls/s": calls / seconds, "bytes/call": stored(server, "csv") / calls, "s": seconds})
    show("CSV, with making it", **{"calls/s": calls / (seconds + converting), "s": seconds + converting})
    server.query("DROP TABLE csv")


def ask(server, title, *command):
    samples = [timed(["adatrace", *command], env=server.environment) for _ in range(args.runs)]
    result["questions"][title] = {"min": min(samples), "median": statistics.median(samples)}
    print(f"  {title:36}{1000 * min(samples):12,.0f} {1000 * statistics.median(samples):12,.0f} ms", flush=True)


def questions(server, what):
    print(f"questions to {what}: minimum and median")
    for question in QUESTIONS:
        ask(server, f"{question}, {what}", "fleet", question, f"--from={server.address}")
    ask(server, f"one function, {what}", "fleet", "percentiles", f"--from={server.address}", "--function=query")
    ask(server, f"change, {what}", "fleet", "change", f"--from={server.address}", "--before=release=1", "--after=release=2")


sessions = record()
with Server(output / "server") as server:
    calls = load(server, sessions, "calls")
    print(f"{calls:,} calls, {sum(map(size, sessions)) / calls:.2f} bytes/call in the sessions' files")
    result["calls"], result["session bytes/call"] = calls, sum(map(size, sessions)) / calls
    questions(server, "calls")
    ask(server, "flame, calls", "flame", f"--from={server.address}")
    loadCsv(server, sessions)
    load(server, sessions, "sums of 10 ms", "--aggregate=10ms")
    questions(server, "sums")
    load(server, sessions, "sums and the 100 slowest", "--aggregate=10ms", "--slowest=100")
(output / "fleet.json").write_text(json.dumps(result, indent=1))
for session in sessions:
    shutil.rmtree(session)
shutil.rmtree(output / "server")
