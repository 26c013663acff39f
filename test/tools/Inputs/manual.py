"""Checks the manual in DIR/share, and `adatrace help`."""
import fcntl
import glob
import os
import pty
import re
import struct
import subprocess
import sys
import termios

from adatest import attempt, run

top = sys.argv[1]


def onTerminal(columns, *command, path=None):
    """What the command prints on a terminal of that width, in lines."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower,
                               env={**os.environ, "PATH": path or os.environ["PATH"], "MANPAGER": "cat", "TERM": "dumb"})
    os.close(follower)
    text = b""
    try:
        while part := os.read(leader, 65536):
            text += part
    except OSError: # the end
        pass
    os.close(leader)
    if process.wait() != 0:
        sys.exit(f"{command}: {process.returncode}: {text}")
    return text.decode("utf-8").replace("\r", "").splitlines()


def words(text):
    return " ".join(re.sub("[`\u2010\u2212]", lambda c: "" if c[0] == "`" else "-", text).split())


pages = glob.glob(top + "/share/man/man*/*")
for page in pages:
    said = attempt("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page,
                   env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
    if said.returncode or said.stderr:
        sys.exit(f"{page}: {said.stderr}")
print(len(pages), "pages without a warning")

commands = [page.split("adatrace-")[1][:-2] for page in pages if page.endswith(".1") and "/adatrace-" in page]
for command in commands:
    help = run("adatrace", command, "--help")
    shown = words(run("man", "-E", "UTF-8", "-l", f"{top}/share/man/man1/adatrace-{command}.1",
                      env={**os.environ, "MANWIDTH": "300", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}))
    # An item: a term that is indented by two columns, and what it means.
    for item in re.findall(r"^  (\S.*(?:\n   .*)*)", help.split("\nExample")[0], re.M):
        if words(item) not in shown:
            sys.exit(f"the page of {command} does not have: {words(item)}\n{shown}")
print(len(commands), "commands: the page says what --help says")

for columns in (60, 100, 200):
    for command in commands + [None]:
        lines = onTerminal(columns, "adatrace", *([command] if command else []), "--help")
        # Only a word may be wider.
        wide = [line for line in lines if len(line) > min(columns, 100) and (columns > 60 or len(line.split()) > 1)]
        if wide or columns > 100 and max(map(len, lines)) < 75 and len(lines) > 20:
            sys.exit(f"{command} on {columns} columns: {wide}")
for command in commands + [None]:
    wide = [line for line in run("adatrace", *([command] if command else []), "--help").splitlines() if len(line) > 100]
    if wide:
        sys.exit(f"{command}: {wide}")
print("widths kept: 60 100 200")

os.mkdir(top + "/bin")
fake = top + "/bin/man"
for script, isUsed in (('#!/bin/sh\necho "man $*"\nexec cat\n', True), ("#!/bin/sh\nexit 3\n", False)):
    with open(fake, "w") as file:
        file.write(script)
    os.chmod(fake, 0o755)
    lines = onTerminal(100, "adatrace", "help", "report", path=top + "/bin:" + os.environ["PATH"])
    page = open(top + "/share/man/man1/adatrace-report.1").read().splitlines()
    if lines != ["man -l -", *page] if isUsed else lines[0] != "NAME":
        sys.exit(f"{script}: {lines[:3]}")
print("shown with man, and as text without it")
