#!/usr/bin/env python3
"""What tracing costs real programs. Usage: run.py --build BUILD --output DIR [--runs N] [--only NAME]. Called by `tools/dev bench`.

Each program of PROGRAMS is fetched as source, built in all ways by the same clang at -O2, with --gcc by GCC as well, and run in all
MODES in turn, so that a change of the machine's speed meets all of them. Shown are the processor time of the program's threads (the
drain's and the ticker's included) and the time that passed, each as the least of N runs and as a multiple of the plain program's that
the same compiler built, and the median of that multiple; the events, bytes per event and losses of a recorded run; and how much longer
.text is. On a machine that does other work, take many runs with --short, and the processor time. A program that prints something else, or fails, when AdaTrace traces it
is an error; with another tracer that is said, and its figures are left out. Sources are kept in DIR; they need npm and its
registry, apt-get and a Debian mirror.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import typing

repository = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(repository / "bench"))
from built import newestWrapper
from recorded import recorded
from sources import call, clean, fromDebian, fromNpm
from timed import timed

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree with the plugin and the runtime")
parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for sources, programs and real.json")
parser.add_argument("--runs", type=int, default=5, help="runs of each program in each mode (default 5)")
parser.add_argument("--gcc", action="store_true", help="also build by GCC")
parser.add_argument("--short", action="store_true", help="programs run for about a tenth of a second")
parser.add_argument("--modes", help="leave out the modes that do not match this regular expression")
parser.add_argument("--only", help="leave out the programs that do not have this in their name")
args = parser.parse_args()
output = args.output.resolve()
sources = output / "sources"

#===--- Sources ------------------------------------------------------------===#


def sqlite():
    source = fromNpm(sources, "better-sqlite3@11.10.0", "deps/sqlite3")
    return ["-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_LOAD_EXTENSION", f"-I{source}", source / "sqlite3.c",
            repository / "test/real/sqlite_work.c", "-lpthread", "-lm"]


def bzip2():
    source = fromDebian(sources, "bzip2")
    names = "blocksort huffman crctable randtable compress decompress bzlib bzip2"
    return ["-D_FILE_OFFSET_BITS=64", *(source / f"{name}.c" for name in names.split())]


def zlib():
    source = fromDebian(sources, "zlib")
    return ["-DHAVE_UNISTD_H", f"-I{source}", *sorted(source.glob("*.c")), source / "test/minigzip.c"]


def lua():
    source = fromDebian(sources, "lua5.4") / "src"
    return ["-DLUA_USE_POSIX", *(path for path in sorted(source.glob("*.c")) if path.name != "luac.c"), "-lm"]


def json_cpp():
    return ["-std=c++17", repository / "bench/real/json_work.cpp"]


def zstd():
    source = fromDebian(sources, "libzstd")
    names = "zstdcli zstdcli_trace util timefn fileio fileio_asyncio datagen dibio benchfn benchzstd"
    return ["-DZSTD_DISABLE_ASM", "-DZSTD_MULTITHREAD", f"-I{source}/lib", f"-I{source}/lib/common",
            *(path for part in ("common", "compress", "decompress", "dictBuilder")
              for path in sorted((source / "lib" / part).glob("*.c"))),
            *(source / "programs" / f"{name}.c" for name in names.split()), "-lpthread"]


class CMakeTarget(typing.NamedTuple):
    """A program that its own CMake project builds."""
    source: pathlib.Path
    name: str
    definitions: list


def adatrace():
    return CMakeTarget(repository, "adatrace", ["-DADA_BUILD_PASS=OFF", "-DADA_BUILD_RUNTIME=OFF", "-DADA_BUILD_TESTS=OFF"])


# name: the compiler's arguments, or a CMakeTarget, the words after the program's name, and those with --short. DATA is 4 MB of C source,
# TRACE a session of bzip2 packing it.
PROGRAMS = {
    "sqlite": (sqlite, ["60000"], ["20000"]),
    "lua": (lua, [str(repository / "bench/real/work.lua"), "5"], [str(repository / "bench/real/work.lua"), "1"]),
    "json, C++": (json_cpp, [], []),
    "bzip2": (bzip2, ["-c", "DATA"], ["-c", "DATA"]),
    "zlib": (zlib, ["-9", "-c", "DATA"], ["-6", "-c", "DATA"]),
    "zstd": (zstd, ["-q", "-12", "-T1", "-c", "DATA"], ["-q", "-5", "-T1", "-c", "DATA"]),
    "adatrace, C++": (adatrace, ["report", "--keep=never", "--format=json", "TRACE"], []),
}

XRAY = {"XRAY_OPTIONS": "patch_premain=true xray_mode=xray-fdr verbosity=0 xray_logfile_base=SESSION/xray-",
        "XRAY_FDR_OPTIONS": "func_duration_threshold_us=0"}  # otherwise it drops shorter calls

# name: the build, the environment, and words before the program's name; SESSION is a new folder's name
MODES = {
    "plain": ("plain", {}, []),
    "off": ("traced", {"ADA_OPTIONS": "session=SESSION:enabled=0"}, []),
    "exact, ATF 2": ("traced", {"ADA_OPTIONS": "session=SESSION:clock=counter:format=2"}, []),
    "tick, ATF 2": ("traced", {"ADA_OPTIONS": "session=SESSION:clock=tick:format=2"}, []),
    "exact, packed": ("traced", {"ADA_OPTIONS": "session=SESSION:clock=counter:format=packed"}, []),
    "tick, packed": ("traced", {"ADA_OPTIONS": "session=SESSION:clock=tick:format=packed"}, []),
    "exact, packed, library calls": ("calls", {"ADA_OPTIONS": "session=SESSION:clock=counter:format=packed"}, []), # --ada-calls=default
    "empty hook": ("hooks", {}, []),
    "XRay FDR": ("xray", XRAY, []),
}
if shutil.which("uftrace"):
    UFTRACE = [shutil.which("uftrace"), "record", "--no-pager", "--no-libcall", "-d", "SESSION"]
    MODES["uftrace"] = ("uftrace", {}, UFTRACE)
    MODES["uftrace, -finstrument-functions"] = ("instrumented", {}, UFTRACE)
else:
    print("uftrace is not installed and is left out")
if args.gcc:
    MODES |= {f"gcc: {mode}": (f"gcc-{kind}", environment, before) for mode, (kind, environment, before) in MODES.items() if kind != "xray"}
if args.modes:
    MODES = {mode: of for mode, of in MODES.items() if re.search(args.modes, mode) or mode.endswith("plain")}
TRACED = {kind for kind, environment, _ in MODES.values() if "ADA_OPTIONS" in environment}


def plainOf(mode):
    """The mode in which the same compiler's program runs without a tracer."""
    return "gcc: plain" if mode.startswith("gcc: ") else "plain"


