#!/usr/bin/env python3
"""Runs every command of adatrace on a recording, and compares the output with an independent computation.

Usage: every_command.py ADATRACE SESSION WORK [COMMAND...]

The calls are reconstructed here from `dump --format=jsonl`, without any of the tool's code. `report` (all options) and
`tree` (folded or not) must add up to the same counts and times, conversions to each format and back must keep them, and
no command may fail, warn or crash. COMMAND names some of the checks; default: all of them. WORK is for files.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

FORMATS = {"atf1": "a1", "atf2": "a2", "dial9": "d.trc", "wtf": "w.wtf-trace", "wtf-le": "le.wtf-trace", "cff": "c.cff"}
problems = []


def wrong(text):
    problems.append(text)
    print("WRONG:", text, flush=True)


def run(*arguments, status=0, warnings=False):
    began = time.monotonic()
    done = subprocess.run([adatrace, *map(str, arguments)], capture_output=True, text=True, errors="surrogateescape")
    what = "adatrace " + " ".join(map(str, arguments))
    print(f"{time.monotonic() - began:7.2f} s  {what}", flush=True)
    if done.returncode != status:
        wrong(f"{what}: status {done.returncode}\n{done.stderr[-3000:]}")
    elif done.stderr and not warnings:
        wrong(f"{what}: {done.stderr[:500]}")
    return done.stdout


#===--- the computation ----------------------------------------------------===#


class Sums:
    """The sums of one function's calls."""

    def __init__(self):
        self.calls = self.total = self.self = self.exceptions = self.open = 0
        self.least, self.most = None, 0

    def add(self, duration, own, outermost, kind):
        self.calls += 1
        self.total += duration if outermost else 0
        self.self += own
        self.exceptions += kind == "exception"
        self.open += kind == "open"
        if kind != "open":
            self.least = duration if self.least is None else min(self.least, duration)
            self.most = max(self.most, duration)


class Calls:
    """All calls of the recording, from its events."""

    def __init__(self, lines):
        self.byName = collections.defaultdict(Sums)
        self.byThread = collections.defaultdict(Sums)  # (thread, name)
        self.durations = []
        self.order = []  # (depth, name) in the order of `tree --no-fold`
        self.events = 0
        stacks, lasts = {}, {}
        for line in lines:
            event = json.loads(line)
            thread = (event.get("pid"), event["thread"])
            stack, active, calls = stacks.setdefault(thread, ([], collections.Counter(), []))
            self.events += 1
            name, when = event["name"], event["ts"]
            if event["kind"] == "call":
                active[event["function_id"]] += 1
                calls.append((len(stack), name))
                stack.append([event["function_id"], name, when, 0])
            elif not stack or stack[-1][0] != event["function_id"]:
                wrong(f"dump: {line.strip()} closes no call")
            else:
                self.close(thread, stack, active, when, event["kind"])
            lasts[thread] = when
            if event["kind"] != "call" and event["depth"] != len(stack):
                wrong(f"dump: the depth of {line.strip()} is {len(stack)}")
        for thread, (stack, active, calls) in stacks.items():
            while stack: # ends with the last event of its thread
                self.close(thread, stack, active, lasts[thread], "open")
            self.order += calls
        self.durations.sort(reverse=True)

    def close(self, thread, stack, active, when, kind):
        function, name, begin, inside = stack.pop()
        active[function] -= 1
        duration = when - begin
        for sums in (self.byName[name], self.byThread[thread[1], name]):
            sums.add(duration, duration - inside, active[function] == 0, kind)
        if stack:
            stack[-1][3] += duration
        self.durations.append(duration)


#===--- report -------------------------------------------------------------===#


def rows(*arguments):
    text = run("report", "--format=jsonl", "--names=full", *arguments)
    return [json.loads(line) for line in text.splitlines()]


