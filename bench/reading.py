"""How fast the trace library reads, writes and converts: dial9 streams, ATF index files, sessions, one thread. Part of bench/run.py.

Times are of the fastest set. Instructions are callgrind's: the difference of two runs of different length, divided by
the difference of their events, so that starting and ending a program is not in it.
"""
import re
import shutil
import subprocess

FEW, MANY = 20_000, 40_000


def instructions(program, what, frames):
    """Instructions an event; reading encodes first, which `instructionsOf` takes off."""
    counts = []
    for events in (FEW, MANY):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "once", what,
                               str(frames), str(events)], capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or not found:  # older valgrinds can't read what newer compilers write
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        counts.append(int(found[1]))
    return (counts[1] - counts[0]) / (MANY - FEW)


def instructionsOf(program, frames):
    encode = instructions(program, "encode", frames)
    return {"encode": encode, **{what: instructions(program, what, frames) - encode for what in ("visit", "own")}}


def dial9(programs, execute):
    program = programs / "dial9_bench"
    counted, problem = shutil.which("valgrind") is not None, "is not installed"
    if counted:
        try:
            instructions(program, "encode", 3)
        except RuntimeError as error:
            counted, problem = False, f"can't run {program}: {error}"
    print(f"\n{'dial9, a million events':26}{'encode':>19} {'visitor decode':>19} {'owned decode':>19}"
          + ("   (million events/s, instructions an event)" if counted else "   (million events/s)"))
    if not counted:
        print(f"valgrind {problem}; no instruction counts")
    result = {}
    for frames, rates in execute("dial9", [program]).items():
        best = {what: max(rates[what]) for what in ("encode", "visit", "own")}
        figures = result[frames] = {"bytes": rates["bytes"], "million_events_per_second": best}
        if counted:
            figures["instructions"] = instructionsOf(program, int(frames.split()[0]))
        columns = [f"{best[what]:9.1f} " + (f"{figures['instructions'][what]:9.1f}" if counted else f"{'-':>9}")
                   for what in best]
        print(f"{frames.replace('frames', '-frame stacks').replace(' -', '-'):26}" + " ".join(columns))
    return result


def scan(programs, execute, scratch):
    run = execute("scan", [programs / "scan_bench", scratch])
    print(f"\n{'ATF index scan':26}{'with page faults':>19} {'mapped already':>19} {'checksum':>19}   (million events/s)")
    result = {"events": run["events"]}
    for version in ("version 1", "version 2"):
        best = result[version] = {what: max(run[version][what]) for what in ("first", "again", "verify")}
        print(f"{version:26}{best['first']:19.0f} {best['again']:19.0f} {best['verify']:19.0f}")
    return result


def convert(programs, execute, scratch):
    run = execute("convert", [programs / "convert_bench", scratch])
    title = f"convert, {run['events'] // 1_000_000} million events"
    print(f"\n{title:26}{'from a session':>19} {'to a session':>19}   (million events/s)")
    result = {"events": run["events"]}
    for name in ("atf1", "atf2", "dial9", "wtf", "cff"):
        best = result[name] = {way: max(run[f"{way} {name}"]) for way in ("to", "from")}
        print(f"{name:26}{best['to']:19.1f} {best['from']:19.1f}")
    return result


def measure(programs, execute, scratch):
    return {"dial9": dial9(programs, execute), "scan": scan(programs, execute, scratch),
            "convert": convert(programs, execute, scratch)}
