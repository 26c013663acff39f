#!/usr/bin/env python3
"""Compares two builds of AdaTrace. Usage: compare.py OLD NEW [--turns N] [--only WORD]. Called by `tools/dev compare REVISION`.

OLD and NEW are build trees with the plugin, the runtime and drain_bench. Both do the same work in turn, so that a change of the
machine's speed meets both. Shown are the figures of each, and the ratio new to old: of the minima, and the median of the turns'.
Above 1, the new one is slower. Two builds of the same sources show how much of that is noise.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

from built import folderInMemory, newestWrapper
from timed import timed

HERE = pathlib.Path(__file__).resolve().parent
MODES = {"packed": "format=packed", "packed, tick": "format=packed:clock=tick", "ATF 2": "format=2", "off": "enabled=0"}
EMPTY = "__attribute__((noinline)) int leaf(int x) { return x + 1; }\nint main(int n, char **w) { (void)w; return leaf(n) > 9; }\n"


def drainFigures(build, folder):
    """Nanoseconds an event, by set: the least of a set's runs."""
    made = subprocess.run([build / "bin/drain_bench", folder, "300"], capture_output=True, text=True, check=True)
    found = {}
    for run in json.loads(made.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            name = f"drain, {run['name'].split('/')[0]}: ns an event"
            found[name] = min(1e9 / run["items_per_second"], found.get(name, float("inf")))
    return found


def cost(command, folder, options):
    """Seconds that passed, and of processor time."""
    session = folder / "session"
    shutil.rmtree(session, ignore_errors=True)
    environment = {**os.environ, "ADA_OPTIONS": f"{options}:session={session}"}
    return timed(lambda: subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL))[1:]


def programFigures(programs, folder):
    found = {}
    for mode, options in MODES.items():
        found[f"JSON, {mode}: s"], found[f"JSON, {mode}: processor s"] = cost([programs / "json"], folder, options)
    several = f"for i in $(seq 50); do {programs / 'empty'}; done"
    for mode in ("packed", "off"):
        found[f"50 starts, {mode}: processor s"] = cost(["sh", "-c", several], folder, MODES[mode])[1]
    return found


def compiled(build, folder):
    folder.mkdir()
    (folder / "empty.c").write_text(EMPTY)
    subprocess.run([newestWrapper(build, "ada-clang++"), "-O2", "-std=c++17", HERE / "real/json_work.cpp", "-o", folder / "json"], check=True)
    subprocess.run([newestWrapper(build), "-O1", folder / "empty.c", "-o", folder / "empty"], check=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=5, help="how often each does the work (default 5)")
    parser.add_argument("--only", default="", help="show only figures that have this in their name")
    args = parser.parse_args()
    with folderInMemory("compare") as folder:
        folder = pathlib.Path(folder)
        builds = [build.resolve() for build in (args.old, args.new)]
        programs = [compiled(build, folder / name) for build, name in zip(builds, ("old", "new"))]
        turns = ([], [])
        for turn in range(args.turns):
            for side in (0, 1) if turn % 2 == 0 else (1, 0):
                turns[side].append({**drainFigures(builds[side], folder), **programFigures(programs[side], folder)})
            print(f"turn {turn + 1} of {args.turns}", file=sys.stderr)
    names = [name for name in turns[0][0] if name in turns[1][0] and args.only in name]
    print(f"{'':44} {'old':>8} {'new':>8}  new / old: least, median")
    for name in names:
        old, new = ([figures[name] for figures in side] for side in turns)
        median = statistics.median(n / o for o, n in zip(old, new))
        print(f"{name:44} {min(old):8.3f} {min(new):8.3f}  {min(new) / min(old):.2f} {median:.2f}")


main()
