#!/usr/bin/env python3
"""Runs the ```console blocks of a Markdown file and compares their output with the file.

Usage: run_readme.py [--update] FILE.md ROOT      run in an empty directory

Lines that start with `$ ` are commands for bash (a `\\` at the end continues one), the lines below are their output,
standard error included. Values that differ from run to run (times, rates, sizes, ids, dates) are compared by shape
only; a line `...` stands for any number of lines. The warning that the recorder held up a thread is left out: whether it
appears depends on how busy the machine is. All blocks share the current directory, where ROOT's folders appear
as links. --update writes the actual output into the file, except where it has a `...`.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

update = "--update" in sys.argv
path, root = (pathlib.Path(arg).resolve() for arg in sys.argv[1:] if arg != "--update")
for name in ("examples", "docs", "include"):
    if not pathlib.Path(name).exists():
        os.symlink(root / name, name)

SHAPES = [
    (r"session_\d{8}_\d{6}(_\d+)?", "session_DATE"),
    (r"pid_\d+", "pid_N"),
    (r"\b(pid|tid|thread|process) \d+", r"\1 N"),
    (r"\b\d[\d,]*(\.\d+)? ?(ns|us|µs|ms|s|min)\b", "TIME"),
    (r"\b\d[\d,]*(\.\d+)? ?([kKMGT]i?)?B(ytes)?\b", "SIZE"),
    (r"\b\d[\d,]*(\.\d+)? ?([kMG]|thousand|million)?( events)?/s\b", "RATE"),
    (r"\b\d+(\.\d+)? ?%", "PERCENT"),
    (r"0x[0-9a-f]+", "ADDRESS"),
    (r"\b\d[\d,]* requests? of \d[\d,]* waited\b", "N requests of N waited"),
    (r"\b\d[\d,]* of \d[\d,]* calls\b", "N of N calls"),
    (r"\S*\.\.\.$", "..."),  # a name that was cut off
    (r"[-─]{3,}", "---"),
    (r"[ \t]+", " "),
]
HELD_UP = re.compile(r"adatrace: warning: .*: the recorder held up \d+ threads? for ")


def shape(line):
    for pattern, name in SHAPES:
        line = re.sub(pattern, name, line)
    return line.strip()


def matches(expected, seen):
    """Compares line by line; `...` matches any number of lines."""
    if not expected:
        return not seen
    if expected[0].strip() == "...":
        return any(matches(expected[1:], seen[i:]) for i in range(len(seen) + 1))
    return bool(seen) and shape(expected[0]) == shape(seen[0]) and matches(expected[1:], seen[1:])


def runBlock(lines):
    """Returns the block with its actual output, and how many of its commands did something else."""
    result, wrong, i = [], 0, 0
    while i < len(lines):
        command = [lines[i]]
        while command[-1].endswith("\\"):
            i += 1
            command.append(lines[i])
        i += 1
        expected = []
        while i < len(lines) and not lines[i].startswith("$ "):
            expected.append(lines[i])
            i += 1
        text = "\n".join(command).removeprefix("$ ")
        done = subprocess.run(["bash", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []
        seen = [line for line in seen if not HELD_UP.match(line)]
        while expected and not expected[-1]:
            expected.pop()
        if not matches(expected, seen):
            wrong += 1
            print(f"{path.name}: `{text}` (exit status {done.returncode}) printed something else:")
            print("\n".join(difflib.unified_diff(expected, seen, "in the file", "now", lineterm="", n=100)))
        result += command + (expected if "..." in expected else seen)
    return result, wrong


text = path.read_text().split("\n")
output, wrong, blocks, i = [], 0, 0, 0
while i < len(text):
    output.append(text[i])
    i += 1
    if output[-1].strip() == "```console":
        end = text.index("```", i)
        block, differences = runBlock(text[i:end])
        wrong, blocks, i = wrong + differences, blocks + 1, end
        output += block
if update:
    path.write_text("\n".join(output))
print(f"{path.name}: {blocks} blocks, {wrong} commands with other output")
sys.exit(1 if (wrong and not update) or not blocks else 0)
