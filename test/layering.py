#!/usr/bin/env python3
"""The content of each folder, and what it may include. Usage: layering.py [--write] [ROOT]

The rules below are checked against every #include, and the table in docs/explanation/design.md is made from them: the check fails
if the page differs, --write updates it. The first rule whose folder contains a file applies.
"""
import functools
import pathlib
import re
import sys
import textwrap
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


class Part(NamedTuple):
    """A sub-folder of a folder that has a rule: what it may include of its neighbours there. The first that fits applies."""
    folder: str  # `dir/*`: each sub-folder of dir
    may: list  # folders beside it, as in Rule
    also: dict = {}  # headers of other folders, each with the reason: circles, mostly


KINDS = {
    "c": "`<stddef.h>`, `<stdint.h>`",
    "freestanding": "headers that need no libstdc++",
    "std": "the C++ standard library",
    "system": "libc and the kernel",
    "llvm": "LLVM",
    "gcc": "GCC's headers for plugins",
    "any": "third-party libraries",
}
RULES = [
    Rule("include/ada/trace", "the public C++ API of the trace library", ["include/ada"], {"c", "std"}),
    Rule("include/ada", "the public C API for traced programs, and `abi.h` (bytes that all parts agree on)", ["include/ada/*"], {"c"}),
    Rule("pass/common", "the part of the compiler plugins that depends on no compiler: options, globs",
         ["pass/common", "shared", "include/ada/*"], {"c", "std", "system"}),
    Rule("pass/llvm", "the LLVM pass plugin, one per LLVM",
         ["pass/llvm", "pass/common", "shared", "include/ada/*"], {"c", "std", "system", "llvm"}),
    Rule("pass/gcc", "the plugin for GCC, one per GCC",
         ["pass/gcc", "pass/common", "shared", "include/ada/*"], {"c", "std", "system", "gcc"}),
    Rule("runtime/arch/*", "trampolines, clock and registers of one CPU, under the same names for each",
         ["runtime/arch/<own>", "runtime/arch/*", "runtime/core", "include/ada/*"], {"c", "freestanding", "system"}),
    Rule("runtime", "the runtime that is linked into traced programs",
         ["runtime", "shared", "include/ada/*", "include/ada/trace/atf_format.h"],
         {"c", "freestanding", "system"}, ["shared/demangle"]),
    Rule("shared/demangle", "names in object files as their language has them", ["shared/demangle"], {"c", "std", "system", "any"}),
    Rule("shared", "what plugin, runtime, library and tool share, without memory allocation or libc: the ring file, "
         "ring records to events, globs, `options.inc` (every run-time option), encoding",
         ["shared", "include/ada/*", "include/ada/trace/atf_format.h"],
         {"c", "freestanding"}, ["shared/demangle"]),
    Rule("lib/trace/base", "what knows nothing of traces: file bytes, errors, UTF-8, numbers, JSON, text for terminals",
         ["lib/trace/base", "shared/fnv.h", "shared/text", "include/ada"], {"c", "std", "system", "any"}, FORMATS),
    Rule("lib/trace/elf", "what files of programs and libraries say, and the plugin's tables in them",
         ["lib/trace/elf", "lib/trace/base", "shared", "include/ada/*"], {"c", "std", "system", "any"}),
    Rule("lib/trace/columns", "tables of any kind as Parquet and Arrow files: rows held as columns, and the writers that take them",
         ["lib/trace/columns", "lib/trace/base", "shared/text", "include/ada"], {"c", "std", "system", "any"}, FORMATS),
    Rule("lib/trace", "what a trace means, whatever its format: names, types, values, calls",
         ["lib/trace/*", "lib/trace/base", "shared", "include/ada"], {"c", "std", "system", "any"}, FORMATS),
    Rule("lib/formats", "one folder per trace format: reader, writer, source, sink; of formats that are only written, a sink; "
         "`convert/`: opens a file of any format, copies a source to a sink",
         ["lib/formats", "lib/analysis", "lib/trace", "shared", "include/ada"], {"c", "std", "system", "any"}, ["lib/analysis/view"]),
    Rule("lib/analysis", "what commands compute of a trace of any format: calls, reports, trees, causes; `query/`: calls as "
         "tables, and SQL on them; `view/`: pictures of any part of a trace",
         ["lib/analysis", "lib/trace", "shared", "include/ada"], {"c", "std", "system", "any"},
         ["include/ada/trace/dial9", "include/ada/trace/wtf", "include/ada/trace/dial9.h", "include/ada/trace/wtf.h"]),
    Rule("lib/live", "processes that run or were killed: orders to them, how their recording stands, and from the ring file "
         "of a killed program to a complete session",
         ["lib/live", "lib/formats", "lib/analysis", "lib/trace", "shared", "include/ada"], {"c", "std", "system", "any"}, ["lib/analysis/view"]),
    Rule("tools/adatrace", "the command line: one file per command, options and output",
         ["tools/adatrace", "lib/formats/*", "lib/formats/clickhouse", "lib/formats/convert", "lib/analysis", "lib/trace", "lib/live",
          "shared", "include/ada"], {"c", "std", "system", "any"},
         ["lib/formats/!clickhouse|convert", "shared/ring", "shared/demangle"]),
    Rule("python", "the Python package `adatrace`: an extension on the trace library, and the modules beside it",
         ["python", "lib/formats/*", "lib/analysis", "lib/trace", "shared", "include/ada", "tools/adatrace/flame"],
         {"c", "std", "system", "any"}, ["shared/ring", "shared/demangle", "lib/analysis/view"]),
    Rule("bench", "the measurements that README.md shows",
         ["bench", "include/ada", "lib", "runtime", "shared"], {"c", "std", "system", "any"}),
    Rule("examples", "small programs to trace", ["examples", "include/ada"], {"c", "std", "system"}),
]
# Where the sub-folders have rules of their own, and the folders that these rules are about.
AREAS = {
    "lib/analysis": ["lib/analysis"],
    "lib/formats": ["lib/formats"],
    "runtime/core": ["runtime/core"],
    "tools/adatrace": ["tools/adatrace", "lib/formats/clickhouse"],
}
ANALYSIS, NATIVE, CORE, TOOL = "lib/analysis/", "lib/formats/native/", "runtime/core/", "tools/adatrace/"
PARTS = [
    Part("lib/analysis/events", []),
    Part("lib/analysis/calls", [ANALYSIS + "events"]),
    Part("lib/analysis/values", [ANALYSIS + "events", ANALYSIS + "calls"]),
    Part("lib/analysis/processes", [ANALYSIS + "events"]),
    Part("lib/analysis/waits", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "processes", ANALYSIS + "values"]),
    Part("lib/analysis/report", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "values"]),
    Part("lib/analysis/tree", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "values", ANALYSIS + "report"]),
    Part("lib/analysis/check", [ANALYSIS + "events", ANALYSIS + "calls"]),
    Part("lib/analysis/outliers", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "values", ANALYSIS + "waits"]),
    Part("lib/analysis/findings", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "values", ANALYSIS + "waits", ANALYSIS + "processes",
                                   ANALYSIS + "outliers"]),
    Part("lib/analysis/diff", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "outliers", ANALYSIS + "report", ANALYSIS + "tree"]),
    Part("lib/analysis/query", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "values", ANALYSIS + "waits", ANALYSIS + "processes", ANALYSIS + "report"]),
    Part("lib/analysis/view", [ANALYSIS + "events", ANALYSIS + "calls", ANALYSIS + "values", ANALYSIS + "waits", ANALYSIS + "outliers", ANALYSIS + "processes",
                               ANALYSIS + "findings"]),
    Part("lib/formats/native/bytes", []),
    Part("lib/formats/native/detail", [NATIVE + "bytes"]),
    Part("lib/formats/native/index", [NATIVE + "bytes", NATIVE + "detail"]),
    Part("lib/formats/native/sched", [NATIVE + "*", NATIVE + "bytes"]),
    Part("lib/formats/native/info", ["lib/formats/*", NATIVE + "*", NATIVE + "sched"]),
    Part("lib/formats/native/manifest", ["lib/formats/*", NATIVE + "*", NATIVE + "info"]),
    Part("lib/formats/native/session", ["lib/formats/*", NATIVE + "*", NATIVE + "bytes", NATIVE + "detail", NATIVE + "index",
                                        NATIVE + "sched", NATIVE + "info", NATIVE + "manifest"]),
    Part("lib/formats/native", ["lib/formats/*"]),
    Part("lib/formats/convert", ["lib/formats"]),
    Part("lib/formats/import", ["lib/formats/*"]),
    Part("lib/formats/*", ["lib/formats/*", "lib/formats/import"]),
    Part("runtime/core/base", []),
    Part("runtime/core/facts", [CORE + "base"]),
    Part("runtime/core/control", [CORE + "base"]),
    Part("runtime/core/ring", [CORE + "base"]),
    Part("runtime/core/images", [CORE + "base", CORE + "facts", CORE + "control", CORE + "ring"]),
    Part("runtime/core/files", [CORE + "base", CORE + "ring"]),
    Part("runtime/core/record", [CORE + "base", CORE + "ring", CORE + "images"]),
    Part("runtime/core/drain", [CORE + "base", CORE + "facts", CORE + "control", CORE + "ring", CORE + "images", CORE + "files",
                                CORE + "record"]),
    Part("runtime/core/session", [CORE + "base", CORE + "facts", CORE + "control", CORE + "ring", CORE + "images", CORE + "record",
                                  CORE + "drain"]),
    Part("tools/adatrace/terminal", ["tools/adatrace/*"]),
    Part("tools/adatrace/options", ["tools/adatrace/*", TOOL + "terminal"]),
    Part("tools/adatrace/manual", ["tools/adatrace/*", TOOL + "terminal", TOOL + "options"]),
    Part("tools/adatrace/process", ["tools/adatrace/*", TOOL + "terminal", TOOL + "options"]),
    Part("tools/adatrace/input", ["tools/adatrace/*", TOOL + "terminal", TOOL + "options", TOOL + "process"]),
    Part("tools/adatrace/output", ["tools/adatrace/*", TOOL + "terminal", TOOL + "options", TOOL + "process", TOOL + "input",
                                   TOOL + "flame", TOOL + "doctor"]),
    Part("tools/adatrace/elf", ["tools/adatrace/*", TOOL + "terminal"]),
    Part("tools/adatrace/doctor", ["tools/adatrace/*", TOOL + "terminal", TOOL + "process", TOOL + "elf"]),
    Part("tools/adatrace/fleet", ["tools/adatrace/*", TOOL + "terminal", TOOL + "options", TOOL + "process", TOOL + "input",
                                  TOOL + "output", "lib/formats/clickhouse"]),
    Part("tools/adatrace/record", ["tools/adatrace/*", TOOL + "terminal", TOOL + "options", TOOL + "process", TOOL + "input",
                                   TOOL + "output", TOOL + "elf"]),
    Part("tools/adatrace/ship", ["tools/adatrace/*", TOOL + "process", TOOL + "fleet"]),
    Part("tools/adatrace/view", ["tools/adatrace/*", TOOL + "process", TOOL + "output"]),
    Part("tools/adatrace/commands", ["tools/adatrace"], {
        "lib/formats/clickhouse/questions.h": "what fleet asks a database"}),
    Part("tools/adatrace", ["tools/adatrace"]),
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


