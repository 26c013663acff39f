"""Runs the commands of docs/reference/commands/ and compares their output with the pages.

Usage: docs_commands.py [--write] PAGE..., in a directory that holds the sessions of the pages. Commands are the lines of
```console blocks that begin with "$ "; `# status N` after one is its exit status. --write inserts the true output.
"""
import difflib
import re
import subprocess
import sys

from adatest import attempt

ran = 0


def run(block):
    global ran
    lines = []
    for line in block.group(1).splitlines():
        if not line.startswith("$ "):
            continue
        ran += 1
        command, _, status = line[2:].partition("  # status ")
        done = attempt("bash", "-c", command, stdin=subprocess.DEVNULL, merged=True)
        if done.returncode != int(status or 0):
            sys.exit(f"{line}\nended with status {done.returncode}\n{done.stdout}")
        lines += [line, *(l.rstrip() for l in done.stdout.splitlines())]
    return "```console\n" + "\n".join(lines) + "\n```\n"


different = ""
for page in [argument for argument in sys.argv[1:] if argument != "--write"]:
    text = open(page, encoding="utf-8").read()
    seen = re.sub(r"```console\n(.*?)```\n", run, text, flags=re.S)
    if "--write" in sys.argv:
        open(page, "w", encoding="utf-8").write(seen)
    else:
        different += "".join(difflib.unified_diff(text.splitlines(True), seen.splitlines(True), page, "what the commands print"))
print(different or f"{ran} commands of the pages ran")
sys.exit(1 if different else 0)
