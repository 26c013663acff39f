"""How fast the trace library reads, writes and converts, on one thread, and how fast the commands are: dial9 streams,
ATF index files, sessions. Part of bench/run.py.

Times are those of the fastest set. Instructions are callgrind's: the difference of two runs of different length,
divided by the difference of their events, so that starting and ending a program is not included.
"""
import os
import re
import shutil
import subprocess
import time

FEW, MANY = 20_000, 40_000
EVENTS = 10_000_000  # scanned, converted and shown
COMMANDS = ("report", "report --by=module", "tree", "tree --no-fold", "dump", "dump --format=jsonl", "dump --merged",
            "verify")
RUNS = 3  # of each command


def rates(run):
    """Millions of events per second of the fastest set of each benchmark that Google Benchmark ran."""
    best = {}
    for entry in run["benchmarks"]:
        if entry["run_type"] == "iteration":
            name = entry["run_name"].split("/")[0]
            best[name] = max(best.get(name, 0), round(entry["items_per_second"] / 1e6, 2))
    return best


def counted(command):
    """The number of instructions that the command executes."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:  # older valgrinds can't read what newer compilers write
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return int(found[1])


def instructions(program, what, frames):
    """Instructions per event. Reading encodes first, which `instructionsOf` subtracts."""
    few, many = (counted([program, "once", what, str(frames), str(events)]) for events in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def instructionsOf(program, frames):
    encode = instructions(program, "encode", frames)
    return {"encode": encode, "visit": instructions(program, "visit", frames) - encode}


def canCount(program):
    """Whether valgrind can run what was built, and why not."""
    if not shutil.which("valgrind"):
        return False, "is not installed"
    try:
        instructions(program, "encode", 3)
    except RuntimeError as error:
        return False, f"can't run {program}: {error}"
    return True, ""


def dial9(programs, execute):
    program = programs / "dial9_bench"
    counts, problem = canCount(program)
    print(f"\n{'dial9, a million events':26}{'encode':>19} {'visitor decode':>19}"
          + ("   (million events/s, instructions per event)" if counts else "   (million events/s)"))
    if not counts:
        print(f"valgrind {problem}; no instruction counts")
    result = {}
    run = execute("dial9", [program])
    measured = rates(run)
    for frames in ("3 frames", "16 frames"):
        best = {what: measured[f"{frames}, {what}"] for what in ("encode", "visit")}
        figures = result[frames] = {"bytes": int(run["context"][frames].split()[0]), "million_events_per_second": best}
        if counts:
            figures["instructions"] = instructionsOf(program, int(frames.split()[0]))
        columns = [f"{best[what]:9.1f} " + (f"{figures['instructions'][what]:9.1f}" if counts else f"{'-':>9}")
                   for what in best]
        print(f"{frames.replace('frames', '-frame stacks').replace(' -', '-'):26}" + " ".join(columns))
    return result


def scan(programs, execute, scratch):
    measured = rates(execute("scan", [programs / "scan_bench", scratch, str(EVENTS)]))
    print(f"\n{'ATF index scan':26}{'with page faults':>19} {'mapped already':>19} {'checksum':>19}   (million events/s)")
    result = {"events": EVENTS}
    for version in ("version 1", "version 2"):
        best = result[version] = {what: measured[f"{version}, {what}"] for what in ("first", "again", "verify")}
        print(f"{version:26}{best['first']:19.0f} {best['again']:19.0f} {best['verify']:19.0f}")
    return result


def convert(programs, execute, scratch):
    measured = rates(execute("convert", [programs / "convert_bench", scratch, str(EVENTS)]))
    title = f"convert, {EVENTS // 1_000_000} million events"
    print(f"\n{title:26}{'from a session':>19} {'to a session':>19}   (million events/s)")
    result = {"events": EVENTS}
    for name in ("atf1", "atf2", "dial9", "wtf", "cff"):
        best = result[name] = {way: measured[f"{way} {name}"] for way in ("to", "from")}
        print(f"{name:26}{best['to']:19.1f} {best['from']:19.1f}")
    return result


def drain(programs, execute, scratch):
    scratch.mkdir(exist_ok=True)
    measured = rates(execute("drain", [programs / "drain_bench", scratch]))
    print(f"\n{'the drain, one thread':26}{'million events/s':>19}   (what each is: bench/drain_bench.cpp)")
    for name, rate in measured.items():
        print(f"{name:26}{rate:19.0f}")
    return measured


def commands(programs, scratch):
    """Whole runs of `adatrace`, with the output thrown away. Counts the CPU time of all threads, not only real time."""
    counts, _ = canCount(programs / "dial9_bench")
    session = {events: scratch / f"session_{events}" for events in (EVENTS, FEW, MANY)}
    scratch.mkdir(exist_ok=True)
    for events, path in session.items():
        subprocess.run([programs / "convert_bench", "session", path, str(events)], check=True)
    print(f"\n{f'adatrace, {EVENTS // 1_000_000} million events':26}{'million events/s':>19} {'a processor':>19}"
          f"{' instructions an event':>22}")
    result = {"events": EVENTS}
    for command in COMMANDS:
        line = [programs / "adatrace", *command.split()]
        real, busy = [], []
        for _ in range(RUNS):
            before, began = os.times(), time.monotonic()
            subprocess.run([*line, session[EVENTS]], check=True, stdout=subprocess.DEVNULL)
            real.append(time.monotonic() - began)
            after = os.times()
            busy.append(after.children_user + after.children_system - before.children_user - before.children_system)
        figures = result[command] = {"million_events_per_second": EVENTS / min(real) / 1e6,
                                     "million_events_per_processor_second": EVENTS / min(busy) / 1e6}
        if counts:
            figures["instructions"] = (counted([*line, session[MANY]]) - counted([*line, session[FEW]])) / (MANY - FEW)
        print(f"{command:26}{figures['million_events_per_second']:19.1f} "
              f"{figures['million_events_per_processor_second']:19.1f} "
              + (f"{figures['instructions']:21.1f}" if counts else f"{'-':>21}"))
    return result


def measure(programs, execute, scratch):
    return {"drain": drain(programs, execute, scratch), "dial9": dial9(programs, execute), "scan": scan(programs, execute, scratch),
            "convert": convert(programs, execute, scratch), "commands": commands(programs, scratch)}
