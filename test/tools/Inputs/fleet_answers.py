"""Answers of `adatrace fleet` about sessions of three hosts and two releases. Usage: fleet_answers.py DIRECTORY MAKE_SESSION"""
import json
import subprocess
import sys

from clickhouse import Server

from adatest import answer, attempt, run

directory, makeSession = sys.argv[1:]
HOUR = 3600 * 10**9
NOON = 1_790_000_000 // 3600 * HOUR


def make(name, host, later, lengths, how="return"):
    """A session of one thread: calls of work() with these durations and ends, all or those with these numbers."""
    lines, time = ["T: process 7", "T: module 0 /bin/app", "T: function 1 main m.c:1", "T: function 2 _Z4workv w.cpp:3",
                   "T: thread 0 tid 4711 name main", "T: 1000 call main"], 2000
    for number, length in enumerate(lengths):
        end = how if isinstance(how, str) else how.get(number, "return")
        lines += [f"T: {time} call _Z4workv", f"T: {time + length} {end} _Z4workv"]
        time += length + 10
    lines.append(f"T: {time} return main")
    open(name + ".txt", "w").write("\n".join(lines) + "\n")
    subprocess.run([makeSession, name + ".txt", name], check=True)
    manifest = json.load(open(name + "/pid_7/manifest.json"))
    manifest["host"] = {"name": host}
    manifest["clock"] = {"epoch_offset_ns": NOON + later}
    json.dump(manifest, open(name + "/pid_7/manifest.json", "w"))


def fleet(*options):
    done = attempt("adatrace", "fleet", f"--from={server.address}", *options, env=server.environment, merged=True)
    return done.returncode, done.stdout


def ask(question, *options):
    status, text = fleet(question, "--format=json", *options)
    if status:
        sys.exit(f"{question}: {status} {text}")
    return json.loads(text)


def show(title, rows, *columns):
    print(title)
    for row in rows:
        print(" ", *(row[c] for c in columns))


def work(rows):
    return [row for row in rows if row["name"] == "work()"]


def compare(sessions):
    """Compares each function's figures with those of `report`, one session after the other."""
    for session, host in sessions.items():
        report = answer("report", "--names=full", "--format=json", session)
        want = sorted((r["function"], r["calls"], r["total_ns"], r["self_ns"], r["exceptions"], r["p50_ns"], r["p99_ns"])
                      for r in report)
        have = sorted((r["name"], r["calls"], r["total_ns"], r["self_ns"], r["exceptions"], r["p50_ns"], r["p99_ns"])
                      for r in ask("functions", "--host", host, "--limit=0"))
        if want != have:
            sys.exit(f"{session}: {want}\n{have}")
    print(f"{len(sessions)} sessions are the same")


make("one", "alpha", 0, [100] * 9 + [900])
make("two", "beta", HOUR, [110] * 10)
make("it's slow", "gamma", HOUR, [300] * 10 + [5000], "exception")
make("long", "delta", 2 * HOUR, [*range(50, 99)] * 4, {77: "exception"})
for turn in range(6):
    make(f"before {turn}", f"old{turn}", 3 * HOUR, [1000 + 7 * turn + i % 5 for i in range(40)])
    make(f"after {turn}", f"new{turn}", 3 * HOUR, [1300 + 5 * turn + i % 5 for i in range(40)])
    make(f"same {turn}", f"odd{turn}", 3 * HOUR, [1001 + 7 * (5 - turn) + i % 5 for i in range(40)])
with Server(directory) as server:
    server.load("--init", "one", "two", "--label", "release=1")
    server.load("it's slow", "--label", "release=2")
    show("functions", ask("functions"), "name", "file", "line", "calls", "total_ns", "self_ns", "exceptions")
    show("hosts", work(ask("hosts")), "host", "release", "calls", "total_ns", "exceptions")
    hours = {row["host"]: row["hour"] for row in ask("hosts")}
    print("hours", hours["alpha"] < hours["beta"] == hours["gamma"])
    show("percentiles", work(ask("percentiles")), "calls", "p50_ns", "p90_ns", "p99_ns", "p999_ns")
    show("releases", work(ask("releases")), "release", "calls", "p50_ns")
    show("deviating", work(ask("deviating")), "host", "calls", "p50_ns", "usual_ns")
    show("exceptions", ask("exceptions"), "name") # more than one in a hundred is not rare
    slowest = work(ask("slowest"))
    show("slowest", slowest[:2], "host", "duration_ns", "self_ns")
    print(run("bash", "-c", slowest[0]["command"]))
    print("functions of one host", *(row["calls"] for row in work(ask("functions", "--host=alpha"))))
    print("of two releases", *(row["calls"] for row in work(ask("functions", "--release=1", "--release=2"))))
    print("of one function", *(row["name"] for row in ask("functions", "--function=w*")))
    noon = server.rows(f"SELECT formatDateTime(toDateTime({(NOON + HOUR) // 10**9}), '%Y-%m-%dT%H:%M', 'UTC')")[0][0]
    print("since and until", *(work(ask("functions", f"--{bound}={noon}"))[0]["calls"] for bound in ("since", "until")))
    print("view", server.rows("SELECT calls, p50_ns FROM function_totals WHERE name = 'work()'"))
    print(fleet("functions", "--function=work*")[1])
    print(fleet("releases", "--function=work*", "--format=csv")[1])
    server.load("long")
    show("rare exceptions", ask("exceptions", "--host=delta"), "name", "calls", "exceptions")
    compare({"one": "alpha", "two": "beta", "it's slow": "gamma", "long": "delta"})
    for when, release in (("before", "1.3"), ("after", "1.4"), ("same", "1.3.1")):
        server.load(*(f"{when} {turn}" for turn in range(6)), "--label", f"release={release}")
    print("change", fleet("change", "--before=release=1.3", "--after=release=1.4")[1])
    files = ["adatrace", "diff", "--format=json", *(f"before {turn}" for turn in range(6)), "--with", *(f"after {turn}" for turn in range(6))]
    of_files = json.loads(run(*files))
    for row in of_files:  # a database doesn't have the self times of single calls
        row["self_p50_ns_a"] = row["self_p50_ns_b"] = None
        row["significant_values"] = [value for value in row["significant_values"] if value != "self p50"]
    change = ask("change", "--before=release=1.3", "--after=release=1.4")
    print("as of files", change == of_files or (change, of_files))
    print("no change", fleet("change", "--before=release=1.3", "--after=release=1.3.1")[1])
    print("one only", *fleet("change", "--before=release=2", "--after=release=1.3"))
    print("none", *fleet("change", "--before=release=7", "--after=release=1.3"))
    print("no side", *fleet("change", "--before=release=7"))
    print("no label", *fleet("change", "--before=7", "--after=release=1.3"))
    print("no function", *fleet("functions", "--function=nothing"))
    print("one of two", *fleet("functions", "--function=work*", "--function=nothing", "--columns=name"))
    sides = ["change", "--before=release=1.3", "--after=release=1.4"]
    print("no function's change", *fleet(*sides, "--function=nothing"))
    print("one function's change", [row["function"] for row in ask(*sides, "--function=work*")])
    print("no host's change", *fleet(*sides, "--host=alpha"))
    print("no time", *fleet("functions", "--since=yesterday"))
