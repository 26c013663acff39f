#!/usr/bin/env python3
"""How fast a session is seen: the viewer, its page and the exports, beside what opens them. Called by `tools/dev bench`.

Usage: run.py --build BUILD --output DIR [--events N] [--runs N]. A program is traced, and everything is about that one session. All
figures are the minimum and the median of N runs. Processor time is shown beside time on the clock, for machines that do other things as
well. Sizes are decimal (1 MB is 10^6 bytes).

Cold means: a server that was just started, a session whose files are not in the page cache, no index. What is missing on this machine
(chromium, node, tools that open exports) is named in the output, and so is what can't be had at all.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

repository = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(repository / "bench"), str(repository / "test/tools/Inputs")]
from built import newestWrapper
from recorded import recorded
from view_server import Server

EXPORTS = {"perfetto": "pftrace", "chrome": "json", "firefox": "firefox.json", "speedscope": "speedscope.json", "folded": "folded",
           "callgrind": "callgrind", "pprof": "pb.gz", "ctf": "ctf", "sqlite": "sqlite", "csv": "csv", "otlp": "otlp.jsonl",
           "parquet": "parquet", "arrow": "arrow"}
PIXELS = 1600

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree with the plugin, the runtime and the tool")
parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for the session and the exports (removed) and viewing.json")
parser.add_argument("--events", type=int, default=10_000_000, help="how many are recorded, about (default 10,000,000)")
parser.add_argument("--format", default="packed", help="the session's format, as ADA_OPTIONS has it (default packed)")
parser.add_argument("--runs", type=int, default=3, help="runs of each figure (default 3)")
parser.add_argument("--seconds", type=float, default=5, help="length of each zoom and pan of the page (default 5)")
parser.add_argument("--limit", type=float, default=60, help="processor seconds that others may take to open an export (default 60)")
parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"only these of: view, page, {', '.join(EXPORTS)}")
parser.add_argument("--node-modules", type=pathlib.Path, default=repository / "build/node/node_modules",
                    help="playwright-core and speedscope, as `tools/dev test` installs them")
args = parser.parse_args()

output = args.output.resolve()
session = output / "session"
result = {"machine": {}, "session": {}, "view": {}, "page": {}, "exports": {}, "left out": []}
os.environ["PATH"] = f"{args.build.resolve() / 'bin'}:{os.environ['PATH']}"
for name in [name for name in os.environ if name.startswith("ADA_")]:
    del os.environ[name]
os.environ["ADA_NODE_MODULES"] = str(args.node_modules.resolve())
os.environ["ADA_CHROMIUM"] = shutil.which("chromium") or ""


def isAsked(name):
    return not args.only or name in args.only


def leaveOut(what, why):
    result["left out"].append(f"{what}: {why}")
    print(f"  left out: {what}: {why}", flush=True)


def summary(samples):
    return {"min": min(samples), "median": statistics.median(samples)}


def show(title, samples, unit, digits=2):
    """Prints and returns minimum and median."""
    figures = summary(samples)
    print(f"  {title:58}{figures['min']:12,.{digits}f} {figures['median']:12,.{digits}f} {unit}", flush=True)
    return figures | {"unit": unit}


def measured(command, limit=None):
    """Seconds, CPU seconds, peak resident MiB and standard output of a command. Without seconds: why there are none."""
    began = time.monotonic()
    # Python forks if it has to call this. Otherwise the peak would be this program's own, if that is larger.
    bound = lambda: limit and resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
    with open(output / "stdout", "w+") as out, open(output / "stderr", "w+") as errors:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=errors, preexec_fn=bound)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode == 0:
            return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read()
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and limit:
            return None, None, None, f"takes more than {limit:g} s of processor time"
        told = (errors.read().strip() or f"ended with {process.returncode}").splitlines()
        # Node ends with a page of stack. Its message is in the line that names the error.
        said = next((line for line in told if re.search(r"Error|heap out of memory|error:", line)), told[-1])
        return None, None, None, said.strip()[:150]


def ours(command):
    figures = measured(command)
    if figures[0] is None:
        sys.exit(f"bench/viewing: {' '.join(map(str, command))}: {figures[-1]}")
    return figures


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def forgetPages():
    """Drops the session's files from the page cache, so that they come from the disk."""
    for path in session.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def load():
    return [round(value, 2) for value in os.getloadavg()]


