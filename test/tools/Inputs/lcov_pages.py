"""Makes pages of FILE.info with genhtml, and prints what they say of each function. Usage: lcov_pages.py FILE.info"""
import html
import pathlib
import re
import subprocess
import sys

NAMES = ["fib(int)", "main", "unused()"]
info = pathlib.Path(sys.argv[1])
# genhtml wants the source files; they have 30 lines each.
text = info.read_text()
for name in set(re.findall(r"^SF:(.*)$", text, re.M)):
    pathlib.Path(name).write_text("// a line\n" * 30)


def pages(to, *inputs):
    done = subprocess.run(["genhtml", "--demangle-cpp", "--function-coverage", "-o", to, *inputs], text=True, check=True,
                          capture_output=True)
    found = [re.search(r"functions\.*: .*functions\)", done.stdout)[0]]
    for page in sorted(pathlib.Path(to).rglob("*lcov_a.cpp.func.html")):
        shown = html.unescape(re.sub("<[^>]*>", " ", page.read_text()))
        found += [f"{name} {count}" for name in NAMES for count in re.findall(re.escape(name) + r"\s+(\d+)", shown)]
    return found


once, twice = pages("once", info), pages("twice", info, info)
print(*once, sep="\n")
print("twice:", next(line for line in twice if line.startswith("fib")))