GCC = set("gcc-plugin.h plugin-version.h".split())
THIRD_PARTY = {"curl.h", "zstd.h", "zlib.h", "isa-l.h", "simdjson.h", "httplib.h"}


def kindsOf(header):
    top = header.split("/")[0]
    if header in ("stddef.h", "stdint.h"):
        return {"c"}
    if top in ("llvm", "llvm-c", "clang"):
        return {"llvm"}
    if header in GCC:
        return {"gcc"}
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
    if "/!" in pattern:
        parent, but = pattern.split("/!")
        return folder.startswith(parent + "/") and not any((folder + "/").startswith(f"{parent}/{one}/") for one in but.split("|"))
    return folder == pattern or folder.startswith(pattern + "/")


def ruleFor(path):
    for rule in RULES:
        prefix = rule.folder.removesuffix("/*") + "/"
        if path.startswith(prefix) and (not rule.folder.endswith("/*") or path.count("/") > prefix.count("/")):
            return rule
    return None


# What tests have in their path besides.
OF_TESTS = ["test/unit", "test/formats/convert", "lib/formats/dial9"]


def headersOf(root, path, text):
    """Each `#include` as (match, file of the project or None)."""
    roots = [path.parent, root, root / "include", root / "lib", root / "pass", root / "tools/adatrace", root / "runtime",
             root / "runtime/os/linux", *sorted(root.glob("runtime/arch/*"))]
    if path.is_relative_to(root / "test"):
        roots += [root / folder for folder in OF_TESTS]
    for match in INCLUDE.finditer(text):
        yield match, next(((r / match[2]).resolve() for r in roots if (r / match[2]).is_file()), None)


