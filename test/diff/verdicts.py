#!/usr/bin/env python3
"""Builds and records programs that do the same in each run, and with one change, and counts the verdicts of `adatrace diff`.

Usage: verdicts.py COMPILER [--programs=N] [--first=SEED] [--rounds=N] [--sizes=1,3,6] [--busy] [--sure]

Works in ./verdicts; adatrace must be on the PATH. For each of N programs (changed_program.py; 10), makes six runs of the
version with each change, and twelve without, in turn. Then compares one run with one, three with three and six with six,
that many rounds each (10), with runs chosen at random: versions before with each other, of which nothing may be certain
and something likely in 5 of 100; and with those after, where the function that was changed must be certain or likely in
95 of 100 (a change of 20 % with one run per side need not be found). --busy: beside a process on each core that does
nothing else. Ten programs take ten minutes. Sets the status to 1 if a limit is broken; with --sure, of these only what
other programs can't break: that nothing is certain without a change, that a function that went is certain to have gone,
and that one that takes 50 times as long is named with three runs and more.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

from changed_program import program

CHANGES = ("more", "huge", "lock", "gone")

options = argparse.ArgumentParser()
options.add_argument("compiler")
options.add_argument("--programs", type=int, default=10)
options.add_argument("--first", type=int, default=1)
options.add_argument("--rounds", type=int, default=10)
options.add_argument("--busy", action="store_true")
options.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[1, 3, 6])
options.add_argument("--sure", action="store_true")
asked = options.parse_args()
tally, shown = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)


def record(seed, directory):
    "The sessions of each version."
    (directory / "program.cpp").write_text(program(seed)[0])
    subprocess.run([asked.compiler, "-std=c++20", "-O2", "-g", "-pthread", "program.cpp", "-o", "program"], cwd=directory, check=True)
    sessions = collections.defaultdict(list)
    for _ in range(max(asked.sizes)):
        for change in ("", "more", "huge", "", "lock", "gone"):
            name = f"{change or 'same'}{len(sessions[change])}"
            subprocess.run(["adatrace", "record", "-q", f"--session={name}", "./program", *([change] if change else [])],
                           cwd=directory, check=True)
            sessions[change].append(name)
    return sessions


def named(before, after, directory):
    "What diff names: the function's verdict and which of its values changed."
    answer = subprocess.run(["adatrace", "diff", "--format=json", *before, "--with", *after], cwd=directory, check=True,
                            capture_output=True, text=True)
    return {row["function"].split("(")[0]: (row["verdict"], row["changed"]) for row in json.loads(answer.stdout) if row["significant"]}


def count(seed):
    directory = pathlib.Path("verdicts") / str(seed)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    sessions, changed, r = record(seed, directory), program(seed)[1], random.Random(seed)
    for size in asked.sizes:
        for _ in range(asked.rounds):
            runs = r.sample(sessions[""], 2 * size)
            found = named(runs[:size], runs[size:], directory)
            here = tally["same", size]
            here["comparisons"] += 1
            here["likely"] += bool(found)
            here["certain"] += any(verdict == "certain" for verdict, _ in found.values())
            shown["same", size].update((seed, name, *how) for name, how in found.items())
            for change in CHANGES:
                found = named(r.sample(sessions[""], size), r.sample(sessions[change], size), directory)
                here, name = tally[change, size], changed[change]
                here["comparisons"] += 1
                here["named"] += name in found
                here["certain"] += found.get(name, ("", ""))[0] == "certain"
                here["others"] += any(other != name for other in found)
                shown[change, size].update((seed, other, *how) for other, how in found.items() if other != name)
                if name not in found:
                    shown[change, size][seed, name, "missed"] += 1
    shutil.rmtree(directory)


hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() if asked.busy else 0)]
try:
    for seed in range(asked.first, asked.first + asked.programs):
        count(seed)
finally:
    for hog in hogs:
        hog.kill()
isWrong = False
for (change, size), here in sorted(tally.items()):
    if change == "same":
        isWrong |= here["certain"] > 0 or (not asked.sure and here["likely"] > 0.05 * here["comparisons"])
    elif asked.sure:
        isWrong |= (change == "gone" and here["certain"] < here["comparisons"] or
                    change == "huge" and size >= 3 and here["named"] < here["comparisons"])
    elif (change, size) != ("more", 1):
        isWrong |= here["named"] < 0.95 * here["comparisons"]
    print(f"{change} {size} against {size}:", ", ".join(f"{number} {what}" for what, number in here.items()))
    for what, number in shown[change, size].most_common(5):
        print(f"    {number} ×", *what)
sys.exit(isWrong)
