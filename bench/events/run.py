#!/usr/bin/env python3
"""What a library call, an annotation and a text argument cost, beside uftrace and LTTng. Called by `tools/dev bench`.

Usage: run.py --build BUILD --output DIR [--bursts N] [--runs N]. Each tracer runs the loop of program.c in bursts that its buffers hold; the
programs take turns. Shown are the minimum and the median of all bursts, less the same loop without the event, in nanoseconds, and how many
readings of the clock (rdtsc or cntvct) the minimum is. What is not installed is left out.
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

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
from built import newestWrapper

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree with the plugin, the runtime and the tool")
parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for programs and traces (removed) and events.json")
parser.add_argument("--bursts", type=int, default=100, help="bursts of each program in a run (default 100)")
parser.add_argument("--runs", type=int, default=5, help="runs of each program (default 5)")
args = parser.parse_args()

output = args.output.resolve()
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)
environment = {key: value for key, value in os.environ.items() if not key.startswith("ADA_")}
environment["LTTNG_HOME"] = str(output)
wrapper = newestWrapper(args.build)
clang = subprocess.run([wrapper, "--ada-off", "--ada-show", "-c", "x.c"], capture_output=True, text=True).stdout.split()[0]


def call(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, cwd=output)
    if check and done.returncode:
        sys.exit(f"bench/events: {' '.join(map(str, command))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def program(name, event, tracer="", compiler=(clang,), link=()):
    path = output / name
    defines = [f"-DEVENT_{event}"] + ([f"-DWITH_{tracer}"] if tracer else [])
    call(*compiler, "-O2", "-g", "-fno-builtin", *defines, f"-I{here}", here / "program.c", "-o", path, *link)
    return path


# The timed modes: (group, name) -> command, options of AdaTrace. The first of a group is the loop by itself.
MODES = {}


def add(group, name, path, options=None, wrap=(), heap=False):
    MODES[group, name] = ([*wrap, path, str(args.bursts), *(["heap"] if heap else [])], options)


ada = (wrapper,)
traced = "session={session}"
add("library call", "by itself", program("call", "LIBRARY_CALL"))
add("library call", "AdaTrace", program("call-ada", "LIBRARY_CALL", compiler=(*ada, "--ada-calls=toupper")), traced)
add("library call", "AdaTrace, with arguments", output / "call-ada", traced + ":detail=toupper")
add("annotation", "by itself", program("none", "NONE"))
annotated = (*ada, "--ada-exclude=*")
add("annotation", "AdaTrace, ADA_INSTANT(name)", program("plain-ada", "PLAIN", "ANNOTATIONS", annotated), traced)
add("annotation", "AdaTrace, ADA_SPAN", program("span-ada", "SPAN", "ANNOTATIONS", annotated), traced)
add("annotation", "AdaTrace, with a number", program("number-ada", "NUMBER", "ANNOTATIONS", annotated), traced)
add("annotation", "AdaTrace, with a text", program("text-ada", "TEXT", "ANNOTATIONS", annotated), traced)
add("text argument", "by itself", program("take", "TEXT_ARGUMENT"))
add("text argument", "AdaTrace, its address", program("take-ada", "TEXT_ARGUMENT", compiler=ada), traced + ":detail=take")
add("text argument", "AdaTrace, strings=64, a literal", output / "take-ada", traced + ":detail=take:strings=64")
add("text argument", "AdaTrace, strings=64, in the heap", output / "take-ada", traced + ":detail=take:strings=64", heap=True)

versions = [call(clang, "--version").stdout.splitlines()[0]]
if shutil.which("uftrace"):
    versions.append(call("uftrace", "--version").stdout.split(" (")[0].strip())
    lazy = ("-pg", "-no-pie", "-Wl,-z,lazy")
    uftrace = ("uftrace", "record", "--no-pager", "-d", "{session}")
    add("library call", "uftrace", program("call-uftrace", "LIBRARY_CALL", link=lazy), wrap=uftrace)
    add("library call", "uftrace, with arguments", output / "call-uftrace", wrap=(*uftrace, "-A", "toupper@arg1", "-R", "toupper@retval"))
    add("text argument", "uftrace, -A take@arg1/s", program("take-uftrace", "TEXT_ARGUMENT", link=lazy),
        wrap=(*uftrace, "-A", "take@arg1/s"))
else:
    print("uftrace is not installed and is left out")
if shutil.which("lttng") and call(clang, "-E", "-include", "lttng/tracepoint.h", "-x", "c", "/dev/null", check=False).returncode == 0:
    versions.append(call("lttng", "--version").stdout.strip())
    for event, name in (("NUMBER", "tracepoint with a number"), ("TEXT", "tracepoint with a text"), ("FORMAT", "tracef(\"%d\")")):
        add("annotation", f"LTTng, {name}",
            program(f"{event.lower()}-lttng", event, "LTTNG", link=("-llttng-ust", "-llttng-ust-common", "-ldl")), wrap=("lttng",))
else:
    print("LTTng (lttng-tools, liblttng-ust-dev) is not installed and is left out")


def measure(key):
    command, options = MODES[key]
    session = output / "session"
    shutil.rmtree(session, ignore_errors=True)
    env = dict(environment)
    lttng = command[0] == "lttng"
    if options:
        env["ADA_OPTIONS"] = options.format(session=session)
    if lttng:
        call("lttng", "--no-sessiond", "create", "bench", f"--output={session}")
        call("lttng", "--no-sessiond", "enable-event", "--userspace", "bench:*,lttng_ust_tracef:*")
        call("lttng", "--no-sessiond", "start")
        command = command[1:]
    words = [str(word).replace("{session}", str(session)) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=env, cwd=output)
    if lttng:
        call("lttng", "--no-sessiond", "destroy", "bench")
    if done.returncode:
        sys.exit(f"bench/events: {words} ended with {done.returncode}: {done.stderr}")
    if (options or lttng or command[0] == "uftrace") and not sum(f.stat().st_size for f in session.rglob("*") if f.is_file()) > args.bursts * 10_000:
        sys.exit(f"bench/events: {key}: nothing was recorded")
    return [float(line) for line in done.stdout.split()]


def clockNs():
    """The cost of reading the counter here, many times in a row."""
    source = output / "clock.c"
    source.write_text("""#include <stdio.h>