def compareRows(what, got, want, key):
    """Rows with the same key are added up: two static functions may share a name."""
    sums = collections.defaultdict(Sums)
    for row in got:
        s = sums[key(row)]
        s.calls += row["calls"]
        s.total += row["total_ns"]
        s.self += row["self_ns"]
        s.exceptions += row["exceptions"]
        s.open += row["open"]
        if row["calls"] > row["open"]:
            s.least = row["min_ns"] if s.least is None else min(s.least, row["min_ns"])
            s.most = max(s.most, row["max_ns"])
    for name in sorted(sums.keys() | want.keys(), key=str):
        if name not in sums or name not in want:
            wrong(f"{what}: {name} is {'not' if name not in sums else 'only'} in the report")
        elif vars(sums[name]) != vars(want[name]):
            wrong(f"{what}: {name}: {vars(sums[name])}, computed {vars(want[name])}")


def checkReport():
    compareRows("report", rows(session), calls.byName, lambda row: row["function"])
    compareRows("report --by=thread", rows("--by=thread", session), calls.byThread,
                lambda row: (row["thread"], row["function"]))
    for by in ("module", "file"):
        for what in ("calls", "self_ns"):
            got = sum(row[what] for row in rows(f"--by={by}", session))
            want = sum(getattr(s, what.removesuffix("_ns")) for s in calls.byName.values())
            if got != want:
                wrong(f"report --by={by}: {got} {what}, computed {want}")
    columns = {"calls": "calls", "total": "total_ns", "self": "self_ns", "min": "min_ns", "p50": "p50_ns",
               "p90": "p90_ns", "p99": "p99_ns", "max": "max_ns"}
    for column, key in columns.items():
        values = [row[key] for row in rows(f"--sort={column}", session)]
        if values != sorted(values, reverse=True):
            wrong(f"report --sort={column} is not sorted")
    for row in rows(session):
        if not row["min_ns"] <= row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"] <= row["max_ns"]:
            wrong(f"report: percentiles out of order: {row}")
    slowest = [row["duration_ns"] for row in rows("--slowest=25", session)]
    if slowest != calls.durations[:25]:
        wrong(f"report --slowest=25: {slowest}, computed {calls.durations[:25]}")
    busiest = sorted(calls.byName, key=lambda name: -calls.byName[name].calls)[:3]
    for name in busiest:
        glob = re.sub(r"([\\*?\[\]|{}])", r"\\\1", name)
        got = rows("--function=" + glob, "--only", session)
        if sum(row["calls"] for row in got) != calls.byName[name].calls:
            wrong(f"report --function={glob} --only: {got}")
        if any(row["function"] == name for row in rows("--hide=" + glob, session)):
            wrong(f"report --hide={glob} shows it")
    if sum(row["calls"] for row in rows("--args", session)) != sum(s.calls for s in calls.byName.values()):
        wrong("report --args: the calls do not add up")
    for options in (["--limit=5"], ["--format=csv"], ["--source"], ["--names=mangled", "--by=thread"]):
        run("report", *options, session)


#===--- tree ---------------------------------------------------------------===#

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
TIMES = re.compile(r" *([\d.]+) (\w+) +(?:([\d.]+) (\w+)|(?=  ))  ( *)(?:\(depth (\d+)\) )?")
ENDS = (" [left by exception]", " [still open]", " [no exit recorded]")
OFF_CPU = re.compile(r" \[off-CPU [^\]]*\]$")


def treeLines(*arguments):
    """Depth, name, number of calls, self time in nanoseconds of each line; no self time means a loop around others."""
    number = lambda text: int(text.replace(",", ""))
    for line in run("tree", "--names=full", "--limit=0", *arguments).splitlines():
        if not line or line.startswith(("thread ", "pid_", "process ")) or line.split() == ["total", "self", "call"]:
            continue
        match = TIMES.match(line)
        if not match:
            wrong(f"tree: a line that was not expected: {line}")
            continue
        name, count = line[match.end():], 1
        name = OFF_CPU.sub("", name)
        for end in ENDS:
            name = name.removesuffix(end)
        nested = None
        if name.endswith(" deep]"):
            name, _, nested = name.rpartition(" [recursive: ")
        before, times, after = name.rpartition(" ×")
        if times:
            name, count = before, number(after)
        if nested:
            count = number(nested.split()[0])
        depth = int(match[6]) if match[6] else len(match[5]) // 2
        own = float(match[3]) * UNITS[match[4]] if match[3] else None
        yield depth, name, count, own


