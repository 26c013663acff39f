#!/usr/bin/env python3
"""Runs clang-tidy 19 on lib, tools, runtime and pass, as .clang-tidy says. Usage: tidy.py BUILD [FILE...]

BUILD is a folder for the commands that it makes with CMake. Without FILE it looks at everything. The files of a folder are
compiled together (cmake/AdaUnity.cmake), which takes a fifth of the time that they take one by one. A source without
findings is looked at again when it, a header of the project, its command or .clang-tidy has changed.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIG = ROOT / ".clang-tidy"
# What must be found, in a header and in a source: else no finding would mean nothing.
WRONG = {"lib/wrong.h": ("struct wrong_name {};\n", "readability-identifier-naming"),
         "wrong.cpp": ('#include "lib/wrong.h"\nint f(double d) { return (int)d; }\n', "clang-diagnostic-old-style-cast")}


def configure(build):
    """Makes the commands, and returns them by source: the plugin for one LLVM, whose headers clang 19 reads."""
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_C_COMPILER=clang-19",
                    "-DCMAKE_CXX_COMPILER=clang++-19", "-DADA_LLVM_VERSIONS=19", "-DADA_QUICK=ON", "-DADA_PRECOMPILED=OFF", "-DADA_BUILD_TESTS=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    return {file: entry for file, entry in entries.items()
            if file.endswith((".cpp", ".cxx")) and os.path.exists(file) and not isOnlyMade(file, build)}


def isOnlyMade(file, build):
    """Whether a unity source has nothing but files that the build would have to make first."""
    included = re.findall(r'#include "(.*)"', pathlib.Path(file).read_text()) if "/Unity/" in file else []
    return bool(included) and all(i.startswith(str(build)) for i in included)


def digest(entry):
    """A number for all that a source's findings depend on, but for the system's headers."""
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if "clang++" in word):]
    at = words.index("-o")
    made = subprocess.run([*words[:at], *words[at + 2:], "-MM", "-MG"], cwd=entry["directory"], capture_output=True, text=True)
    files = made.stdout.replace("\\\n", " ").split()[1:]
    total = hashlib.sha256(entry["command"].encode() + CONFIG.read_bytes())
    for file in files:
        path = pathlib.Path(entry["directory"], file)
        total.update(path.read_bytes() if path.is_file() else file.encode())
    return total.hexdigest() if made.returncode == 0 and files else ""


def findings(file, *how):
    run = subprocess.run(["clang-tidy-19", f"--config-file={CONFIG}", "--quiet", file, *how], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    heads = [line.replace(f"{ROOT}/", "") for line in lines if re.search(r"(?:^|: )(?:error|warning): .*\[[\w.,-]+\]$", line)]
    if run.returncode and not heads:
        heads = [f"{file}: clang-tidy failed: {run.stderr[-1000:]}"]
    return heads


def selfCheck(build):
    folder = build / "self-check"
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    for name, (text, _) in WRONG.items():
        (folder / name).write_text(text)
    found = "\n".join(findings(str(folder / "wrong.cpp"), "--", "-std=c++20", "-Wold-style-cast"))
    return [f"tidy.py: it does not find {check} in {name}" for name, (_, check) in WRONG.items() if f"[{check}" not in found]


def main():
    if not shutil.which("clang-tidy-19"):
        sys.exit("tidy.py: clang-tidy 19 is missing (Debian: apt-get install clang-tidy-19, or tools/dev setup)")
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    entries = configure(build)
    files = [str(pathlib.Path(f).resolve()) for f in sys.argv[2:]] or list(entries)
    found = dict.fromkeys(selfCheck(build))
    print(*found, sep="\n", end="\n" if found else "")
    memory = build / "clean.json"
    clean, lock = json.loads(memory.read_text()) if memory.is_file() else {}, threading.Lock()

    def look(file):
        now = digest(entries[file]) if file in entries else ""
        if now and clean.get(file) == now:
            return []
        heads = findings(file, "-p", str(build))
        with lock:
            clean[file] = "" if heads else now
            memory.write_text(json.dumps(clean, indent=1))
        return heads

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for heads in pool.map(look, files):
            fresh = [head for head in heads if head not in found]
            found |= dict.fromkeys(fresh)
            print(*fresh, sep="\n", end="\n" if fresh else "", flush=True)
    print(f"{len(files)} sources, {len(found)} findings of clang-tidy")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
