#!/usr/bin/env python3
"""Whole programs in other languages, built by GCC without and with hooks, side by side.

    languages.py --build BUILD --output DIR [--only NAME] [--source NAME=FOLDER]

Each run of a program must print the same and end with the same status, whether it is traced or not; `adatrace verify` finds nothing
in the session; and the report has the functions that the program is known to call, by their names in the source. With --counts,
LAPACK's calls are compared with gcov's, too (test/real/gcov_counts.py). Sources are Debian's, kept in DIR; --source names an unpacked one.
It takes a quarter of an hour, and is run by hand. gfortran-12, gnat-12, gdc-12, gobjc-12, libgnustep-base-dev,
libcurl4-openssl-dev, libbz2-dev, libwavpack-dev and libicu-dev must be installed.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import typing

repository = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(repository / "bench"))
from sources import call, clean, fromDebian

LAPACK_TESTS = [("LIN/xlintstd", "dtest.in")] + [("EIG/xeigtstd", f"{name}.in") for name in
                                                 ("nep", "svd", "dec", "ded", "dsb", "gqr", "dbal")]


class Program(typing.NamedTuple):
    package: str       # Debian's source package
    build: list        # commands of the shell, in a copy of the source; {gcc} and so on are the compilers
    prepare: str       # a command of the shell that makes input, in that folder
    runs: list         # commands of the shell
    differs: str       # what differs between any two runs, a regular expression
    functions: dict    # the report of the last run has these functions, which this many calls left by an exception


PROGRAMS = {
    "Fortran: LAPACK's tests": Program(
        "lapack",
        ["sed 's|^FC = .*|FC = {gfortran}|' make.inc.example > make.inc", "make -C INSTALL lsame.o slamch.o dlamch.o second_INT_ETIME.o dsecnd_INT_ETIME.o",
         *(f"make -C {folder} double" for folder in ("BLAS/SRC", "SRC", "TESTING/MATGEN", "TESTING/LIN", "TESTING/EIG"))],
        "true",
        [f"TESTING/{program} < TESTING/{data}" for program, data in LAPACK_TESTS],
        r" *[0-9.]+ *seconds",
        {"dgebal": 0, "dchkbl": 0, "dchkee": 0}),
    "Ada: Ahven's own tests": Program(
        "ahven",
        ["mkdir -p build && cd build && {gnatmake} -q -O2 -I../src -I../src/unix -I../test ../test/tester.adb"],
        "true",
        ["build/tester"],
        r"[0-9]+\.[0-9]+s",
        {"ahven.framework.add_test_routine": 0, "ahven.assert": 2, "ahven.fail": 19, "dummy_tests.this_test_raises_error": 18,
         "dummy_tests.this_test_takes_12_seconds": 2}),
    "D: dub": Program(
        "dub",
        ["{gdc} -O1 -g -Isource -Jsource $(cat build-files.txt) -fversion=DubUseCurl -fversion=DubApplication -lcurl -o dub"],
        "true",
        [f"HOME=$PWD/home ./dub {words}" for words in (
            "--help", "list", "build --root=/nonexistent", "describe --skip-registry=all --compiler=gdc-12 --root=test/1-exec-simple",
            "convert --format=sdl --stdout --root=test/5-convert")],
        "$^",
        {"D main": 0, "dub.recipe.sdl.parseSDL(..)": 0, "dub.internal.sdlang.parser.DOMParser.parseRoot()": 0}),
    "Objective-C: unar": Program(
        "unar",
        ["make -j2 -C XADMaster -f Makefile.linux OBJCC={gcc} CC={gcc} CXX={g++} lsar unar"],
        "tar cf a.tar XADMaster/XAD*.h && gzip -nk a.tar && bzip2 -k a.tar && head -c 20000 a.tar.gz > cut.tgz",
        [f"XADMaster/{words}" for words in ("lsar a.tar.gz", "lsar -l a.tar.bz2", "unar -f -q -o unpacked a.tar.bz2 && rm -r unpacked", "unar -t cut.tgz", "lsar cut.tgz")],
        "$^",
        {"-[XADHandle _raiseEOF]": 1}),
}


def run(command, folder, environment):
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def built(program, source, folder, compilers):
    """A copy of SOURCE, built by COMPILERS."""
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder, symlinks=True)
        for command in program.build:
            status, out, err = run(command.format(**compilers), folder, clean)
            if status:
                sys.exit(f"{command}: status {status}\n{(out + err)[-2000:]}")
        if run(program.prepare, folder, clean)[0]:
            sys.exit(f"{program.prepare}: failed")
        (folder / "done").touch()
    return folder


def isAsExpected(program, report):
    """Whether the report has the functions that the program is known to call."""
    isGood = True
    for name, exceptions in program.functions.items():
        found = [row["exceptions"] for row in report if row["function"] == name]
        if not found or sum(found) != exceptions:
            print(f"  {name}: " + (f"{sum(found)} calls are left by an exception, not {exceptions}" if found else "not in the report"))
            isGood = False
    return isGood


def compare(name, program, source, output, adatrace, compilers):
    """Builds and runs a program in both ways. Returns whether all is well."""
    folders = {kind: built(program, source, output / f"{program.package}-{kind}", compilers[kind]) for kind in ("plain", "traced")}
    isGood, calls, exceptions, functions, report = True, 0, 0, set(), []
    for command in program.runs:
        session = output / "session"
        shutil.rmtree(session, ignore_errors=True)
        environment = {**clean, "ADA_OPTIONS": f"session={session}:format=packed"}
        results = {kind: run(command, folder, environment) for kind, folder in folders.items()}
        plain, traced = ((status, *(re.sub(program.differs, "", text).replace(str(folders[kind]), "") for text in texts))
                         for kind, (status, *texts) in results.items())
        if plain != traced:
            print(f"  {command}: status {plain[0]} and {traced[0]}, and the output differs")
            isGood = False
        call([adatrace, "verify", "-q", session])
        report = json.loads(call([adatrace, "report", "--format=json", session]))
        calls += sum(row["calls"] for row in report)
        exceptions += sum(row["exceptions"] for row in report)
        functions |= {row["function"] for row in report}
    isGood &= isAsExpected(program, report)
    print(f"{name}: {len(program.runs)} runs with {calls} calls of {len(functions)} functions, {exceptions} left by an exception" +
          ("" if isGood else ": FAILED"), flush=True)
    return isGood


def lapackCounts(folder, adaGfortran):
    """Whether one test's calls are those that gcov counts. Where programs have a file of the same name as a library, theirs counts."""
    unlinked = "sgetrf sgetrs spotrf spotrs dsgesv dsposv slag2d ilaenv2stage iparmq".split() # need others, or are in a program's file
    sources = {}
    for part in ("INSTALL", "BLAS/SRC", "SRC", "TESTING/MATGEN", "TESTING/EIG"):
        for path in (folder / part).glob("*.o"):
            sources[path.stem], = (path.with_suffix(end) for end in (".f", ".F", ".f90", ".F90") if path.with_suffix(end).exists())
    order = sorted((path for stem, path in sources.items() if stem not in unlinked), key=lambda path: (path.stem not in ("la_constants", "la_xisnan"), path.stem)) # modules first
    return subprocess.run([sys.executable, repository / "test/real/gcov_counts.py", "--dir", folder / "counts", "--compiler", adaGfortran,
                           "--flags=-frecursive", "--stdin", folder / "TESTING/nep.in", *order], env=clean, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree with plugin and runtime")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="leave out the programs that do not have this in their name")
    parser.add_argument("--source", action="append", default=[], help="PACKAGE=FOLDER: the source of a package, already unpacked")
    parser.add_argument("--counts", action="store_true", help="compare LAPACK's calls with gcov's")
    arguments = parser.parse_args()
    output = arguments.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    given = dict(text.split("=", 1) for text in arguments.source)
    bin = arguments.build.resolve() / "bin"
    names = ("gcc", "g++", "gfortran", "gdc", "gnatmake")
    compilers = {"plain": {name: f"{name}-12" for name in names}, "traced": {name: str(bin / f"ada-{name}-12") for name in names}}
    isGood = True
    for name, program in PROGRAMS.items():
        if arguments.only and arguments.only not in name:
            continue
        source = pathlib.Path(given[program.package]).resolve() if program.package in given else fromDebian(output, program.package)
        isGood &= compare(name, program, source, output, bin / "adatrace", compilers)
        if arguments.counts and program.package == "lapack":
            isGood &= lapackCounts(output / "lapack-traced", bin / "ada-gfortran-12")
    sys.exit(not isGood)


if __name__ == "__main__":
    main()