#===--- Build and run ------------------------------------------------------===#


def compiler():
    """ada-clang of the newest LLVM that is built, and its clang."""
    traced = newestWrapper(args.build)
    return "clang-" + traced.name.split("-")[-1], traced


def textBytes(program):
    for line in call(["size", "-A", program]).splitlines():
        if line.startswith(".text "):
            return int(line.split()[1])
    sys.exit(f"bench/real: {program} has no .text")


class Ended(Exception):
    """A program, or its tracer, did not end as it should."""


def run(program, words, environment, before, session):
    def named(text):
        return text.replace("SESSION", str(session))

    environment = clean | {name: named(value) for name, value in environment.items()}
    command = [named(word) for word in before] + [str(program), *words]
    done, passed, used = timed(lambda: subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
    if done.returncode:
        raise Ended(f"{' '.join(command)} ended with {done.returncode}")
    return passed, used, done.stdout


def buildTarget(target, compiler, flags, program):
    """Builds TARGET as PROGRAM. Returns whether that succeeds."""
    cxx = str(compiler)
    folder = program.with_name(program.name + ".build")
    configure = ["cmake", "-G", "Ninja", "-S", target.source, "-B", folder, "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_COMPILER={cxx}",
                 f"-DCMAKE_C_COMPILER={cxx.replace('clang++', 'clang')}", f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_C_FLAGS={flags}",
                 *target.definitions]
    for step in (configure, ["cmake", "--build", folder, "--target", target.name]):
        if subprocess.run([str(word) for word in step], env=clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return False
    shutil.copy(folder / "bin" / target.name, program)
    return True


def build(name, arguments):
    """Builds the program in each way that is measured. Returns its path, the build time and the length of its .text, and which
    other tracers' builds failed."""
    plain, traced = compiler()
    isCpp = "C++" in name
    cxx = lambda command: str(command).replace("clang", "clang++") if isCpp else command
    gcc, adaGcc = ("g++-12", traced.with_name("ada-g++-12")) if isCpp else ("gcc-12", traced.with_name("ada-gcc-12"))
    hooks = output / "hooks.o"
    (output / "hooks.c").write_text("void __cyg_profile_func_enter(void *f, void *c) {}\nvoid __cyg_profile_func_exit(void *f, void *c) {}\n")
    call([plain, "-O2", "-c", output / "hooks.c", "-o", hooks])
    commands = {}
    for prefix, off, on in (("", cxx(plain), traced.with_name(str(cxx(traced.name)))), ("gcc-", gcc, adaGcc)):
        commands |= {
            prefix + "plain": [off],
            prefix + "traced": [on],
            prefix + "calls": [on, "--ada-calls=default"],
            prefix + "hooks": [off, "-finstrument-functions", hooks],
            prefix + "xray": [off, "-fxray-instrument", "-fxray-instruction-threshold=1"],
            prefix + "uftrace": [off, "-pg"],
            prefix + "instrumented": [off, "-finstrument-functions"],
        }
    used = {kind for kind, _, _ in MODES.values()}
    commands = {kind: command for kind, command in commands.items() if kind in used | {"plain", "traced"}}
    built, failed = {}, {}
    for kind, command in commands.items():
        program = output / f"{name.split(',')[0]}-{kind}"
        began = time.monotonic()
        if isinstance(arguments, CMakeTarget):
            if kind not in ("plain", "traced"):
                failed[kind] = "left out: each build takes minutes"
                continue
            if not buildTarget(arguments, command[0], "-O2 -w", program):
                sys.exit(f"bench/real: {name} cannot be built as {kind}")
        else:
            command = [*command, "-O2", "-w", *arguments, "-o", program]
            if kind in TRACED or kind.endswith("plain"):
                call(command)
            elif tried := subprocess.run([str(word) for word in command], env=clean, capture_output=True, text=True).returncode:
                failed[kind] = f"cannot be built: {' '.join(map(str, command[:3]))} … ended with {tried}"
                continue
        built[kind] = {"program": program, "compile": time.monotonic() - began, "text": textBytes(program)}
    return built, failed


def folderBytes(session):
    return sum(path.stat().st_size for path in session.rglob("*") if path.is_file())


def measure(name):
    prepare, words, short = PROGRAMS[name]
    words = short if args.short else words
    data = output / "data"
    if not data.exists():
        text = (fromNpm(sources, "better-sqlite3@11.10.0", "deps/sqlite3") / "sqlite3.c").read_bytes()
        data.write_bytes(text[:4 << 20])
    trace = output / "trace"
    if "TRACE" in words and not trace.exists():
        packer, _ = build("bzip2", PROGRAMS["bzip2"][0]())
        run(packer["traced"]["program"], ["-c", str(data)], {"ADA_OPTIONS": f"session={trace}:format=packed"}, [], trace)
    words = [{"DATA": str(data), "TRACE": str(trace)}.get(word, word) for word in words]
    built, unbuilt = build(name, prepare())
    result = {"modes": {}, "compile": {kind: b["compile"] for kind, b in built.items()},
              "text": {kind: b["text"] / built["gcc-plain" if kind.startswith("gcc-") else "plain"]["text"] for kind, b in built.items()}}
    session, wanted = output / "session", None
    failed = {mode: unbuilt[kind] for mode, (kind, _, _) in MODES.items() if kind in unbuilt}
    for _ in range(args.runs):
        for mode, (kind, environment, before) in MODES.items():
            if mode in failed:
                continue
            shutil.rmtree(session, ignore_errors=True)
            isOurs = "ADA_OPTIONS" in environment
            if environment and not isOurs:
                session.mkdir()
            try:
                spent, processor, printed = run(built[kind]["program"], words, environment, before, session)
                wanted = printed if wanted is None else wanted
                if printed != wanted:
                    raise Ended(f"{name} prints something else with {mode}")
            except Ended as ended:
                if isOurs or mode == plainOf(mode):
                    sys.exit(f"bench/real: {ended}")
                failed[mode] = str(ended)
                result["modes"].pop(mode, None)
                continue
            figures = result["modes"].setdefault(mode, {"seconds": [], "processor": []})
            figures["seconds"].append(spent)
            figures["processor"].append(processor)
            if not session.exists():
                continue
            if isOurs:
                figures["events"], figures["lost"] = recorded(session)
                figures["bytes"] = sum(path.stat().st_size for path in session.rglob("*index.at*"))
            else:
                # XRay's flight recorder is flushed only by programs that know it.
                figures["bytes"] = folderBytes(session) or None
    shutil.rmtree(session, ignore_errors=True)
    return result, failed


output.mkdir(parents=True, exist_ok=True)
results = {}
tracers = [shutil.which("uftrace") and call(["uftrace", "--version"]).split(" (")[0].strip(), call([compiler()[0], "--version"]).splitlines()[0]]
print("Least of %d runs; %s. Load of the machine at the start: %.1f on %d processors." %
      (args.runs, ", ".join(filter(None, tracers)), os.getloadavg()[0], os.cpu_count()))
print(f"{'program':10} {'mode':37} {'.text':>7} {'seconds':>8} {'x plain':>8} {'processor':>10} {'x plain':>8} {'median':>8} {'events':>12} {'MB':>8} "
      f"{'bytes/event':>12} {'lost':>6}")
for name in PROGRAMS:
    if args.only and args.only not in name:
        continue
    result, failed = measure(name)
    results[name] = result
    for mode, figures in result["modes"].items():
        base = result["modes"][plainOf(mode)]
        spent, processor = min(figures["seconds"]), min(figures["processor"])
        median = statistics.median(figures["processor"]) / statistics.median(base["processor"])
        events, size = figures.get("events", 0), figures.get("bytes")
        perEvent = "%.2f" % (size / events) if events else ""
        print(f"{name:10} {mode:37} {result['text'][MODES[mode][0]] - 1:+7.1%} {spent:8.2f} {spent / min(base['seconds']):8.2f} {processor:10.2f} "
              f"{processor / min(base['processor']):8.2f} {median:8.2f} {events or '':>12} {'' if size is None else '%.1f' % (size / 1e6):>8} "
              f"{perEvent:>12} {figures.get('lost', ''):>6}", flush=True)
    for mode, why in failed.items():
        print(f"{name:10} {mode:37} {why}", flush=True)
(output / "real.json").write_text(json.dumps(results, indent=1) + "\n")
