"""Runs the commands of docs/reference/commands.md and compares their output with the page.

Usage: docs_commands.py PAGE [--write], in a directory that holds the session of the page. Commands are the lines of
```console blocks that begin with "$ "; `# status N` after one is its exit status. --write inserts the true output.
"""
import re
import subprocess
import sys

page = sys.argv[1]
text = open(page, encoding="utf-8").read()
ran = 0


def run(block):
    global ran
    lines = []
    for line in block.group(1).splitlines():
        if not line.startswith("$ "):
            continue
        ran += 1
        command, _, status = line[2:].partition("  # status ")
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != int(status or 0):
            sys.exit(f"{line}\nended with status {done.returncode}\n{done.stdout}")
        lines += [line, *(l.rstrip() for l in done.stdout.splitlines())]
    return "```console\n" + "\n".join(lines) + "\n```\n"


seen = re.sub(r"```console\n(.*?)```\n", run, text, flags=re.S)
if "--write" in sys.argv:
    open(page, "w", encoding="utf-8").write(seen)
elif seen != text:
    import difflib
    sys.exit("".join(difflib.unified_diff(text.splitlines(True), seen.splitlines(True), page, "what the commands print")))
print(f"{ran} commands of the page ran")
