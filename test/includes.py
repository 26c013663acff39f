#!/usr/bin/env python3
"""Checks that each source includes what declares the functions that it calls. Usage: includes.py [ROOT]

The build compiles the files of a folder together (cmake/AdaUnity.cmake), where a file may call what only another one includes.
Alone it does not compile then: with -DADA_UNITY=OFF, which takes a quarter of an hour of processor time.

Here a function counts if headers declare it at the level of namespaces. A source that calls one must include such a header,
directly or through others, unless it declares the name itself, or a header does that it includes.
"""
import collections
import pathlib
import re
import sys

from style import withoutText

# Where headers are, and which sources may include them.
FOLDERS = {"include": ".", "shared": ".", "lib": "lib|tools|python|test", "tools": "tools|test", "runtime": "runtime|test/(?:unit|model)",
           "pass": "pass|test", "python": "python", "test": "test"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
DECLARED = re.compile(r"^(?:\[\[\w+\]\] |template <[^\n]*> )*[A-Za-z_][\w:<>,&* ]*[ &*>](\w+)\([^;{]*?\)(?: const)?(?: noexcept)?\s*[;{]", re.M)
CALLED = re.compile(r"(?<![\w.>:~])(?!__attribute__)(\w+)\(")


def declares(code, name):
    """Whether the code may declare the name, as a function, member, variable or parameter."""
    return re.search(rf"[\w>&*~\]] *[&*(]*\b{name}\)?\s*[({{=;,:)]|#[ \t]*define {name}\b|\busing [\w:]+::{name}\b", code)


def problemsIn(files):
    """What is wrong with these files, given as {name: text}."""
    code = {name: withoutText(text) for name, text in files.items()}
    ends = collections.defaultdict(list)
    for name in files:
        ends[name.rsplit("/", 1)[-1]].append(name)

    def included(name, text):
        for wanted in INCLUDE.findall(text):
            folder = name.rsplit("/", 1)[0]
            beside = f"{folder}/{wanted}"
            yield from [beside] if beside in files else [f for f in ends[wanted.rsplit("/", 1)[-1]] if f"/{f}".endswith(f"/{wanted}")]

    direct = {name: set(included(name, text)) for name, text in files.items()}
    declaring = collections.defaultdict(set)
    for name in files:
        if name.endswith(".h"):
            for function in DECLARED.findall(code[name]):
                declaring[function].add(name)
    for name in sorted(files):
        if not name.endswith(".cpp"):
            continue
        seen, left = {name}, [name]
        while left:
            more = direct[left.pop()] - seen
            seen |= more
            left += more
        for function in sorted(set(CALLED.findall(code[name]))):
            headers = {h for h in declaring.get(function, ()) if re.match(FOLDERS[h.split("/")[0]], name)}
            if headers and not headers & seen and not any(declares(code[f] + "".join(re.findall(r"#[ \t]*define[^\n]*", files[f])), function) for f in seen):
                yield f"{name} calls {function}(), and does not include {' or '.join(sorted(headers))}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    files = {str(path.relative_to(root)): path.read_text() for folder in FOLDERS for path in (root / folder).rglob("*")
             if path.suffix in (".h", ".cpp")}
    problems = list(problemsIn(files))
    print(*problems, f"{len(files)} files, {len(problems)} calls of functions that are not declared", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
