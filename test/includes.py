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

import layering
from style import withoutText

# Where headers are, and which sources may include them.
FOLDERS = {"include": ".", "shared": ".", "lib": "lib|tools|python|test", "tools": "tools|test", "runtime": "runtime|test/(?:unit|model)",
           "pass": "pass|test", "python": "python", "test": "test"}
DECLARED = re.compile(r"^(?:\[\[\w+\]\] |template <[^\n]*> )*[A-Za-z_][\w:<>,&* ]*[ &*>](\w+)\([^;{]*?\)(?: const)?(?: noexcept)?\s*[;{]", re.M)
CALLED = re.compile(r"(?<![\w.>:~])(?!__attribute__)(\w+)\(")


def declares(code, name):
    """Whether the code may declare the name, as a function, member, variable or parameter."""
    return re.search(rf"[\w>&*~\]] *[&*(]*\b{name}\)?\s*[({{=;,:)]|#[ \t]*define {name}\b|\busing [\w:]+::{name}\b", code)


def problemsIn(root, paths):
    """A sentence for each function that one of these files calls without its declaration; they are under `root`."""
    texts = {path: path.read_text() for path in paths}
    code = {path: withoutText(text) + "".join(re.findall(r"#[ \t]*define[^\n]*", text)) for path, text in texts.items()}
    named = lambda path: path.relative_to(root).as_posix()
    declaring = collections.defaultdict(set)
    for path in paths:
        if path.suffix == ".h":
            for function in DECLARED.findall(code[path]):
                declaring[function].add(path)
    for path in (p for p in paths if p.suffix == ".cpp"):
        seen = {path} | set(layering.reached(root, path, {}))
        for function in sorted(set(CALLED.findall(code[path]))):
            headers = {h for h in declaring.get(function, ()) if re.match(FOLDERS[named(h).split("/")[0]], named(path))}
            if headers and not headers & seen and not any(declares(code[f], function) for f in seen if f in code):
                yield f"{named(path)} calls {function}(), and does not include {' or '.join(sorted(map(named, headers)))}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in (".h", ".cpp"))
    problems = list(problemsIn(root, paths))
    print(*problems, f"{len(paths)} files, {len(problems)} calls of functions that are not declared", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
