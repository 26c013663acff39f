#!/usr/bin/env python3
"""Measures what recording costs when all cores are busy. Usage: run.py --build BUILD --output DIR [--turns N]. Called by `tools/dev bench`.

There are two loads: 1, 8 and 64 threads that work for 100 ns between their calls, and a redis server whose clients run on the same
cores (redis-benchmark, package redis-tools; the server's source comes from Debian). Each runs plain and in all MODES, in turn. For
the threads, the time that passed and the processor time are shown as multiples of plain, minimum and median of the turns. For redis
it is the requests a second, the 99th percentile of the time to an answer (p99), and the processor time of a request, each the best
and the median. `taskset 1 run.py …` measures one core.
"""
import argparse
import csv
import io
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from built import folderInMemory, newestWrapper
from sources import call, clean, fromDebian
from timed import timed

MODES = {"off": "enabled=0", "packed": "format=packed", "packed, tick": "format=packed:clock=tick", "packed, no scheduling": "format=packed:sched=0"}
CALLS, REQUESTS, PORT = 40_000_000, 200_000, 7791


def environment(options, folder):
    shutil.rmtree(folder / "session", ignore_errors=True)
    return clean if options is None else {**clean, "ADA_OPTIONS": f"{options}:session={folder / 'session'}"}


def threads(program, count, options, folder):
    command = [program, str(count), str(CALLS)]
    return timed(lambda: subprocess.run(command, env=environment(options, folder), check=True, stdout=subprocess.DEVNULL))[1:]


def requests(server, options, folder):
    """Requests a second, the slowest hundredth in ms, and processor microseconds a request, of GET."""
    running = subprocess.Popen([server, "--port", str(PORT), "--save", "", "--dir", folder], env=environment(options, folder), stdout=subprocess.DEVNULL)
    for _ in range(100):
        if subprocess.run(["redis-cli", "-p", str(PORT), "ping"], capture_output=True, env=clean).stdout == b"PONG\n":
            break
        time.sleep(0.05)
    answer = call(["redis-benchmark", "-p", PORT, "-t", "get", "-n", REQUESTS, "-c", 50, "-r", 10000, "--csv"])
    row, = csv.DictReader(io.StringIO(answer))
    subprocess.run(["redis-cli", "-p", str(PORT), "shutdown", "nosave"], capture_output=True, env=clean)
    used = os.wait4(running.pid, 0)[2]
    return float(row["rps"]), float(row["p99_latency_ms"]), 1e6 * (used.ru_utime + used.ru_stime) / REQUESTS


def build(compiler, folder, sources):
    """The two programs by that compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    call([compiler, "-O2", "-pthread", HERE / "threads.c", "-o", folder / "threads"])
    if not (folder / "redis/src/redis-server").exists():
        shutil.copytree(fromDebian(sources, "redis"), folder / "redis", dirs_exist_ok=True)
        call(["make", "-C", folder / "redis/src", f"-j{os.cpu_count()}", f"CC={compiler}", "MALLOC=libc", "OPTIMIZATION=-O2", "redis-server"])
    return folder / "threads", folder / "redis/src/redis-server"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    output = args.output.resolve()
    traced = newestWrapper(args.build)
    plain = build(traced.name.removeprefix("ada-"), output / "plain", output / "sources")
    recorded = build(traced, output / "recorded", output / "sources")
    modes = {"plain": (plain, None), **{mode: (recorded, options) for mode, options in MODES.items()}}
    found = {mode: [] for mode in modes}
    with folderInMemory("load") as folder:
        place = pathlib.Path(folder)
        for turn in range(args.turns):
            for mode, ((program, server), options) in list(modes.items())[::1 if turn % 2 else -1]:
                found[mode].append([*(figure for count in (1, 8, 64) for figure in threads(program, count, options, place)),
                                    *requests(server, options, place)])
    print(f"{'':22} {'1 thread':>23} {'8 threads':>23} {'64 threads':>23} {'redis: requests/s':>20} {'p99, ms':>15} {'CPU us':>12}")
    for mode, runs in found.items():
        cells = []
        for column in range(0, 6, 2):
            ratios = [[run[at] / base[at] for run, base in zip(runs, found["plain"])] for at in (column, column + 1)]
            cells.append("{:.2f} {:.2f}, CPU {:.2f} {:.2f}".format(*(f(of) for of in ratios for f in (min, statistics.median))))
        for at, best in ((6, max), (7, min), (8, min)):
            of = [run[at] for run in runs]
            cells.append(f"{best(of):.5g}, {statistics.median(of):.5g}")
        print(f"{mode:22} {cells[0]:>23} {cells[1]:>23} {cells[2]:>23} {cells[3]:>20} {cells[4]:>15} {cells[5]:>12}")


main()