#===--- The session --------------------------------------------------------===#


def record():
    shutil.rmtree(session, ignore_errors=True)
    program = output / "program"
    subprocess.run([newestWrapper(args.build), "-O1", "-g", repository / "bench/viewing/program.c", "-o", program, "-lpthread"], check=True)
    subprocess.run([program, str(args.events)], check=True,
                   env=os.environ | {"ADA_OPTIONS": f"session={session}:format={args.format}:overflow=block"})
    events, lost = recorded(session)
    if lost:
        sys.exit(f"bench/viewing: {lost} events of the session were lost")
    result["session"] = {"events": events, "bytes": size(session), "format": args.format}
    return events


#===--- The viewer ---------------------------------------------------------===#


class View:
    """A running server, and when it was started."""

    def __init__(self):
        self.began = time.monotonic()
        # Keeps the index in a file however few events there are, because the file is measured.
        self.server = Server("--index-events=1", str(session))
        self.addressSeconds = self.elapsed()

    def elapsed(self):
        return time.monotonic() - self.began

    def picture(self):
        """Seconds for the whole session, and where the answer comes from."""
        began = time.monotonic()
        answer = self.server.ask(f"picture?session=0&pixels={PIXELS}")
        spent = time.monotonic() - began
        sources = {thread["timeline"]["source"] for thread in answer["threads"]}
        if not any(len(thread["timeline"]["begin"]) for thread in answer["threads"]):
            sys.exit("bench/viewing: a picture without anything in it")
        return spent, "+".join(sorted(sources))

    def waitForIndex(self):
        while (state := self.server.ask("sessions")["sessions"][0]["index"])["state"] == "building":
            time.sleep(0.01)
        if state["state"] != "ready":
            sys.exit(f"bench/viewing: no index: {state}")

    def processor(self):
        """Seconds of CPU time of all threads so far."""
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """Peak resident memory, and how much of the current resident memory is not the trace's mapped pages, in MiB."""
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return [int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024 for name in ("VmHWM", "RssAnon")]

    def stop(self):
        self.server.stop()


def indexFiles():
    return [*session.rglob("view.index"), *output.glob("*.view-index")]


def view():
    samples = {}

    def add(what, value):
        samples.setdefault(what, []).append(value)

    sources = {}
    for _ in range(args.runs):
        for path in indexFiles():
            path.unlink()
        forgetPages()
        cold = View()
        add("cold: address", cold.addressSeconds * 1e3)
        _, sources["cold"] = cold.picture()
        add("cold: picture", cold.elapsed() * 1e3)
        add("cold: picture, processor", cold.processor() * 1e3)
        cold.waitForIndex()
        add("cold: index", cold.elapsed())
        add("cold: index, processor", cold.processor())
        add("peak, cold", cold.peak()[0])
        add("anonymous, cold", cold.peak()[1])
        cold.stop()
        add("index size", sum(size(path) for path in indexFiles()) / 1e6)
        warm = View()
        add("warm: address", warm.addressSeconds * 1e3)
        first, sources["warm"] = warm.picture()
        add("warm: picture", warm.elapsed() * 1e3)
        add("warm: again", warm.picture()[0] * 1e3)
        add("peak, warm", warm.peak()[0])
        add("anonymous, warm", warm.peak()[1])
        warm.stop()
    rows = [("cold: address", "cold: start to address line", "ms"),
            ("cold: picture", f"cold: start to picture of the whole, {PIXELS} px ({sources['cold']})", "ms"),
            ("cold: picture, processor", "  processor time until then", "ms"),
            ("cold: index", "cold: start to index ready", "s"), ("cold: index, processor", "  processor time until then", "s"),
            ("index size", "size of the index", "MB"),
            ("peak, cold", "memory while the index is made, at most (VmHWM)", "MiB"),
            ("anonymous, cold", "  of it not mapped pages of files, at the end", "MiB"),
            ("warm: address", "with index: start to address line", "ms"),
            ("warm: picture", f"with index: start to picture of the whole ({sources['warm']})", "ms"),
            ("warm: again", "with index: one more such picture", "ms"),
            ("peak, warm", "memory, at most", "MiB"), ("anonymous, warm", "  of it not mapped pages of files, at the end", "MiB")]
    for key, title, unit in rows:
        result["view"][key] = show(title, samples[key], unit)


