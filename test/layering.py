#!/usr/bin/env python3
"""The content of each folder, and what it may include. Usage: layering.py [--write] [ROOT]

The rules below are checked against every #include, and the table in docs/explanation/design.md is made from them: the check fails
if the page differs, --write updates it. The first rule whose folder contains a file applies.
"""
import pathlib
import re
import sys
from typing import NamedTuple


FORMATS = ["include/ada/trace/" + name for name in
           "atf_detail.h atf_format.h atf_index.h convert.h dial9 dial9.h manifest.h recover.h session.h "
           "thread_reader.h wtf wtf.h".split()]


class Rule(NamedTuple):
    folder: str
    holds: str  # for the table
    may: list  # project folders; `dir/*` is dir without its sub-folders; a single file may be named, too
    outside: set  # kinds of headers from elsewhere, see KINDS
    but: list = []  # folders and files among `may` that must not be reached, not even through other headers


KINDS = {
    "c": "`<stddef.h>`, `<stdint.h>`",
    "freestanding": "headers that need no libstdc++",
    "std": "the C++ standard library",
    "system": "libc and the kernel",
    "llvm": "LLVM",
    "any": "third-party libraries",
}
RULES = [
    Rule("include/ada/trace", "the public C++ API of the trace library", ["include/ada"], {"c", "std"}),
    Rule("include/ada", "the public C API for traced programs, and `abi.h` (bytes that all parts agree on)", ["include/ada/*"], {"c"}),
    Rule("pass", "the LLVM pass plugin, one per LLVM",
         ["pass", "lib/shared", "include/ada/*"], {"c", "std", "system", "llvm"}),
    Rule("runtime/arch/*", "trampolines, clock and registers of one CPU, under the same names for each",
         ["runtime/arch/<own>", "runtime/arch/*", "runtime/core", "include/ada/*"], {"c", "freestanding", "system"}),
    Rule("runtime", "the runtime that is linked into traced programs",
         ["runtime", "lib/shared", "include/ada/*", "include/ada/trace/atf_format.h"],
         {"c", "freestanding", "system"}),
    Rule("lib/shared", "what plugin, runtime, library and tool share, without memory allocation or libc: the ring file, "
         "ring records to events, globs, `options.inc` (every run-time option), encoding",
         ["lib/shared", "include/ada/*", "include/ada/trace/atf_format.h"],
         {"c", "freestanding"}),
    Rule("lib/base", "what knows nothing of traces: file bytes, errors, UTF-8, numbers, JSON, text for terminals",
         ["lib/base", "lib/shared/text", "include/ada"], {"c", "std", "system", "any"}, FORMATS),
    Rule("lib/model", "what a trace means, whatever its format: names, types, values, calls",
         ["lib/model", "lib/base", "lib/shared", "include/ada"], {"c", "std", "system", "any"}, FORMATS),
    Rule("lib/formats", "one folder per trace format: reader, writer, source, sink; of formats that are only written, a sink",
         ["lib/formats", "lib/analysis", "lib/model", "lib/base", "lib/shared", "include/ada"], {"c", "std", "system", "any"}),
    Rule("lib/analysis", "what commands compute of a trace of any format: call trees, reports, filters",
         ["lib/analysis", "lib/model", "lib/base", "lib/shared", "include/ada"], {"c", "std", "system", "any"},
         ["include/ada/trace/dial9", "include/ada/trace/wtf", "include/ada/trace/dial9.h", "include/ada/trace/wtf.h"]),
    Rule("lib/view", "pictures of any part of a trace, whatever its size: its index, and samples while there is none",
         ["lib/view", "lib/analysis", "lib/model", "lib/base", "lib/shared", "include/ada"], {"c", "std", "system", "any"},
         ["include/ada/trace/dial9", "include/ada/trace/wtf", "include/ada/trace/dial9.h", "include/ada/trace/wtf.h"]),
    Rule("lib/convert", "joins formats: opens a file of any format, copies a source to a sink",
         ["lib", "include/ada"], {"c", "std", "system", "any"}),
    Rule("lib/recover", "from the ring file of a killed program to a complete session",
         ["lib", "include/ada"], {"c", "std", "system", "any"}),
    Rule("lib", "", ["lib", "include/ada"], {"c", "std", "system", "any"}),
    Rule("tools/adatrace", "the command line: one file per command, options and output",
         ["tools/adatrace", "lib", "include/ada"], {"c", "std", "system", "any"},
         ["lib/formats/atf", "lib/formats/dial9", "lib/formats/wtf", "lib/shared/ring"]),
    Rule("bench", "the measurements that README.md shows",
         ["bench", "include/ada", "lib", "runtime"], {"c", "std", "system", "any"}),
    Rule("examples", "small programs to trace", ["examples", "include/ada"], {"c", "std", "system"}),
]
# Folders without rules, for the table.
OTHERS = [
    ("tools/dev", "set-up, build, demo, test, bench in one script"),
    ("tools/wrappers", "`ada-clang`: clang with plugin and runtime"),
    ("cmake", "LLVM discovery, toolchain file, package configuration"),
    ("test", "lit, FileCheck and GoogleTest, and the checks of this page"),
]
BEGIN, END = "<!-- from test/layering.py -->\n", "<!-- end -->\n"
FREESTANDING = set("atomic bit compare concepts cstddef cstdint cstdarg cstring initializer_list limits new type_traits "
                   "utility version".split())
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


