"""Copies every dial9 stream and wtf-trace below a folder with `adatrace convert` and compares the contents.

Usage: copy_vectors.py FOLDER SHARE, in an empty directory. One file in SHARE is copied, different ones each time.
A file that can't be read must give an error and no copy; for a cut file, everything before the cut must be in the copy.
"""
import json
import pathlib
import random
import subprocess
import sys


def run(*command):
    return subprocess.run(["adatrace", *map(str, command)], capture_output=True)


def contents(path):
    """The lines of a dump without parts that depend on the place in the file or the dialect."""
    lines = []
    for line in run("dump", "--format=jsonl", path).stdout.splitlines():
        entry = json.loads(line)
        if entry.get("kind") == "header":
            continue
        entry.pop("offset", None)
        if "args" in entry:  # wtf-trace version 3 has one form for no text and empty text
            entry["args"] = {name: None if value == "" else value for name, value in entry["args"].items()}
        lines.append(entry)
    return lines


def copy(path, name, *options):
    """The copy's path, or None if there is correctly no copy."""
    done = run("convert", "-q", "--force", path, name, *options)
    if done.returncode == 3:
        assert not pathlib.Path(name).exists(), f"{path}: failed, but left {name}"
        assert done.stderr, path
        return None
    assert done.returncode in (0, 1), f"{path}: status {done.returncode}: {done.stderr}"
    return name


def check(path, name, *options):
    made = copy(path, name, *options)
    if made is None:
        return False
    assert contents(path) == contents(made), f"{path}: {made} holds something else"
    pathlib.Path(made).rename("first")
    assert copy("first", name, *options) == name
    assert pathlib.Path("first").read_bytes() == pathlib.Path(name).read_bytes(), f"{path}: a copy of the copy differs"
    pathlib.Path(name).unlink()
    return True


folder, share = pathlib.Path(sys.argv[1]), int(sys.argv[2])
first = random.randrange(share)
streams = sum(check(path, "copy.trc") for path in sorted(folder.rglob("*.trc"))[first::share])
print(f"{streams} dial9 streams copied")
traces = 0
for path in sorted(folder.rglob("*.wtf-trace"))[first::share]:
    good = all([check(path, "copy", f"--to={dialect}") for dialect in ("wtf", "wtf-le", "cff")])
    traces += good
print(f"{traces} wtf-trace files copied through 3 dialects")
