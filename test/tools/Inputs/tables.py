#!/usr/bin/env python3
"""Checks that the tables of commands are the same in every format, and fit terminals. Usage: tables.py SESSION...

Each command that prints rows runs with every format: each can be parsed, has the same number of rows and no row of
another length. Columns can be chosen. Text on a terminal has no line that is wider than the terminal.
"""
import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

COMMANDS = ["report", "report --by=thread", "report --by=module", "report --args", "report --slowest=20", "report --counters",
            "waits", "graph", "graph --by=thread", "graph --callers=*", "graph --callees=*", "coroutines",
            "coroutines --each", "tree", "stacks", "last", "diff --all {0}", "diff --by=path --all {0}", "diff --flow {1}"]
TREES = ("graph", "tree", "coroutines", "last", "stacks", "diff --flow")  # their lines may be longer than a terminal is wide
checks = 0


def fail(command, what):
    sys.exit(f"adatrace {command}: {what}")


def run(command, *more):
    global checks
    checks += 1
    done = subprocess.run(["adatrace", *command.split(), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        fail(command + " " + " ".join(more), f"status {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def onTerminal(command, width):
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    program = subprocess.Popen(["adatrace", *command.split(), "--color=never"], stdout=side, stderr=subprocess.DEVNULL)
    os.close(side)
    text = b""
    while True:
        try:
            some = os.read(main, 1 << 16)
        except OSError:  # the terminal has no other side any more
            break
        if not some:
            break
        text += some
    program.wait()
    os.close(main)
    return text.decode().replace("\r\n", "\n")


def widthOf(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def markdownRows(text):
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("|")]
    return rows[:1] + rows[2:]


def checkFormats(command):
    rows = json.loads(run(command, "--format=json"))
    lines = [json.loads(line) for line in run(command, "--format=jsonl").splitlines()]
    table = list(csv.reader(io.StringIO(run(command, "--format=csv"))))
    pretty = markdownRows(run(command, "--format=markdown"))
    run(command, "--format=text")
    if rows != lines:
        fail(command, "json and jsonl differ")
    if len(table) != len(rows) + 1:
        fail(command, f"{len(rows)} rows as JSON, {len(table)} lines as CSV")
    if any(len(row) != len(table[0]) for row in table) or len(set(table[0])) != len(table[0]):
        fail(command, f"CSV has rows of different lengths, or a heading twice: {table[0]}")
    if any(len(row) != len(pretty[0]) for row in pretty):
        fail(command, "Markdown has rows of different lengths")
    if rows:
        # CSV has the keys of JSON, and the same numbers.
        for number, key in enumerate(table[0]):
            if key in rows[0] and isinstance(rows[0][key], int) and not isinstance(rows[0][key], bool):
                if table[1][number] != str(rows[0][key]):
                    fail(command, f"{key} is {table[1][number]} in CSV and {rows[0][key]} in JSON")
        keys = list(rows[0])[-2:][::-1]
        for row in json.loads(run(command, "--format=json", "--columns=" + ",".join(keys))):
            if not set(row) <= set(keys):
                fail(command, f"--columns={keys} gives {row}")
        chosen = list(csv.reader(io.StringIO(run(command, "--format=csv", "--columns=" + ",".join(keys)))))
        if chosen[0] != keys:
            fail(command, f"--columns={keys} gives {chosen[0]}")


for session in sys.argv[1:]:
    for template in COMMANDS:
        command = template.format(session, session) + " " + session
        checkFormats(command)
        if not template.startswith(TREES):
            for width in (60, 80, 100, 200):
                checks += 1
                for line in onTerminal(command, width).splitlines():
                    if not line.startswith(("no ", "there ", "1 run ", "One run ", "deadlock", "  ", "...")) and widthOf(line) > width:
                        fail(command, f"{widthOf(line)} columns on a terminal of {width}: {line}")
    # Numbers end below their headings, whatever the names are.
    lines = run("report --columns=function,calls,self " + session).splitlines()
    if len({widthOf(line) for line in lines}) != 1:
        fail("report", "cells are not below their headings: " + "\n".join(lines))
print(f"{checks} checks")