THIRD_PARTY = {"curl.h", "zstd.h", "zlib.h", "isa-l.h", "simdjson.h", "httplib.h"}


def kindsOf(header):
    top = header.split("/")[0]
    if header in ("stddef.h", "stdint.h"):
        return {"c"}
    if top in ("llvm", "llvm-c", "clang"):
        return {"llvm"}
    if header in FREESTANDING:
        return {"freestanding", "std"}
    if "." not in header and top == header:
        return {"std"}
    if header in THIRD_PARTY or (top != header and top not in ("sys", "linux", "asm", "bits")):
        return {"any"}
    return {"system"}


def allowed(folder, source, pattern):
    if pattern == "runtime/arch/<own>":
        return folder == "/".join(source.split("/")[:3])
    if pattern.endswith("/*"):
        return folder == pattern[:-2]
    return folder == pattern or folder.startswith(pattern + "/")


def ruleFor(path):
    for rule in RULES:
        prefix = rule.folder.removesuffix("/*") + "/"
        if path.startswith(prefix) and (not rule.folder.endswith("/*") or path.count("/") > prefix.count("/")):
            return rule
    return None


def headersOf(root, path, text):
    """Each `#include` as (match, file of the project or None)."""
    roots = [path.parent, root, root / "include", root / "lib", root / "tools/adatrace", root / "runtime",
             root / "runtime/os/linux", *sorted(root.glob("runtime/arch/*"))]
    for match in INCLUDE.finditer(text):
        yield match, next(((r / match[2]).resolve() for r in roots if (r / match[2]).is_file()), None)


def reached(root, path, seen):
    """Adds to `seen` all project files that a file includes, directly or not, each with the file that includes it."""
    for _, target in headersOf(root, path, path.read_text()):
        if target and target not in seen:
            seen[target] = path
            reached(root, target, seen)
    return seen


def check(root):
    problems, files = [], 0
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        rule = ruleFor(name) if path.suffix in (".h", ".c", ".cpp", ".S", ".inc") else None
        if not rule:
            continue
        files += 1
        text = path.read_text()
        named = lambda file: file.relative_to(root).as_posix()
        among = lambda file, patterns: any(allowed(file.parent.relative_to(root).as_posix(), name, p) or named(file) == p
                                           for p in patterns)
        for match, target in headersOf(root, path, text):
            header = match[2]
            where = f"{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
            if target:
                if not among(target, rule.may) or among(target, rule.but):
                    problems.append(f"{where}: may not include from {named(target.parent)}/ ({header})")
                elif rule.but:
                    problems += [f"{where}: {header} leads to {named(file)}, which {named(by)} includes"
                                 for file, by in reached(root, target, {}).items() if among(file, rule.but)]
            elif match[1] == '"' and kindsOf(header) != {"llvm"}:
                problems.append(f"{where}: no such file in the project: {header}")
            elif not kindsOf(header) & rule.outside:
                problems.append(f"{where}: may not include <{header}>, which is {'/'.join(sorted(kindsOf(header)))}")
    return problems, files


def table():
    def code(folder):
        if folder == "include/ada/*":
            return "`include/ada/*.h`"
        return f"`{folder.removesuffix('/*').replace('/<own>', '/<isa>')}/`" if "." not in folder else f"`{folder}`"

    lines = ["| folder | holds | may include | and from outside |", "|---|---|---|---|"]
    for rule in RULES:
        if not rule.holds:
            continue
        name = code(rule.folder.replace("arch/*", "arch/<isa>"))
        may = ", ".join(dict.fromkeys(code(p) for p in rule.may if p != rule.folder.removesuffix("/*")))
        outside = ", ".join(KINDS[k] for k in KINDS if k in rule.outside and not (k == "c" and len(rule.outside) > 1))
        but = f", but not {', '.join(code(p) for p in rule.but)}" if rule.but else ""
        but = ", but no header of a format" if rule.but is FORMATS else but
        lines.append(f"| {name} | {rule.holds} | {may or 'itself'}{but} | {outside} |")
    lines += [f"| {code(folder) if folder != 'tools/dev' else '`tools/dev`'} | {holds} | | |" for folder, holds in OTHERS]
    return "\n".join(lines) + "\n"


def checkTable(root, write):
    page = root / "docs/explanation/design.md"
    text = page.read_text()
    if text.count(BEGIN) != 1:
        return [f"docs/explanation/design.md: the line {BEGIN.strip()} is missing"]
    before, after = text.split(BEGIN)
    fresh = before + BEGIN + table() + END + after.split(END, 1)[1]
    if write:
        page.write_text(fresh)
    elif fresh != text:
        return ["docs/explanation/design.md: the table of folders differs from the rules; run test/layering.py --write"]
    return []


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    problems, files = check(root)
    problems += checkTable(root, "--write" in sys.argv)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{files} files, {len(problems)} problems with the layering")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