def page():
    if not os.environ["ADA_CHROMIUM"] or not shutil.which("node"):
        return leaveOut("first painted picture, frame times", "chromium or node is not installed")
    if not (args.node_modules / "playwright-core").exists():
        return leaveOut("first painted picture, frame times", f"no playwright-core in {args.node_modules} (tools/dev test installs it)")
    samples, moves = {"cold": [], "warm": []}, {}
    for _ in range(args.runs):
        for path in indexFiles():
            path.unlink()
        forgetPages()
        for kind, seconds in (("cold", 0), ("warm", args.seconds)):
            shown = View()
            if kind == "warm":
                shown.waitForIndex()
            words = ["node", repository / "bench/viewing/page.mjs", shown.server.address, seconds]
            took, _, _, text = measured(["timeout", str(300 + 10 * seconds), *words])
            if took is None:
                shown.stop()
                return leaveOut("first painted picture, frame times", f"page.mjs: {text}")
            if kind == "cold":
                shown.waitForIndex()  # for the next one
            shown.stop()
            told = json.loads(text)
            samples[kind].append(told["painted_ms"])
            for move, figures in told.get("moves", {}).items():
                for what in ("frames", "drawing"):
                    for key in ("median_ms", "p99_ms"):
                        moves.setdefault(move, {}).setdefault(f"{what} {key}", []).append(figures[what][key])
    result["page"]["painted, cold"] = show("cold: page asked for to first picture painted", samples["cold"], "ms")
    result["page"]["painted, warm"] = show("with index: the same", samples["warm"], "ms")
    print(f"  {'':30}{'frame, median':>20} {'frame, 99 %':>20} {'drawing, median':>20} {'drawing, 99 %':>20}   (ms; minimum, median of runs)")
    for move, columns in moves.items():
        figures = result["page"][move] = {key: summary(values) for key, values in columns.items()}
        print(f"  {move:30}" + " ".join(f"{value['min']:10.1f} {value['median']:9.1f}" for value in figures.values()), flush=True)


#===--- Exports ------------------------------------------------------------===#


def speedscope(path):
    bundle, = (args.node_modules / "speedscope/dist/release").glob("speedscope-*.js")
    seconds, processor, _, text = measured(["node", "--max-old-space-size=8192", repository / "test/tools/Inputs/speedscope.mjs", bundle,
                                 "--no-calls", path], args.limit)
    if seconds is None:
        return None, None, None, text
    told = json.loads(text)
    return told["seconds"], processor, told["peak_kib"] / 1024, f"{len(told['profiles'])} profiles" if told["profiles"] else "opens as nothing"


def command(*words):
    def run(path):
        *figures, text = measured([str(word).replace("FILE", str(path)) for word in words], args.limit)
        if figures[0] is None:
            return *figures, text
        lines = [line.strip() for line in text.strip().splitlines()]
        counted = next((line for line in lines if re.fullmatch(r"\d+ Event messages", line)), lines[0] if lines else "")
        # The line with a count; for a table, how many lines it has.
        return *figures, counted if len(lines) < 20 else f"{len(lines)} lines"

    return run


SPEEDSCOPE = ("speedscope's importer, node", "node", speedscope)
# export: what opens it: title, the program that it takes, how
CONSUMERS = {
    "chrome": [SPEEDSCOPE],
    "speedscope": [SPEEDSCOPE],
    "folded": [SPEEDSCOPE],
    "callgrind": [SPEEDSCOPE, ("callgrind_annotate", "callgrind_annotate", command("callgrind_annotate", "FILE"))],
    "pprof": [SPEEDSCOPE],
    "ctf": [("babeltrace2, counting", "babeltrace2", command("babeltrace2", "FILE", "--component=sink.utils.counter", "--params=step=+0"))],
    "sqlite": [("sqlite3, sums of all functions", "sqlite3", command("sqlite3", "FILE", "SELECT * FROM function_totals"))],
    "csv": [("sqlite3, .import and count", "sqlite3",
             command("sqlite3", ":memory:", "-cmd", ".import --csv FILE calls", "SELECT count(*) FROM calls"))],
    "parquet": [("DuckDB in node, sums by name", "node",
                 command("node", repository / "test/tools/Inputs/columns.mjs", "duckdb", "FILE",
                         "SELECT name, count(*), sum(dur) FROM t GROUP BY name"))],
}
MISSING = {
    "perfetto": "Perfetto's trace processor can't be had from the registries that the tests use",
    "firefox": "the Firefox Profiler has no importer that runs without its page",
    "otlp": "an OpenTelemetry collector can't be had from the registries that the tests use",
}


