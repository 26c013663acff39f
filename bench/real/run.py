#!/usr/bin/env python3
"""What tracing costs real programs. Usage: run.py --build BUILD --output DIR [--runs N] [--only NAME]. Called by `tools/dev bench`.

Each program of PROGRAMS is fetched as source, built plain and with hooks by the same clang at -O2, and run in all MODES in turn, so
that a change of the machine's speed meets all of them. Shown are the processor time of the program's threads (the drain's and the
ticker's included) and the time that passed, each as the least of N runs and as a multiple of the plain program's; the events, bytes
per event and losses of a recorded run; and how much longer .text is. A program that prints something else when it is traced is an
error. Sources are kept in DIR; they need npm and its registry, apt-get and a Debian mirror.
"""
import argparse
import glob
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

repository = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(repository / "bench"))
from recorded import recorded

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree with the plugin and the runtime")
parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for sources, programs and real.json")
parser.add_argument("--runs", type=int, default=5, help="runs of each program in each mode (default 5)")
parser.add_argument("--only", help="leave out the programs that do not have this in their name")
args = parser.parse_args()
output = args.output.resolve()
clean = {k: v for k, v in os.environ.items() if not k.startswith("ADA_")}


def call(command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=clean, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench/real: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


#===--- Sources ------------------------------------------------------------===#


def fromNpm(package, path):
    """A file or folder of an npm package."""
    folder = output / "sources" / package
    if not (folder / "package" / path).exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = call(["npm", "pack", "--silent", package], folder).split()[-1]
        call(["tar", "xzf", archive, f"package/{path}"], folder)
    return folder / "package" / path


def fromDebian(package):
    """The unpacked source of a Debian package. The system's own lists and settings stay as they are."""
    folder = output / "sources" / package
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        lists = folder / "apt"
        for name in ("lists/partial", "cache/archives/partial", "parts"):
            (lists / name).mkdir(parents=True)
        for path in glob.glob("/etc/apt/sources.list.d/debian.sources"):
            text = open(path).read().replace("Types: deb\n", "Types: deb-src\n")
            (lists / "parts" / "source.sources").write_text(text)
        options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={lists}/parts",
                   "-o", f"Dir::State::lists={lists}/lists", "-o", f"Dir::Cache={lists}/cache"]
        call(["apt-get", *options, "update"])
        call(["apt-get", *options, "source", "--download-only", package], folder)
        archive, = folder.glob("*.orig.tar.*[!c]")
        call(["tar", "xf", archive, "--one-top-level=source", "--strip-components=1"], folder)
        (folder / "done").touch()
    return folder / "source"


def sqlite():
    source = fromNpm("better-sqlite3@11.10.0", "deps/sqlite3")
    return ["-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_LOAD_EXTENSION", f"-I{source}", source / "sqlite3.c",
            repository / "test/real/sqlite_work.c", "-lpthread", "-lm"]


def bzip2():
    source = fromDebian("bzip2")
    names = "blocksort huffman crctable randtable compress decompress bzlib bzip2"
    return ["-D_FILE_OFFSET_BITS=64", *(source / f"{name}.c" for name in names.split())]


def zlib():
    source = fromDebian("zlib")
    return ["-DHAVE_UNISTD_H", f"-I{source}", *sorted(source.glob("*.c")), source / "test/minigzip.c"]


def zstd():
    source = fromDebian("libzstd")
    names = "zstdcli zstdcli_trace util timefn fileio fileio_asyncio datagen dibio benchfn benchzstd"
    return ["-DZSTD_DISABLE_ASM", "-DZSTD_MULTITHREAD", f"-I{source}/lib", f"-I{source}/lib/common",
            *(path for part in ("common", "compress", "decompress", "dictBuilder")
              for path in sorted((source / "lib" / part).glob("*.c"))),
            *(source / "programs" / f"{name}.c" for name in names.split()), "-lpthread"]


# name: the compiler's arguments, and the words behind the program's name; DATA is 4 MB of C source
PROGRAMS = {
    "sqlite": (sqlite, ["10000"]),
    "bzip2": (bzip2, ["-c", "DATA"]),
    "zlib": (zlib, ["-9", "-c", "DATA"]),
    "zstd": (zstd, ["-q", "-12", "-T1", "-c", "DATA"]),
}