#include <time.h>
static unsigned long counter(void) {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  unsigned long v; __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v)); return v;
#endif
}
int main(void) {
  double least = 1e9;
  for (int r = 0; r < 200; ++r) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 10000; ++i) { unsigned long v = counter(); __asm__ volatile("" : : "r"(v)); }
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 10000;
    if (ns < least) least = ns;
  }
  printf("%.3f", least);
}
""")
    call(clang, "-O2", source, "-o", output / "clock")
    return float(call(output / "clock").stdout)


daemon = None
if any(command[0] == "lttng" for command, _ in MODES.values()):
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(100):
        if call("lttng", "--no-sessiond", "list", check=False).returncode == 0:
            break
        subprocess.run(["sleep", "0.1"])
bursts = {key: [] for key in MODES}
try:
    for _ in range(args.runs):
        for key in MODES:
            bursts[key] += measure(key)
finally:
    if daemon:
        daemon.terminate()
        daemon.wait()

clock = clockNs()
result = {"machine": {"cpu": platform.processor(), "cores": os.cpu_count(), "load": os.getloadavg()}, "versions": versions, "clock_ns": clock,
          "events": []}
print("; ".join(versions) + f"; a reading of the counter takes {clock:.1f} ns, load {os.getloadavg()[0]:.1f}")
print(f"| | minimum, ns | median, ns | readings of the clock |\n|---|---|---|---|")
for (group, name), all in bursts.items():
    plain = bursts[group, "by itself"]
    least, middle = min(all), statistics.median(all)
    if name == "by itself":
        print(f"| **{group}**, not traced | {least:.1f} | {middle:.1f} | |")
    else:
        least, middle = least - min(plain), middle - statistics.median(plain)
        print(f"| {name} | {least:.1f} | {middle:.1f} | {least / clock:.2f} |")
    result["events"].append({"group": group, "name": name, "min_ns": round(least, 2), "median_ns": round(middle, 2)})
for path in output.iterdir():
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
(output / "events.json").write_text(json.dumps(result, indent=1) + "\n")
