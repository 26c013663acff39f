#!/usr/bin/env python3
"""Checks the links of all pages. Usage: links.py [ROOT]

Every relative link of a .md file leads to a file or folder that exists, and to a heading that it has. Every page that
any text file mentions by its path (docs/…/name.md) exists, and so does every source file that a page names (`lib/…/x.h`;
the changes are history), and it has each function that the page names in it (`lib/…/x.cpp:Class::function`, and those
that follow it: `Class::other`). Every promise in the tables of tests names a test that exists; names without a folder are in
that of the name before. SECURITY.md lists the fuzz targets. Every page of docs/ is linked from docs/README.md. Figures
are those of the code (test/figures.py).
"""
import os
import pathlib
import re
import sys

import figures

FOLDERS = "bench cmake docs examples include lib pass python runtime shared test tools .ci .devcontainer .github".split()
SOURCES = {".h", ".c", ".cpp", ".inc", ".S", ".py", ".md", ".txt", ".cmake", ".test", ".js", ".sh", ".in", ".yml", ".yaml", ""}
INDEX = "docs/README.md"
HISTORY = "CHANGELOG.md"
NAMED = r"`((?:bench|cmake|include|lib|pass|runtime|shared|test|tools)/[\w./-]+\.(?:h|c|cpp|inc|S|py|test|cmake|js|mjs|sh))`"


# A file with a function of it, and functions of the same file that follow.
HOP = re.compile(NAMED.removesuffix("`") + r":((?:\w+::)*~?\w+)`((?:, `(?:\w+::)*~?\w+`)*)")


# Pages whose tables have a promise and its tests in each row, if their last column is "test"; BY_HAND is what else may keep one.
PROMISES = ("docs/developers/promises.md", "docs/reference/builds.md", "docs/reference/reliability.md")
TEST = r"`([\w./-]+\.(?:test|c|cpp|ll|rs|py))`"
BY_HAND = ("by hand", "tools/dev ", "none")


def files(root):
    """The project's text files, by their path in it."""
    for path in [p for p in root.iterdir()] + [p for folder in FOLDERS for p in (root / folder).rglob("*")]:
        if path.is_file() and path.suffix in SOURCES and "__pycache__" not in path.parts:
            try:
                yield path.relative_to(root).as_posix(), path.read_text()
            except UnicodeDecodeError:
                pass


def withoutCode(page):
    page = re.sub(r"^( *)```.*?^\1```", "", page, flags=re.S | re.M)
    return re.sub(r"^    .*", "", page, flags=re.M)


def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    seen = {}
    for heading in re.findall(r"^#+ (.*)", withoutCode(page), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        yield f"{name}-{seen[name]}" if seen[name] else name


def links(page):
    text = re.sub(r"`[^`\n]*`", "", withoutCode(page))
    for link in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"", text):
        target = link[0] or link[1]
        if not re.match(r"\w+:", target):
            yield target


def unfuzzed(page, targets):
    """Differences between the readers of SECURITY.md and the fuzz targets."""
    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|.*`lib/.*\|(.*)\|$", page, re.M))))
    built = set(re.search(r"ADA_FUZZ_TARGETS (.*)\)", targets)[1].split())
    return [f"fuzz target {name} is in one of SECURITY.md and test/fuzz/targets.cmake" for name in listed ^ built]


def untested(root, page):
    """Rows of tables that name no test, and tests that do not exist."""
    for row in "".join(re.findall(r"^\|.*\| test \|\n\|[-|: ]+\|\n((?:\|.*\|\n)+)", page, re.M)).splitlines():
        cell, folder = row.rstrip("|").rsplit("|", 1)[1], ""
        names = re.findall(TEST, cell)
        if not names and not any(word in cell for word in BY_HAND):
            yield f"no test for {row}"
        for name in names:
            places = [place for place in (name, f"{folder}/{name}", f"{os.path.dirname(folder)}/{name}") if (root / place).is_file()]
            if not places:
                yield f"no test {name}"
            folder = os.path.dirname(places[0]) if places else folder


def has(code, function):
    """Whether a source file defines or declares something of that name, in the class of that name."""
    *classes, name = function.split("::")
    of = classes[-1] if classes else None
    if of and not re.search(rf"\b{of}::{name}\b|\b(?:class|struct)\s+(?:\w+\s+)*{of}\b", code):
        return False
    return re.search(rf"\b(?:class|struct|enum)\s+(?:\w+\s+)*{name}\b|\b{name}::|^{name}:|^\w*HOOK {name}\b"
                     rf"|[\w>*&\]](?<!\breturn)\s+[*&]*(?:\w+::)*{name}\(", code, re.M)


def absent(root, page):
    """Functions that the page names with their file, and the file has not."""
    for name, first, more in HOP.findall(page):
        path = root / name
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.S) if path.is_file() else ""
        for function in [first, *re.findall(r"[\w:~]+", more)]:
            if not has(code, function):
                yield f"{name} has no {function}" if code else f"{name} does not exist"


def check(root):
    texts = dict(files(root))
    names = {name: set(anchors(text)) for name, text in texts.items() if name.endswith(".md")}
    problems, linked = [], set()
    for page in names:
        for target in links(texts[page]):
            path, _, anchor = target.partition("#")
            name = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if page == INDEX:
                linked.add(name)
            if not (root / name).exists():
                problems.append(f"{page}: no file for the link {target}")
            elif anchor and name in names and anchor not in names[name]:
                problems.append(f"{page}: no heading for the link {target}")
    for name, text in texts.items():
        for mentioned in re.findall(r"(?<![\w/.-])docs/[\w/-]+\.md\b", text):
            if not (root / mentioned).exists():
                problems.append(f"{name}: mentions {mentioned}, which does not exist")
    for page in names.keys() - {HISTORY}:
        problems += [f"{page}: names {name}, which does not exist" for name in re.findall(NAMED, texts[page])
                     if not (root / name).exists()]
        problems += [f"{page}: {problem}" for problem in absent(root, texts[page])]
    problems += [f"{page}: {problem}" for page in PROMISES for problem in untested(root, texts[page])]
    problems += figures.problems(root)
    problems += unfuzzed(texts["SECURITY.md"], texts["test/fuzz/targets.cmake"])
    problems += [f"{INDEX}: no link to {page}" for page in names
                 if page.startswith("docs/") and page not in linked | {INDEX}]
    if not any(os.path.normpath(target) == INDEX for target in links(texts["README.md"])):
        problems.append(f"README.md: no link to {INDEX}")
    return problems, len(names)


def selfCheck():
    page = "# A `b`, c\n## A\n## A\n```\n# no\n```\n[x](a.md#b) [y](http://z) `[n](o)`\n    [n](o)\n<img src=\"p.png\">\n"
    if list(anchors(page)) != ["a-b-c", "a", "a-1"] or list(links(page)) != ["a.md#b", "p.png"]:
        return [f"links.py reads a page wrongly: {list(anchors(page))}, {list(links(page))}"]
    return []


if __name__ == "__main__":
    found, pages = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve())
    found += selfCheck()
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{pages} pages: {len(found)} problems with links")
    sys.exit(1 if found else 0)