def checkTree():
    plain = collections.Counter()
    own = collections.Counter()
    order = []
    for depth, name, count, selfNs in treeLines("--no-fold", session):
        plain[name] += count
        own[name] += selfNs
        order.append((depth, name))
    if order != calls.order:
        at = next((i for i, (a, b) in enumerate(zip(order, calls.order)) if a != b), min(len(order), len(calls.order)))
        wrong(f"tree --no-fold: {len(order)} calls, computed {len(calls.order)}; line {at}: {order[at:at + 1]}, "
              f"computed {calls.order[at:at + 1]}")
    folded = collections.Counter()
    foldedOwn = collections.Counter()
    lines = 0
    for _, name, count, selfNs in treeLines(session):
        lines += 1
        if selfNs is not None:
            folded[name] += count
            foldedOwn[name] += selfNs
    print(f"           {lines} lines for {len(order)} calls")
    for what, counts, times in (("tree --no-fold", plain, own), ("tree", folded, foldedOwn)):
        for name, sums in calls.byName.items():
            if counts[name] != sums.calls:
                wrong(f"{what}: {name} ×{counts[name]}, computed {sums.calls}")
            # Each line is rounded to three decimals of its unit.
            elif abs(times[name] - sums.self) > 0.001 * sums.self + 1:
                wrong(f"{what}: {name} itself took {times[name]:.0f} ns, computed {sums.self}")
        for name in counts.keys() - calls.byName.keys():
            wrong(f"{what}: {name} is only in the tree")
    for options in (["--args"], ["--depth=3"], ["--min-duration=10us"], ["--source", "--limit=50"], ["--from=1ms", "--to=20ms"]):
        run("tree", *options, session)


#===--- the others ---------------------------------------------------------===#


def checkInfo():
    if f"{calls.events:,} events" not in run("info", session):
        wrong(f"info does not say {calls.events:,} events")
    if not run("verify", session).startswith(f"ok: {calls.events:,} events"):
        wrong(f"verify does not say {calls.events:,} events")
    run("recover", session)


def checkDump():
    for options in ([], ["--merged"]):
        lines = run("dump", *options, session).count("\n")
        if lines != calls.events:
            wrong(f"dump {' '.join(options)}: {lines} lines, {calls.events} events")
    last = 0
    for line in run("dump", "--merged", "--format=jsonl", session).splitlines():
        when = json.loads(line)["ts"]
        if when < last:
            wrong(f"dump --merged is not in order: {line}")
        last = when


def checkConvert():
    for name, path in FORMATS.items():
        made, back = work / path, work / (path + ".back")
        run("convert", "--quiet", f"--to={name}", session, made, warnings=True)
        for command in ("info", "verify"):
            run(command, made, warnings=True)
        if run("dump", made, warnings=True) == "":
            wrong(f"dump of {made} is empty")
        run("convert", "--quiet", "--to=atf2", made, back, warnings=True)
        compareRows(f"report of {name} and back", rows(back), calls.byName, lambda row: row["function"])
        run("verify", back)
        for made in (made, back):
            shutil.rmtree(made) if made.is_dir() else made.unlink()


CHECKS = {"report": checkReport, "tree": checkTree, "info": checkInfo, "dump": checkDump, "convert": checkConvert}

adatrace, session, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
work.mkdir(parents=True, exist_ok=True)
calls = Calls(run("dump", "--format=jsonl", session).splitlines())
print(f"{calls.events} events, {len(calls.order)} calls of {len(calls.byName)} functions")
if not calls.order:
    wrong("nothing was recorded")
for check in sys.argv[4:] or CHECKS:
    CHECKS[check]()
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