@functools.cache
def directly(root, path):
    """The project files that a file includes itself."""
    return [target for _, target in headersOf(root, path, path.read_text()) if target]


def reached(root, path, seen):
    """Adds to `seen` all project files that a file includes, directly or not, each with the file that includes it."""
    for target in directly(root, path):
        if target not in seen:
            seen[target] = path
            reached(root, target, seen)
    return seen


def isUnder(name, folders):
    return any(name.startswith(folder + "/") for folder in folders)


def partFor(path):
    """The rule of a file's sub-folder, and the folders that it is about."""
    area = next((a for a in AREAS if path.startswith(a + "/")), None)
    if not area:
        return None, []
    folder = path.rsplit("/", 1)[0] + "/"
    for part in PARTS:
        if folder.startswith(part.folder.removesuffix("*").rstrip("/") + "/") and part.folder.startswith(area):
            return part, AREAS[area]
    return None, AREAS[area]


def problemsIn(root, name, text, used=None):
    """What a file with this name and text includes against the rules. Adds the exceptions that it needs to `used`."""
    path, rule = root / name, ruleFor(name)
    part, about = partFor(name)
    named = lambda file: file.relative_to(root).as_posix()
    among = lambda file, patterns: any(allowed(named(file.parent), name, p) or named(file) == p for p in patterns)
    for match, target in headersOf(root, path, text):
        header = match[2]
        where = f"{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
        if target:
            if not among(target, rule.may) or among(target, rule.but):
                yield f"{where}: may not include from {named(target.parent)}/ ({header})"
            elif part and isUnder(named(target), about) and named(target.parent) != named(path.parent) and \
                    not among(target, part.may + ownFolders(name, part)):
                if named(target) not in part.also:
                    yield f"{where}: may not include from {named(target.parent)}/ ({header}): see PARTS in test/layering.py"
                elif used is not None:
                    used.add((part.folder, named(target)))
            elif rule.but:
                yield from (f"{where}: {header} leads to {named(file)}, which {named(by)} includes"
                            for file, by in reached(root, target, {}).items() if among(file, rule.but))
        elif match[1] == '"' and kindsOf(header) != {"llvm"}:
            yield f"{where}: no such file in the project: {header}"
        elif not kindsOf(header) & rule.outside:
            yield f"{where}: may not include <{header}>, which is {'/'.join(sorted(kindsOf(header)))}"


