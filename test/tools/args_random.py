"""Random functions that read all, some or none of their arguments, and what adatrace says they were passed and returned.

args_program.py makes the programs. Each value that is shown must be the true one, or be unknown.

By hand, 200 seeds over all modes and compilers, in programs of 20 seeds each, two at a time:

    test/tools/args_random.py --dir /tmp/args --cxx build/release/bin/ada-clang++-{14,19,22} --modes all --seed 1 --seeds 200 --batch 20 --jobs 2

--cxx may be a list of compilers, of GCC's too; adatrace is taken from beside the first. A seed makes the same functions in every batch.
A program that fails without hooks, too, is counted, and one of other seeds takes its place: some compilers crash, or make
programs that do.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys

from args_program import Program

UNKNOWN = "unknown"
SKIPPED = "skipped"  # programs that fail without hooks, too


class Comparison:
    """Compares shown values with true ones."""

    def __init__(self, truth):
        self.counts = collections.Counter()
        self.symbols, self.bits = {}, {}
        for line in truth.splitlines():
            kind, key, text = line.split()
            if kind == "symbol":
                self.symbols[key] = int(text, 16)
            else:
                pairs = bytes.fromhex(text)
                self.bits[key] = int.from_bytes(pairs[::2], "little"), int.from_bytes(pairs[1::2], "little")

    def leaves(self, expected):
        kind = expected[0]
        return sum(self.leaves(e) for e in expected[1].values()) if kind == "s" else len(expected[1]) if kind == "a" else 1

    def isAddress(self, shown):
        return isinstance(shown, str) and re.fullmatch(r"0x[0-9a-f]+( \(unreadable\))?", shown)

    def address(self, shown, symbol, offset):
        if symbol is None:
            return shown != "0x0"
        return int(shown.split()[0], 16) == (self.symbols[symbol] + offset if symbol else 0)

    def holds(self, shown, expected):
        """Whether nothing in SHOWN is untrue."""
        kind = expected[0]
        if shown is None:
            self.counts[UNKNOWN] += self.leaves(expected)
            return True
        if kind == "s" and isinstance(shown, dict):
            return all([name in expected[1] and self.holds(value, expected[1][name]) for name, value in shown.items()])
        if kind in ("s", "bits"):
            self.counts["known"] += self.leaves(expected)
            if not self.isAddress(shown):
                return False
            value, mask = self.bits[expected[-1]]
            return int(shown, 16) & mask == value & mask
        if kind == "a":
            return isinstance(shown, list) and bool(shown) and all([self.holds(s, e) for s, e in zip(shown, expected[1])])
        if kind == "t" and isinstance(shown, dict) and "_M_len" in shown:  # a string_view whose text was not recorded
            length, address = shown["_M_len"], shown["_M_str"]
            self.counts["known" if length is not None else UNKNOWN] += 1
            return (length is None or length == len(expected[1])) and (address is None or self.address(address, *expected[2:]))
        self.counts["known"] += 1
        if kind == "t":
            return self.address(shown, *expected[2:]) if self.isAddress(shown) else shown == expected[1]
        if kind == "p":
            if self.isAddress(shown) and not (expected[3] and expected[3][0] == "n" and not isinstance(expected[3][1], str) and not isinstance(shown, str)):
                return self.address(shown, *expected[1:3])
            self.counts["known"] -= 1
            return expected[3] is not None and self.holds(shown, expected[3])
        want = expected[1]
        if isinstance(want, str) and isinstance(shown, list):  # an array of which only the first characters were recorded
            return bool(shown) and all(s in (None, w) for s, w in zip(shown, want))
        if isinstance(want, str) and isinstance(shown, str) and (enumerator := re.fullmatch(r"(?:\w+::)?([RG])(E\d+_\d)", want)):
            # With -flto, GCC keeps no enumerators' names.
            return shown in (want, f"{enumerator[2]}({'0' if enumerator[1] == 'R' else '5'})")
        if isinstance(want, (bool, str)) or isinstance(shown, bool):
            return shown == want
        try:
            return (int(shown) if isinstance(want, int) else float(shown)) == want
        except (ValueError, TypeError):
            return False


# The name of a vectorcall function has @@ in it, which the linker of a library reads as a version. The loader, when it looks
# up a function at its first call, uses r10, which preserve_most promises to keep.
LIBRARY = ["-fPIC", "-DVECTORCALL=", "-Wl,-z,now"]
MODES = {"-O0": ["-O0"], "-O1": ["-O1"], "-O2": ["-O2"], "-O3": ["-O3"], "early": ["-O2", "--ada-before-inlining"], "lto": ["-O2", "-flto"],
         "thin": ["-O2", "-flto=thin"], "early-lto": ["-O2", "-flto", "--ada-before-inlining"], "early-O0": ["-O0", "--ada-before-inlining"],
         "static": ["-O2", "--ada-static-runtime"], "library": ["-O2", *LIBRARY], "early-library": ["-O2", *LIBRARY, "--ada-before-inlining"]}
def fits(cxx, mode):
    """Whether the compiler has the mode: hooks before inlining and -flto=thin are clang's."""
    return "clang" in os.path.basename(cxx) or not ("early" in mode or mode == "thin")


