#!/usr/bin/env python3
"""Builds a program with hooks and with gcov's counters in the same code, runs it, and compares the calls of each function.

    gcov_counts.py --dir DIR --compiler ada-gcc-12 [--flags='-DX -I…'] [--libraries='-lm'] [--run='script.lua'] SOURCE…

A function is known by its file and line, so all instances of a template count as one. System headers are left out.
The program is built without optimization, because gcov counts what was inlined as well. It runs in DIR. adatrace is
taken from beside the compiler.
The part `gcc` of the tests runs this on a program of this project; by hand it ran on SQLite, Lua, zstd and LAPACK's tests.
"""
import argparse
import collections
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys


def call(command, directory, **more):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: status {done.returncode}")
    return done.stdout


def counted(directory, gcov, objects):
    """The calls of each function by gcov's counters."""
    calls = collections.Counter()
    for path in objects:
        for line in call([gcov, "--json-format", "--stdout", path], directory).splitlines():
            for file in json.loads(line)["files"]:
                for function in file["functions"] if not file["file"].startswith("/usr/") else ():
                    calls[os.path.basename(file["file"]), function["start_line"]] += function["execution_count"]
    return calls


def recorded(directory, adatrace):
    """The calls of each function in the trace."""
    calls = collections.Counter()
    for row in json.loads(call([adatrace, "report", "--format=json", "session"], directory, stderr=subprocess.DEVNULL)):
        file, line = row["source"].rsplit(":", 1)
        if not file.startswith("/usr/") and not row["function"].startswith(("_sub_I_", "_sub_D_")): # gcov's own
            calls[os.path.basename(file), int(line)] += row["calls"]
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--flags", default="")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--run", default="", help="arguments of the program")
    parser.add_argument("--stdin", default=os.devnull, help="a file for the program's standard input")
    parser.add_argument("--without", action="append", default=[],
                        help="FILE:LINE of a function that gcov miscounts: one that begins with a label counts each goto to it")
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.dir, exist_ok=True)
    compiler = shutil.which(arguments.compiler)
    adatrace = os.path.join(os.path.dirname(compiler), "adatrace")
    gcov = "gcov-" + compiler.rsplit("-", 1)[1]
    flags = [compiler, "-O0", "--coverage", "-fprofile-update=atomic", "-w", *shlex.split(arguments.flags)]
    objects = []
    for number, source in enumerate(map(os.path.abspath, arguments.sources)):
        objects.append(f"{number}-{os.path.basename(source)}.o")
        call([*flags, "-c", source, "-o", objects[-1]], arguments.dir)
    call([*flags, *objects, "-o", "program", *shlex.split(arguments.libraries)], arguments.dir)
    for counters in glob.glob(os.path.join(arguments.dir, "*.gcda")):
        os.remove(counters)
    shutil.rmtree(os.path.join(arguments.dir, "session"), ignore_errors=True)
    environment = {**os.environ, "ADA_OPTIONS": "session=session:format=packed"}
    with open(arguments.stdin, encoding="utf-8") as stdin:
        call(["./program", *shlex.split(arguments.run)], arguments.dir, env=environment, stdin=stdin)
    call([adatrace, "verify", "-q", "session"], arguments.dir)
    expected, found = counted(arguments.dir, gcov, objects), recorded(arguments.dir, adatrace)
    for without in arguments.without:
        file, line = without.rsplit(":", 1)
        del expected[file, int(line)], found[file, int(line)]
    # gcov leaves out what the compiler has made: constructors and destructors without a text.
    found = collections.Counter({place: calls for place, calls in found.items() if place in expected})
    expected = +expected
    for place in sorted({*expected, *found}):
        if expected[place] != found[place]:
            print(f"{place[0]}:{place[1]}: {found[place]} calls recorded, {expected[place]} counted")
    if expected != found or not expected:
        sys.exit(1)
    print(f"{len(expected)} functions, {sum(expected.values())} calls: as gcov counts them")


if __name__ == "__main__":
    main()
