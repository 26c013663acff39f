#!/usr/bin/env python3
"""Runs clang-tidy 19 on lib, tools, runtime and pass, as .clang-tidy says. Usage: tidy.py BUILD [FILE...]

BUILD is a folder for the commands that it makes with CMake. Without FILE it looks at everything. The files of a folder are
compiled together (cmake/AdaUnity.cmake), which takes a fifth of the time that they take one by one.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def configure(build):
    """Makes the commands, and returns the sources to look at: the plugin for one LLVM, whose headers clang 19 reads."""
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_C_COMPILER=clang-19",
                    "-DCMAKE_CXX_COMPILER=clang++-19", "-DADA_LLVM_VERSIONS=19", "-DADA_QUICK=ON", "-DADA_BUILD_TESTS=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    files = [entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())]
    return [f for f in files if f.endswith((".cpp", ".cxx")) and os.path.exists(f) and not isOnlyMade(f, build)]


def isOnlyMade(file, build):
    """Whether a unity source has nothing but files that the build would have to make first."""
    included = re.findall(r'#include "(.*)"', pathlib.Path(file).read_text()) if "/Unity/" in file else []
    return bool(included) and all(i.startswith(str(build)) for i in included)


def findings(build, file):
    run = subprocess.run(["clang-tidy-19", "-p", build, "--quiet", file], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    heads = [line.replace(f"{ROOT}/", "") for line in lines if re.search(r": (error|warning): .*\[[\w.,-]+\]$", line)]
    if run.returncode and not heads:
        heads = [f"{file}: clang-tidy failed: {run.stderr[-1000:]}"]
    return heads


def main():
    if not shutil.which("clang-tidy-19"):
        sys.exit("tidy.py: clang-tidy 19 is missing (Debian: apt-get install clang-tidy-19, or tools/dev setup)")
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    files = configure(build)
    files = [str(pathlib.Path(f).resolve()) for f in sys.argv[2:]] or files
    found = {}
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for heads in pool.map(lambda file: findings(build, file), files):
            fresh = [head for head in heads if head not in found]
            found |= dict.fromkeys(fresh)
            print(*fresh, sep="\n", end="\n" if fresh else "", flush=True)
    print(f"{len(files)} sources, {len(found)} findings of clang-tidy")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