# name: whether with hooks, and ADA_OPTIONS
MODES = {
    "plain": (False, None),
    "off": (True, "enabled=0"),
    "exact, ATF 2": (True, "clock=counter:format=2"),
    "tick, ATF 2": (True, "clock=tick:format=2"),
    "exact, packed": (True, "clock=counter:format=packed"),
    "tick, packed": (True, "clock=tick:format=packed"),
}

#===--- Build and run ------------------------------------------------------===#


def compiler():
    """ada-clang of the newest LLVM that there is, and its clang."""
    traced = max(args.build.resolve().glob("bin/ada-clang-[0-9]*"), key=lambda path: int(path.name.split("-")[-1]))
    return "clang-" + traced.name.split("-")[-1], traced


def textBytes(program):
    for line in call(["size", "-A", program]).splitlines():
        if line.startswith(".text "):
            return int(line.split()[1])
    sys.exit(f"bench/real: {program} has no .text")


def run(program, words, options, session):
    environment = dict(clean)
    if options is not None:
        environment["ADA_OPTIONS"] = f"session={session}:{options}"
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([program, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    spent, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"bench/real: {program} with {options} ended with {done.returncode}")
    return spent, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(name):
    prepare, words = PROGRAMS[name]
    sources = prepare()
    data = output / "data"
    if not data.exists():
        text = (fromNpm("better-sqlite3@11.10.0", "deps/sqlite3") / "sqlite3.c").read_bytes()
        data.write_bytes(text[:4 << 20])
    words = [str(data) if word == "DATA" else word for word in words]
    plain, traced = compiler()
    programs, result = {}, {"modes": {}}
    for hooks, command in ((False, plain), (True, traced)):
        programs[hooks] = output / f"{name}-{'traced' if hooks else 'plain'}"
        began = time.monotonic()
        call([command, "-O2", "-w", *sources, "-o", programs[hooks]])
        result["compile, traced" if hooks else "compile, plain"] = time.monotonic() - began
    result["text"] = textBytes(programs[True]) / textBytes(programs[False])
    session, wanted = output / "session", None
    for _ in range(args.runs):
        for mode, (hooks, options) in MODES.items():
            shutil.rmtree(session, ignore_errors=True)
            spent, processor, printed = run(programs[hooks], words, options, session)
            wanted = printed if wanted is None else wanted
            if printed != wanted:
                sys.exit(f"bench/real: {name} prints something else with {mode}")
            figures = result["modes"].setdefault(mode, {"seconds": [], "processor": []})
            figures["seconds"].append(spent)
            figures["processor"].append(processor)
            if session.exists():
                figures["events"], figures["lost"] = recorded(session)
                figures["bytes"] = sum(path.stat().st_size for path in session.rglob("index.at*"))
    shutil.rmtree(session, ignore_errors=True)
    return result


output.mkdir(parents=True, exist_ok=True)
results = {}
print(f"{'real programs':10} {'.text':>6} {'mode':14} {'seconds':>8} {'x plain':>8} {'processor':>10} {'x plain':>8} {'events':>12} "
      f"{'bytes/event':>12} {'lost':>6}")
for name in PROGRAMS:
    if args.only and args.only not in name:
        continue
    result = results[name] = measure(name)
    base = result["modes"]["plain"]
    for mode, figures in result["modes"].items():
        spent, processor = min(figures["seconds"]), min(figures["processor"])
        events = figures.get("events", 0)
        perEvent = "%.2f" % (figures["bytes"] / events) if events else ""
        print(f"{name:13} {result['text'] - 1:+6.1%} {mode:14} {spent:8.2f} {spent / min(base['seconds']):8.2f} {processor:10.2f} "
              f"{processor / min(base['processor']):8.2f} {events or '':>12} "
              f"{perEvent:>12} {figures.get('lost', ''):>6}", flush=True)
(output / "real.json").write_text(json.dumps(results, indent=1) + "\n")
