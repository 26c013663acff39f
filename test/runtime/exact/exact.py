#!/usr/bin/env python3
"""Makes the program of one seed, builds it with and without hooks, and compares the recorded with the expected calls.

exact.py SEED --dir DIR --cc ada-clang-N --cxx ada-clang++-N [--detail]
"""
import argparse
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Inputs"))
import calls  # noqa: E402
import details  # noqa: E402
import program  # noqa: E402


def label(name):
    """fn12 for all the names that a model function's code may have; nothing for other functions."""
    match = re.search(r"fn\d+", name)
    if not match or "thunk" in name or "~" in name or name.startswith("_GLOBAL_"):
        return None
    return match[0] + ("$" if "operator()" in name else "")


def start(command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def build(arguments, flags, output):
    """Compiles the three files and links them."""
    for source in ("main.cpp", "more.cpp", "part.c"):
        compiler = [arguments.cc] if source.endswith(".c") else [arguments.cxx, "-std=c++20"]
        start([*compiler, *flags, "-w", "-c", source, "-o", f"{output}-{source}.o"],
              arguments.dir)
    start([arguments.cxx, *flags, *[f"{output}-{s}.o" for s in ("main.cpp", "more.cpp", "part.c")],
           "-pthread", "-o", output], arguments.dir)
    return os.path.join(arguments.dir, output)


def run(path, options=None):
    environment = {**os.environ, **({"ADA_OPTIONS": options} if options else {})}
    done = subprocess.run([path], capture_output=True, text=True, env=environment)
    return done.stdout, done.stderr, done.returncode


def differs(expected, found):
    """The first difference between two lists of steps, in words."""
    words = {1: "call", 2: "return", 3: "exception", None: "end"}
    for i in range(max(len(expected), len(found))):
        a = expected[i] if i < len(expected) else (None, "")
        b = found[i] if i < len(found) else (None, "")
        if a != b:
            before = " ".join(f"{words[k]} {n}," for k, n in expected[max(0, i - 4):i])
            return f"step {i}: {words[b[0]]} {b[1]} instead of {words[a[0]]} {a[1]} (after {before})"
    return None


def compare(model, session, detail):
    process, = calls.load(session)
    for thread in process.threads if detail else []:
        of = details.Details(thread).of
        if len(of) != sum(kind != calls.EXCEPTION for _, _, kind, _ in thread.events):
            sys.exit(f"thread {thread.index}: {len(of)} details of {len(thread.events)} events")
    found = {}
    for thread in process.threads:
        steps = [(kind, label(name)) for kind, name in thread.steps() if label(name)]
        # The first calls of several threads differ, except main's.
        starts = [f.name for f in model.starts]
        key = steps[0][1] if steps and steps[0][1] in starts else "main"
        if key in found:
            sys.exit(f"two threads begin with {key}")
        found[key] = steps
    expected = dict(zip(["main"] + [f.name for f in model.starts], model.threads))
    for key, steps in expected.items():
        difference = differs(steps, found.get(key, []))
        if difference:
            sys.exit(f"thread of {key}: {difference}")
    dump = subprocess.run(["adatrace", "dump", "--format=jsonl", session], capture_output=True, text=True, check=True)
    kinds = {"call": 1, "return": 2, "exception": 3}
    dumped = {}
    for line in dump.stdout.splitlines():
        event = json.loads(line)
        dumped.setdefault(event["thread"], []).append((event["ts"], kinds[event["kind"]], int(event["function_id"], 16)))
    for thread in process.threads:
        if dumped.get(thread.index, []) != [(t, k, f) for t, f, k, _ in thread.events]:
            sys.exit(f"adatrace dump shows other events than the file of thread {thread.index} has")
    return sum(map(len, expected.values()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    for name in ("dir", "cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--detail", action="store_true", help="with registers and stack of all calls")
    arguments = parser.parse_args()
    model = program.Program(arguments.seed)
    os.makedirs(arguments.dir, exist_ok=True)
    for name, text in model.files().items():
        with open(os.path.join(arguments.dir, name), "w") as f:
            f.write(text)
    for level in ("-O0", "-O2"):
        wanted = (model.output, "", model.status)
        plain = run(build(arguments, ["--ada-off", level], "plain" + level))
        if plain != wanted:
            sys.exit(f"{level}: without hooks the program gives {plain} instead of {wanted}: the model is wrong")
        session = os.path.join(arguments.dir, "session" + level)
        traced = run(build(arguments, [level], "traced" + level), f"session={session}" + (":detail=*:stack_size=200" if arguments.detail else ""))
        if traced != wanted:
            sys.exit(f"{level}: traced, the program gives {traced} instead of {wanted}")
        print(f"seed {arguments.seed} {level}: {compare(model, session, arguments.detail)} events as expected")


if __name__ == "__main__":
    main()
