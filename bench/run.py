#!/usr/bin/env python3
"""Runs the benchmark programs, prints a table and writes it as JSON. Called by `tools/dev bench`.

Figures are nanoseconds per call and its return. Each comes from RUNS processes with some dozens of bursts each; shown
are the minimum and the median over all bursts. Every program also times two `rdtsc` and plain calls between its own
bursts, so ratios compare what was measured within the same milliseconds.
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

import reading
from recorded import recorded

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree, configured with -DADA_BUILD_BENCH=ON")
parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for traces (removed) and result.json")
parser.add_argument("--runs", type=int, default=5, help="processes a figure (default 5)")
parser.add_argument("--bursts", type=int, default=60, help="bursts a process (default 60)")
parser.add_argument("--seconds", type=float, default=5, help="length of the sustained run (default 5)")
parser.add_argument("--only", help="leave out the tracers that do not have this in their name")
args = parser.parse_args()

bench = args.build.resolve() / "bench"
output = args.output.resolve()
output.mkdir(parents=True, exist_ok=True)
scratch = output / "traces"


def execute(name, command, environment=None):
    """Runs the command in an empty directory and returns the JSON that it printed."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ADA_", "XRAY_"))}
    done = subprocess.run(command, cwd=scratch, env=clean | (environment or {}), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: {name}: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{"):])


def xray(mode):
    # FDR mode drops calls shorter than 5 microseconds unless it is told not to.
    return {"XRAY_OPTIONS": f"patch_premain=false xray_mode=xray-{mode} verbosity=0 xray_logfile_base=xray-",
            "XRAY_FDR_OPTIONS": "func_duration_threshold_us=0", "XRAY_BASIC_OPTIONS": "func_duration_threshold_us=0"}


def uftrace(program):
    return [shutil.which("uftrace"), "record", "--no-pager", "--no-libcall", "-d", "data", program]


def ada_options(more=""):
    return {"ADA_OPTIONS": f"output={scratch}{more}"}


ada = ada_options()
TRACERS = {  # name: command, environment
    "adatrace": ([bench / "adatrace"], ada),
    "adatrace, static runtime": ([bench / "adatrace-static"], ada),
    "adatrace, tick": ([bench / "adatrace"], ada_options(":clock=tick")),
    "adatrace, tick, static": ([bench / "adatrace-static"], ada_options(":clock=tick")),
    "adatrace, detail": ([bench / "adatrace"], ada_options(":detail=*:stack_size=128")),
    "adatrace, detail of four": ([bench / "adatrace"], ada_options(":detail=traced_four:stack_size=128")),
    "adatrace, spans in the source": ([bench / "annotations"], ada),
    "XRay, basic": ([bench / "xray"], xray("basic")),
    "XRay, FDR": ([bench / "xray"], xray("fdr")),
}
if shutil.which("uftrace"):
    TRACERS["uftrace, -pg"] = (uftrace(bench / "uftrace-pg"), {})
    TRACERS["uftrace, -finstrument"] = (uftrace(bench / "uftrace-cyg"), {})
else:
    print("uftrace is not installed and is left out")
if (bench / "adatrace-gcc").exists():
    TRACERS["adatrace, GCC"] = ([bench / "adatrace-gcc"], ada)
    if shutil.which("uftrace"):
        TRACERS["uftrace, GCC -pg"] = (uftrace(bench / "uftrace-gcc-pg"), {})
        TRACERS["uftrace, GCC -finstrument"] = (uftrace(bench / "uftrace-gcc-cyg"), {})
if args.only:
    TRACERS = {name: tracer for name, tracer in TRACERS.items() if args.only in name}


def cpu():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def summary(samples):
    return {"min": round(min(samples), 3), "median": round(statistics.median(samples), 3), "samples": len(samples)}


def collect(name, *words):
    command, environment = TRACERS[name]
    together = {}
    for _ in range(args.runs):
        for key, samples in execute(name, [*command, *map(str, words)], environment).items():
            together.setdefault(key, []).extend(samples)
    return {key: summary(samples) for key, samples in together.items()}


def show(value):
    return f"{value['min']:9.2f} {value['median']:9.2f}" if value else f"{'-':>9} {'-':>9}"


def minus(a, b):
    return {key: a[key] - b[key] for key in ("min", "median")} if a and b else None


compiler = open(bench / "compiler.txt").read().strip()
version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
result = {
    "machine": {"cpu": cpu(), "processors": os.cpu_count(), "kernel": platform.release(), "compiler": version},
    "runs": args.runs, "bursts": args.bursts, "unit": "nanoseconds per call and return", "tracers": {},
}
print(f"{cpu()}, {os.cpu_count()} processors, Linux {platform.release()}, {version}")
print(f"ns per call and return; minimum and median of {args.runs} runs of {args.bursts} bursts\n")

#===--- Cost of a call -----------------------------------------------------===#

print(f"{'one thread':26}{'empty function':>19} {'as two rdtsc':>19} {'four arguments':>19} {'fibonacci':>19} {'off, added':>19}")
for name in TRACERS:
    figures = result["tracers"][name] = {"cost": collect(name, "cost", args.bursts)}
    cost = figures["cost"]
    clock = cost["two rdtsc"]
    ratio = {key: cost["on empty"][key] / clock[key] for key in ("min", "median")}
    off = minus(cost.get("off empty"), cost["plain empty"])
    figures["times two rdtsc"], figures["off, added"] = ratio, off
    print(f"{name:26}{show(cost['on empty'])} {show(ratio)} {show(cost['on four'])} {show(cost['on fibonacci'])} {show(off)}")
first = next(iter(result["tracers"].values()))["cost"]
print(f"{'two rdtsc':26}{show(first['two rdtsc'])}")
print(f"{'untraced':26}{show(first['plain empty'])} {'':19} {show(first['plain four'])} {show(first['plain fibonacci'])}")

for name, key in (("adatrace, detail", "on empty"), ("adatrace, detail of four", "on four")):
    if name in TRACERS:  # two events per call
        event = {k: v / 2 for k, v in result["tracers"][name]["cost"][key].items() if k != "samples"}
        result["tracers"][name]["a detail event"] = event
        print(f"{name + ', an event':26}{show(event)}  with 128 bytes of stack")

#===--- Threads ------------------------------------------------------------===#

count = max(2, os.cpu_count() or 2)
print(f"\n{f'{count} threads at once':26}{'empty function':>19}     {'thread of ten calls':>19} {'the same untraced':>19}   (microseconds a thread)")
for name in TRACERS:
    figures = result["tracers"][name]
    figures["threads"] = collect(name, "threads", count, max(10, args.bursts // 3))
    churn = figures["churn"] = collect(name, "churn", 500)
    thousand = {key: {k: churn[key][k] / 1000 for k in ("min", "median")} for key in ("traced thread", "plain thread")}
    print(f"{name:26}{show(figures['threads']['on empty'])}     {show(thousand['traced thread'])} {show(thousand['plain thread'])}")

#===--- Sustained, to the file ---------------------------------------------===#


SUSTAINED = [
    ("1 calling thread", 1, ""), ("2 calling threads", 2, ""),
    ("1, packed", 1, ":format=packed"), ("2, packed", 2, ":format=packed"), ("2, packed, 2 drain threads", 2, ":format=packed:drain_threads=2"),
    ("2, packed detail", 2, ":format=packed:detail=*"), ("2, packed detail, 2 drain threads", 2, ":format=packed:detail=*:drain_threads=2"),
]
if "adatrace" in TRACERS:
    print(f"\n{'sustained to the file':36}{'million events/s':>19} {'MB/s':>9} {'recorded':>12} {'dropped':>9}")
    result["sustained"] = {}
    for name, count, options in SUSTAINED:
        best = None
        for _ in range(max(1, args.runs // 2)):
            run = execute("adatrace", [bench / "adatrace", "sustain", str(count), str(args.seconds)], ada_options(options))
            events, dropped = recorded(scratch)
            if events != 2 * run["calls"]:
                sys.exit(f"bench: {run['calls']} calls gave {events} events in the files, not twice as many")
            size = sum(path.stat().st_size for path in scratch.rglob("*.at[fp]"))
            rate = events / run["nanoseconds"] * 1e3
            figure = {"million_events_per_second": rate, "bytes_per_second": size / run["nanoseconds"] * 1e9,
                      "events": events, "dropped": dropped}
            if best is None or rate > best["million_events_per_second"]:
                best = figure
        result["sustained"][name] = best
        print(f"{name:36}{best['million_events_per_second']:19.2f} "
              f"{best['bytes_per_second'] / 1e6:9.0f} {best['events']:12} {best['dropped']:9}")

#===--- Several threads of the drain ---------------------------------------===#

if "adatrace" in TRACERS:
    print(f"\n{'a full ring is read and written':36}{'seconds':>19}   (40 million events of four threads, with registers and stack 1.6 million; least of {args.runs})")
    result["backlog"] = {}
    for name, bursts, options in (("packed", 250, ""), ("packed, with registers and stack", 10, ":detail=*")):
        for threads in (1, 2):
            spent = []
            for _ in range(args.runs):
                run = execute("adatrace", [bench / "adatrace", "backlog", "4", str(bursts)],
                              ada_options(f":format=packed:buffer=700M:drain_threads={threads}{options}"))
                events, dropped = recorded(scratch)
                if events + dropped != 2 * run["calls"]:
                    sys.exit(f"bench: {run['calls']} calls gave {events} events in the files, not twice as many")
                spent.append(run["nanoseconds"] / 1e9)
            label = f"{name}, {threads} drain thread{'s' * (threads > 1)}"
            result["backlog"][label] = {"min": min(spent), "median": statistics.median(spent)}
            print(f"{label:46}{min(spent):9.3f} {statistics.median(spent):9.3f}")

result["reading"] = reading.measure(args.build.resolve() / "bin", execute, scratch)

shutil.rmtree(scratch, ignore_errors=True)
(output / "result.json").write_text(json.dumps(result, indent=1) + "\n")
print(f"\nAll figures: {output / 'result.json'}")