COMMON = ["-w", "-g", "-std=c++20", "-Wno-error", "-Wno-narrowing", "-Wno-c++11-narrowing", "-Wno-non-pod-varargs", "-Wno-psabi"]


def write(directory, name, text):
    with open(os.path.join(directory, name), "w") as f:
        f.write(text)


def build_and_run(cxx, mode, directory):
    """What the program prints, with hooks if the compiler is one of AdaTrace's."""
    has_hooks = os.path.basename(cxx).startswith("ada-")

    def call(*command):
        subprocess.run([c for c in command if has_hooks or not c.startswith("--ada-")], cwd=directory, check=True)

    compiler = [cxx, *COMMON, "--ada-pointees", *MODES[mode]]
    call(cxx, *COMMON, "-g0", "-O0", "-fPIC", "--ada-exclude=*", "-c", "truth.cpp", "-o", "truth.o")
    if "library" in mode:
        call(*compiler, "-shared", "unit1.cpp", "-o", "libunit1.so")
        call(*compiler, "unit0.cpp", "truth.o", "libunit1.so", "-Wl,-rpath," + os.path.abspath(directory), "-o", "program")
    else:
        call(*compiler, "unit0.cpp", "unit1.cpp", "truth.o", "-o", "program")
    environment = {**os.environ, "ADA_OPTIONS": "session=session:detail=*:stack_size=256:strings=32:pointees=64"}
    return subprocess.run(["./program"], cwd=directory, env=environment, check=True, capture_output=True, text=True).stdout