def times(figures):
    return " ".join(f"{figures[key]['min']:8.2f} {figures[key]['median']:8.2f}" for key in ("seconds", "processor_seconds"))


def consume(name, path):
    for title, program, run in CONSUMERS.get(name, []):
        if not shutil.which(program) or (run is speedscope and not (args.node_modules / "speedscope").exists()):
            leaveOut(f"{name} in {title}", f"{program} is not installed" if not shutil.which(program) else
                     f"no speedscope in {args.node_modules} (tools/dev test installs it)")
            continue
        runs = []
        for _ in range(args.runs):
            runs.append(run(path))
            if runs[-1][0] is None:  # it will not do better
                break
        figures = result["exports"][name].setdefault("consumers", {})[title] = {"said": runs[-1][3]}
        if runs[-1][0] is None:
            print(f"      {title:34} can't: {runs[-1][3]}", flush=True)
            continue
        for place, key in enumerate(("seconds", "processor_seconds", "peak_mib")):
            figures[key] = summary([run[place] for run in runs])
        print(f"    {title:30}{times(figures)} {'':46}{figures['peak_mib']['median']:9,.0f} MiB   {runs[-1][3][:60]}", flush=True)
    if name in MISSING:
        leaveOut(f"{name} in what it is for", MISSING[name])


def exports(events):
    print(f"\n{'convert --to, and what opens it':34}{'seconds':>17} {'processor':>17} {'M events/s':>11} {'a processor':>11} {'MB':>10} {'bytes/event':>11} "
          f"{'peak memory':>13}   (seconds: minimum, median)")
    for name, extension in EXPORTS.items():
        if not isAsked(name):
            continue
        path = output / f"export.{extension}"
        runs = []
        for _ in range(args.runs):
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)
            runs.append(ours(["adatrace", "convert", "-q", f"--to={name}", session, path]))
        bytes = size(path)
        figures = result["exports"][name] = {key: summary([run[place] for run in runs])
                                             for place, key in enumerate(("seconds", "processor_seconds", "peak_mib"))}
        figures |= {"events_per_second": events / figures["seconds"]["min"], "bytes": bytes,
                    "events_per_processor_second": events / figures["processor_seconds"]["min"]}
        print(f"  {name:32}{times(figures)} {figures['events_per_second'] / 1e6:11.2f} "
              f"{figures['events_per_processor_second'] / 1e6:11.2f} {bytes / 1e6:10,.1f} {bytes / events:11.2f} "
              f"{figures['peak_mib']['median']:9,.0f} MiB", flush=True)
        consume(name, path)
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)


def cpu():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


output.mkdir(parents=True, exist_ok=True)
try:
    result["machine"] = {"cpu": cpu(), "processors": os.cpu_count(), "kernel": platform.release(), "load before": load()}
    count = record()
    print(f"{cpu()}, {os.cpu_count()} processors; load (1, 5, 15 minutes) {load()}")
    print(f"viewing: {count:,} events of {args.format}, {result['session']['bytes'] / 1e6:,.1f} MB; "
          f"minimum and median of {args.runs} runs\n")
    if isAsked("view"):
        view()
    if isAsked("page"):
        page()
    if any(isAsked(name) for name in EXPORTS):
        exports(count)
    result["machine"]["load after"] = load()
    print(f"\nload (1, 5, 15 minutes) before {result['machine']['load before']}, after {load()}")
    (output / "viewing.json").write_text(json.dumps(result, indent=1) + "\n")
    print(f"All figures: {output / 'viewing.json'}")
finally:
    for path in (session, *output.glob("export.*"), output / "program", output / "stdout", output / "stderr"):
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
