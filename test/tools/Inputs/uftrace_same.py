#!/usr/bin/env python3
"""Compares the output of `uftrace dump` and `adatrace` for a data directory. Usage: uftrace_same.py DIRECTORY

Every call of every task must have the same function, begin and end, and the number of calls and total time of each
function must be those of `adatrace report`. Prints how many calls and functions there were.
"""
import collections
import json
import re
import sys

from adatest import run

LINE = re.compile(r"(\d+)\.(\d{9})\s+(\d+): \[(entry|exit )\] (.*)\(([0-9a-f]+)\) depth: (\d+)")


def callsOf(directory):
    """(tid, function, begin, end) of each call that has an end, and the number of calls of each function."""
    stacks, calls, entered = collections.defaultdict(list), [], collections.Counter()
    for line in run("uftrace", "dump", "--no-pager", "-d", directory).splitlines():
        match = LINE.match(line)
        if not match:
            continue
        time, tid, name = int(match[1]) * 10**9 + int(match[2]), int(match[3]), match[5]
        stack = stacks[tid]
        if match[4] == "entry":
            stack.append((name, time))
            entered[name] += 1
        elif stack:
            assert stack[-1][0] == name, line
            begin = stack.pop()[1]
            calls.append((tid, name, begin, time, not any(name == other for other, _ in stack)))
    return calls, entered


def main(directory):
    calls, entered = callsOf(directory)
    assert calls
    expected = collections.defaultdict(lambda: [0, 0])
    for tid, name, begin, end, outermost in calls:
        expected[name][0] += 1
        expected[name][1] += end - begin if outermost else 0
    seen, begun = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for row in json.loads(run("adatrace", "report", "--format=json", "--names=full", directory)):
        seen[row["function"]][0] += row["calls"] - row["open"]
        seen[row["function"]][1] += row["total_ns"]
        begun[row["function"]] += row["calls"]
    seen = {name: what for name, what in seen.items() if what[0]}
    assert begun == entered, (begun, entered)
    assert dict(expected) == seen, (dict(expected), seen)

    stacks, found = collections.defaultdict(list), []
    for line in run("adatrace", "dump", "--format=jsonl", "--absolute", directory).splitlines():
        event = json.loads(line)
        key = event["tid"]
        if event["kind"] == "call":
            stacks[key].append((event["name"], event["ts"]))
        elif event["kind"] == "return" and stacks[key]:
            name, begin = stacks[key].pop()
            found.append((event["tid"], name, begin, event["ts"]))
    assert sorted(found) == sorted(call[:4] for call in calls)
    print(f"{len(calls)} calls of {len(expected)} functions")


main(sys.argv[1])