def ownFolders(name, part):
    """A part's own folder, with what is below it."""
    if not part.folder.endswith("/*"):
        return [part.folder]
    return ["/".join(name.split("/")[:part.folder.count("/") + 1])]


def check(root):
    problems, files, used = [], 0, set()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".h", ".c", ".cpp", ".S", ".inc") or not ruleFor(name):
            continue
        files += 1
        problems += problemsIn(root, name, path.read_text(), used)
        part, about = partFor(name)
        if about and not part:
            problems.append(f"{name}: its folder has no rule among PARTS in test/layering.py")
    for part in (p for p in PARTS if (root / p.folder).is_dir()):
        problems += [f"test/layering.py: {part.folder}/ needs no exception for {header} any more"
                     for header in part.also if (part.folder, header) not in used]
    return problems + [*readmeProblems(root)], files


def readmeProblems(root):
    """A sub-folder with a rule of its own says what is in it, where to begin, and what it may use."""
    for part in PARTS:
        page = root / part.folder / "README.md"
        if part.folder in AREAS or "*" in part.folder or not page.parent.is_dir():
            continue
        if not page.is_file():
            yield f"{part.folder}/: no README.md"
            continue
        text = page.read_text()
        if usesLine(part) not in text:
            yield f"{part.folder}/README.md: what the folder may use differs from the rules; run test/layering.py --write"
        yield from (f"{part.folder}/README.md: no such file: {name}"
                    for name in re.findall(r"`(\w+\.(?:h|cpp|js|html))`", text) if not (page.parent / name).is_file())


USES = "In addition to what its parent may use: "


def usesLine(part):
    """What a part may use, as a paragraph."""
    parent = part.folder.rsplit("/", 1)[0]
    short = lambda name: name.removeprefix(parent + "/")
    names = [f"`{short(folder)}/`" for folder in part.may if not folder.endswith("/*")]
    names += [f"`{short(header)}` ({reason})" for header, reason in part.also.items()]
    text = USES + (", ".join(names) if names else "nothing") + "."
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def writeReadmes(root):
    for part in PARTS:
        page = root / part.folder / "README.md"
        if part.folder not in AREAS and page.is_file():
            before, _, after = page.read_text().partition(USES)
            page.write_text(before + usesLine(part) + "".join(after.partition("\n\n")[1:]))


def table():
    def code(folder):
        if "/!" in folder:
            return f"other folders of `{folder.split('/!')[0]}/`"
        if folder in ("include/ada/*", "lib/formats/*"):
            return f"`{folder}.h`"
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
    if "--write" in sys.argv:
        writeReadmes(root)
    problems, files = check(root)
    problems += checkTable(root, "--write" in sys.argv)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{files} files, {len(problems)} problems with the layering")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
