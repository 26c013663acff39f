#!/usr/bin/env python3
"""Builds and records programs with a planted cause, and counts how often `adatrace outliers` names it first.

Usage: outliers.py BUILD FROM TO [KIND…]     seeds FROM to TO - 1; works in BUILD/outliers

By hand, on a machine that does nothing else: where other programs take the processor away, the answer is `preempted`, which
is true. test/tools/outliers.test does the same with made traces, each time.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

# Kinds of factors of which one must come first; nothing for `none`.
WANTED = {
    "none": (), "own": ("own",), "callee": ("callee",), "argument": ("argument", "callee"), "first": ("time", "callee"),
    "lock": ("waiting",), "flush": ("waiting", "concurrent", "time"), "preempted": ("preempted",), "two": ("callee", "own"),
    "exception": ("callee", "argument"), "sleep": ("waiting",),
}
# Those in which each slow call costs as much as was planted. (A sleep lasts longer than was asked for.)
COSTS = ("own", "callee", "argument", "exception")

build = pathlib.Path(sys.argv[1]).resolve()
os.environ["PATH"] = f"{build}/bin:{os.environ['PATH']}"


def answer(kind, seed):
    directory = build / "outliers" / f"{kind}-{seed}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    source = subprocess.check_output([sys.executable, pathlib.Path(__file__).parent / "planted_cause.py", kind, str(seed)])
    (directory / "program.cpp").write_bytes(source)
    subprocess.run(["ada-clang++", "-std=c++20", "-O2", "-g", "-pthread", "--ada-calls=default", "program.cpp", "-o", "program"],
                   cwd=directory, check=True)
    recorded = subprocess.run(["adatrace", "record", "-q", "--waits", "--detail=*", "--session=session", "./program"],
                              cwd=directory, check=True, capture_output=True, text=True)
    planted = json.loads(recorded.stdout.splitlines()[-1])
    found = subprocess.run(["adatrace", "outliers", "--function=handle", "--format=json", "session"], cwd=directory,
                           check=True, capture_output=True, text=True)
    shutil.rmtree(directory)
    return planted, json.loads(found.stdout)


def isRight(kind, planted, found):
    factors = [factor for factor in found["factors"] if factor["kind"] != "unexplained"]
    if kind == "none":
        return not factors
    if not factors or factors[0]["kind"] not in WANTED[kind]:
        return False
    return kind not in COSTS or 0.8 <= factors[0]["explains_ns"] * planted["planted"] / planted["planted_ns"] <= 1.2


for kind in sys.argv[4:] or WANTED:
    wrong = []
    seeds = range(int(sys.argv[2]), int(sys.argv[3]))
    for seed in seeds:
        planted, found = answer(kind, seed)
        if not isRight(kind, planted, found):
            wrong.append((seed, planted, found["slow_calls"], [(f["kind"], f["what"], round(f["share"], 2)) for f in found["factors"]]))
    print(f"{kind}: {len(seeds) - len(wrong)} of {len(seeds)}", *wrong, sep="\n    ", flush=True)
