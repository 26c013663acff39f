#!/usr/bin/env python3
"""Records programs without a cause, and counts how often `adatrace outliers` and `adatrace why` name one.

Usage: causeless.py DIRECTORY FROM TO [--busy] [--again]     seeds FROM to TO - 1; works in DIRECTORY

ada-clang++ and adatrace are those on the PATH. Each program serves requests whose phases take independent random times, with tails
from none to heavy ones; numbers of phases, calls and threads, arguments, allocations and pauses are random, too. Nothing that
is recorded is the reason why a call is slow. --busy starts a process on each core that spins. --again asks about
the sessions that are in DIRECTORY already, which compares two builds of adatrace by the same recordings.

Time in which another program had the core is known from scheduling records. It is the machine's, and counted apart.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import planted

NAMES = ["parse", "lookup", "render", "encode", "reply", "account"]
RANDOM = r"""
#include <cmath>
#include <cstring>
#include <memory>
INSIDE double uniform(uint64_t &state) { return (double(next(state) >> 11) + 0.5) / 9007199254740992.0; }
INSIDE double normal(uint64_t &state) { return std::sqrt(-2 * std::log(uniform(state))) * std::cos(6.283185307179586 * uniform(state)); }
"""


def duration(r, us):
    """A C++ expression for nanoseconds, with a tail of random weight."""
    ns = us * 1000
    return r.choice([
        f"{ns}",
        f"{ns} * (0.7 + 0.6 * uniform(state))",
        f"{ns} * std::max(0.1, 1 + {r.uniform(0.05, 0.3):.3f} * normal(state))",
        f"{ns} * {r.uniform(0.3, 1):.3f} * (1 - std::log(uniform(state)))",
        f"{ns} * std::exp({r.uniform(0.2, 1.2):.3f} * normal(state))",
        f"{ns} * std::min(300.0, std::pow(uniform(state), -1 / {r.uniform(1.2, 3):.3f}))",
    ])


def program(seed):
    r = random.Random(f"causeless {seed}")
    phases = r.sample(NAMES, r.randrange(1, 6))
    us, threads, calls = r.choice([0.5, 2, 10, 40]) * r.uniform(0.7, 1.4), r.choice([1, 1, 2, 4]), int(30 * 200 ** r.random())
    extra, body, main = RANDOM, "", ""
    for name in phases:
        work = f"burn(uint64_t({duration(r, us * r.uniform(0.3, 1.7))}));"
        also = r.choice(["", "", "", "memory", "allocate"])
        if also == "memory":
            extra += f"static char table_{name}[{r.randrange(1, 16)} << 14];\n"
            main += f"memset(table_{name}, 1, sizeof(table_{name})); "  # or the first calls are slow for a reason: page faults
            work += f" for (int i = 0; i < {r.randrange(5, 50)}; ++i) ++table_{name}[next(state) % sizeof(table_{name})];"
        elif also == "allocate":
            work += f" {{ const size_t size = 64 + next(state) % {r.randrange(1000, 30000)}; std::unique_ptr<char[]> text(new char[size]); memset(text.get(), 1, size); sink = sink + uint64_t(text[size / 2]); }}"
        extra += f"KEEP void {name}(uint64_t &state) {{ {work} LEAF; }}\n"
        body += f"{name}(state); "
    if r.random() < 0.5:
        body += f"burn(uint64_t({duration(r, us)})); "
    if r.random() < 0.2:
        body += f"usleep({r.randrange(20, 200)}); "
    extra += "KEEP void evict(uint64_t &state) { burn(500 + next(state) % 500); LEAF; }\nKEEP void refill(uint64_t &state) { burn(500 + next(state) % 500); LEAF; }\n"
    before = "if (next(state) % 3 == 0) evict(state); else if (next(state) % 3 == 0) refill(state);" if r.random() < 0.5 else ""
    hasKeeper = r.random() < 0.3
    if hasKeeper:
        extra += f"static std::atomic<bool> isOver;\nKEEP void flush(uint64_t &state) {{ burn({r.randrange(20, 400)}000 + next(state) % 1000); LEAF; }}\nKEEP void keep() {{ uint64_t state = 7; while (!isOver) {{ flush(state); usleep({r.randrange(200, 3000)}); }} }}\n"
        main += "std::thread keeper(keep);"
    shape = planted.Shape("causeless", seed)
    text = planted.served(shape, f"sink = sink + size; {body}", threads, max(calls, 25 * threads), extra, before=before, argument="unsigned size",
                          value=f"unsigned(next(state) % {r.randrange(2, 2000)})", main=main)
    # The first call of each thread would be slow for a reason: nothing has been touched yet.
    text = text.replace("uint64_t state = seed;", "uint64_t state = seed; for (int i = 0; i < 20; ++i) { " + " ".join(f"{name}(state);" for name in phases) + " }")
    if hasKeeper:
        text = text.replace("tell(plantedNs, totalNs)", "isOver = true; keeper.join(); tell(plantedNs, totalNs)")
    return planted.HEAD + text, r.random() < 0.6


def record(directory, seed):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    text, wants_detail = program(seed)
    (directory / "program.cpp").write_text(text)
    subprocess.run(["ada-clang++", "-std=c++20", "-O2", "-g", "-pthread", "--ada-calls=default", "program.cpp", "-o", "program"],
                   cwd=directory, check=True)
    detail = ["--detail=handle"] if wants_detail else []
    subprocess.run(["adatrace", "record", "-q", "--waits", "--packed", *detail, "--session=session", "./program"], cwd=directory,
                   check=True, capture_output=True, timeout=300)


def ask(directory, *words):
    return json.loads(subprocess.run(["adatrace", *words, "--format=json", "session"], cwd=directory, check=True, capture_output=True, text=True).stdout)


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    flags = set(sys.argv[1:]) - set(arguments)
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())] if "--busy" in flags else []
    named, found, preempted, programs = [], [], 0, 0
    try:
        for seed in range(int(arguments[1]), int(arguments[2])):
            directory = pathlib.Path(arguments[0]).resolve() / str(seed)
            if "--again" not in flags:
                record(directory, seed)
            programs += 1
            answer = ask(directory, "outliers", "--function=handle")
            factors = [factor for factor in answer["factors"] if factor["kind"] not in ("unexplained", "preempted")]
            preempted += any(factor["kind"] == "preempted" for factor in answer["factors"])
            if factors:
                named.append((seed, f"{answer['slow_calls']} of {answer['calls']}, {answer['slow_mean_ns']} {answer['ordinary_mean_ns']}",
                              [(f["kind"], f["what"], f["share"], f["p_value"], f["of_slow"], f["of_ordinary"]) for f in factors]))
            found += [(seed, finding["text"]) for finding in ask(directory, "why")["findings"] if finding["kind"] == "slow-calls"]
    finally:
        for spinner in spinners:
            spinner.kill()
    for one in named + found:
        print("   ", *one)
    print(f"{len(named)} of {programs} programs without a cause have a factor, {preempted} preemption; slow-calls in {len(found)}")


if __name__ == "__main__":
    main()