def run(seeds, cxx, mode, directory):
    """Counts of known and unknown values, and the errors."""
    program = Program(seeds)
    os.makedirs(directory, exist_ok=True)
    for i, text in enumerate(program.units):
        write(directory, f"unit{i}.cpp", text)
    write(directory, "truth.cpp", program.truth)
    subprocess.run(["rm", "-rf", os.path.join(directory, "session")], check=True)
    try:
        truth = build_and_run(cxx, mode, directory)
    except subprocess.CalledProcessError:
        try:
            build_and_run(os.path.basename(cxx).removeprefix("ada-"), mode, directory)
        except subprocess.CalledProcessError:
            counts, wrong = run([seed + 10**9 for seed in seeds], cxx, mode, directory) if seeds[0] < 3 * 10**9 else (collections.Counter(), [])
            counts[SKIPPED] += 1
            return counts, wrong
        raise
    dump = subprocess.Popen(["adatrace", "dump", "--format=jsonl", "session"], cwd=directory, stdout=subprocess.PIPE, text=True)
    comparison, wrong, stack = Comparison(truth), [], []
    for line in dump.stdout:
        event = json.loads(line)
        isCall = event["kind"] == "call"
        name = event["name"]
        caller = re.match(r"c\d+_\d_\d+\b", name)
        function = re.search(r"\b(?:[A-Z]_)?(f\d+)\b", name)
        f = program.functions.get(function[1]) if function and not caller else None
        if f and f.kind == "lambda" and "operator()" not in name:
            f = None
        if isCall:
            stack.append(caller[0] if caller else stack[-1] if stack else "")
        else:
            stack.pop()
        if not f:
            continue
        shown = event.get("args") if isCall else {"return": event["return"]} if "return" in event else None
        expected = [v.expected for v in program.calls.get((stack[-1] if stack else "", f.name), [])] if isCall else []
        names = [f"p{i}" for i in range(len(expected))]
        if not isCall and f.returned and event["kind"] == "return":
            names, expected = ["return"], [f.returned.expected]
        about = f"{program.seedOf[f.name]} {name} {f.kind} {'[inlined] ' if event.get('inlined') else ''}"
        if shown is None:
            comparison.counts[UNKNOWN] += sum(map(comparison.leaves, expected))
            continue
        for at, (name, truth) in enumerate(zip(names, expected)):
            type_ = f.types[at] if isCall else f.result
            if name not in shown:
                wrong.append(f"{about}: no {name}: {shown}")
            elif not comparison.holds(shown[name], truth):
                bits = [hex(n) for n in comparison.bits.get(truth[-1], ())] if truth[0] in ("s", "bits") else ""
                wrong.append(f"{about}: {name} of type {type_} is {truth} {bits}, shown {json.dumps(shown[name])}")
            elif shown[name] is None and os.environ.get("ADA_SHOW_UNKNOWN"):
                print(f"{about}: {name} of type {type_} unknown")
    if dump.wait() or not comparison.counts:
        wrong.append("nothing was compared")
    return comparison.counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--cxx", required=True, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1, help="seeds of a program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--modes", default="", help="separated by commas, or all; two that the seed chooses, with a compiler, unless given")
    arguments = parser.parse_args()
    arguments.cxx = [os.path.abspath(shutil.which(cxx) or parser.error(f"there is no compiler {cxx}")) for cxx in arguments.cxx]
    os.environ["PATH"] = os.path.dirname(arguments.cxx[0]) + os.pathsep + os.environ["PATH"]
    rng = random.Random(arguments.seed)
    if arguments.modes:
        modes = list(MODES) if arguments.modes == "all" else arguments.modes.split(",")
        tasks = [(cxx, mode) for cxx in arguments.cxx for mode in modes if fits(cxx, mode)]
    else:
        cxx = rng.choice(arguments.cxx)
        tasks = [(cxx, mode) for mode in rng.sample([mode for mode in MODES if fits(cxx, mode)], 2)]
    last = arguments.seed + arguments.seeds
    batches = [range(at, min(at + arguments.batch, last)) for at in range(arguments.seed, last, arguments.batch)]
    failed = False
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        results = {task: [] for task in tasks}
        for batch in batches:
            for task in tasks:
                cxx, mode = task
                directory = os.path.join(arguments.dir, f"{os.path.basename(cxx)}{mode}-{batch[0]}")
                results[task].append(pool.submit(run, batch, cxx, mode, directory))
        for (cxx, mode), parts in results.items():
            counts, wrong = collections.Counter(), []
            for part in parts:
                try:
                    more, bad = part.result()
                except subprocess.CalledProcessError as error:
                    more, bad = {}, [f"{error.cmd[0]} failed: {error.returncode}"]
                counts.update(more)
                wrong += bad
            skipped = counts.pop(SKIPPED, 0)
            if not counts and not wrong:
                wrong.append("nothing was compared")
            print("".join(f"seed {w}\n" for w in wrong[:40]), end="")
            total = sum(counts.values())
            print(f"{os.path.basename(cxx)} {mode}, seeds {arguments.seed} to {last - 1}: {total} values, {len(wrong)} wrong, "
                  f"{100 * counts[UNKNOWN] / max(1, total):.2f} % unknown"
                  + (f", {skipped} programs skipped that fail without hooks" if skipped else ""), flush=True)
            failed |= bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
