#!/usr/bin/env python3
"""Checks that docs/porting.md is correct. Usage: porting.py [ROOT]

Every file that the page names exists. Each of its sections has a pattern below, and every product file whose code (not
its comments) matches is named in the section.
"""
import fnmatch
import functools
import pathlib
import re
import sys
from typing import NamedTuple

PRODUCT = ["CMakeLists.txt", "lit.cfg.py", "cmake", "include", "lib", "pass", "runtime", "shared", "tools"]
SUITES = ["test/CMakeLists.txt", "test/*/CMakeLists.txt", "test/*/lit.cfg.py", "test/*/*.sh", "bench/CMakeLists.txt"]
READERS = ["include", "lib", "shared", "tools/adatrace"]
FORMATS = ["lib/formats/*/*"]
JOINS = "lib/formats/convert/"  # no format, but what joins them: what is said of each format does not hold for it
SQL = ["include/ada/trace/sql.h", "lib/analysis/query/sql/*", "lib/analysis/query/views.h"]  # queries, whose views have names of other tools


class Section(NamedTuple):
    mention: str  # what a mention looks like
    places: list  # where to look for it
    others: list = []  # files that may mention it, and texts that only look like a mention
    flags: int = 0


SECTIONS = {
    "A new CPU": Section(r"x86[-_]?64|aarch64|arm64|\bx86\b", PRODUCT + SUITES,
                         ["qemu-x86_64", "include/ada/trace/wtf/*"], re.I),
    "A new LLVM": Section(r"LLVM_VERSION_MAJOR|\b14[; ]+19[; ]+22\b|\b22[; ]+19[; ]+14\b|\b19[; ]+22[; ]+14\b"
                          r"|ada_llvm == \"\d+\"", PRODUCT + SUITES, ["pass/llvm/host_version.cpp"], re.I),
    "A new format": Section(r"dial9|wtf(?!-trace)|(?<![a-z])cff(?![a-z])", READERS,
                            FORMATS + ["include/ada/trace/dial9*", "include/ada/trace/wtf*"], re.I),
    "A new export": Section(r"callgrind|lcov|speedscope|pprof|otlp|firefox|sqlite|(?<![a-z])ctf(?![a-z])", READERS, FORMATS + SQL, re.I),
    # Folded stacks are named with the words around them: other things can be folded, too.
    "A new import": Section(r"uftrace|xray|perfetto|chrome|folded[/ ]?(?:stacks|format|source)", READERS, FORMATS + SQL, re.I),
    "A new command": Section(r"\bCommand k[A-Z]\w+|&k(?:Record|Convert|Graph|Flags)\b|commands/\w+\.cpp", ["cmake", "lib", "tools"]),
    "A new event kind": Section(r"\bEventKind::(?:Call|Return|Exception)|\bADA_RECORD_(?:CALL|RETURN|EXCEPTION)\b"
                                r"|(?:[=!]=?|[,?:]|::) ?k(?:Call|Return|Exception)\b", PRODUCT,
                                # Constants of the same names that formats and contents have for themselves.
                                ["lib/formats/ctf/sink.cpp", "lib/formats/dial9/ada_schemas.cpp", "lib/formats/wtf/sink.cpp",
                                 "lib/formats/native/manifest/lambda_places.cpp", "runtime/core/images/argument_contents.cpp"]),
    "A new run-time option": Section(r"\b(?:detail[-_]buffer|post[-_]roll[-_]ms)\b", PRODUCT, [], re.I),
    "A new type of option": Section(r"\bADA_OPTION\((?:Share|Rotation|Clock)\b|\bType::(?:Share|Rotation|Clock)\b", PRODUCT),
    "A new field in the manifest": Section(r"\bmanifest::k\w+|manifest_keys\.h|\"(?:detail_count|abi_version|loaded_ns|build_id"
                                           r"|base_address|trigger_count|events_from_ring|timing_anchors|frequency_hz)\"",
                                           PRODUCT),
}
SOURCES = {".h", ".c", ".cpp", ".inc", ".S"}


@functools.cache
def code(path):
    """A file without its comments."""
    return codeOf(path, path.read_text())


def codeOf(path, text):
    if path.suffix in SOURCES:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^\s*#[^\n]*|(?<=\s)#[^\n]*", "", text, flags=re.M)


def filesOf(root, places):
    for place in places:
        for path in sorted(root.glob(place)):
            yield from ([path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and p.suffix != ".md"))


def sectionsOf(page):
    """Section: the files that its text names, as patterns."""
    parts = re.split(r"^## (.*)\n", page, flags=re.M)[1:]
    for title, text in zip(parts[0::2], parts[1::2]):
        yield title, re.findall(r"`([\w./<>+*-]+/[\w./<>+*-]*|CMakeLists\.txt|lit\.cfg\.py)`", text)


def named(names):
    """The files that a section names, as patterns for paths in the tree."""
    return [re.sub(r"<\w+>", "*", name) for name in names]


def unlisted(title, names, name, text):
    """What the code of a file has that its section in docs/porting.md would have to name the file for, or None."""
    section = SECTIONS[title]
    patterns = [p + "*" if p.endswith("/") else p for p in named(names)] + section.others
    if any(fnmatch.fnmatch(name, p) and not (name.startswith(JOINS) and p.startswith("lib/formats/*")) for p in patterns):
        return None
    for other in section.others:
        text = text.replace(other, "")
    match = re.search(section.mention, text, section.flags)
    return match and match[0].strip()


def check(root):
    problems = []
    found = dict(sectionsOf((root / "docs/porting.md").read_text()))
    for missing in SECTIONS.keys() - found.keys():
        problems.append(f"docs/porting.md: no section '{missing}'")
    for title, names in found.items():
        for name, pattern in zip(names, named(names)):
            if not any(root.glob(pattern.rstrip("/"))):
                problems.append(f"docs/porting.md: '{title}' names {name}, which does not exist")
        for path in filesOf(root, SECTIONS[title].places if title in SECTIONS else []):
            name = path.relative_to(root).as_posix()
            if mention := unlisted(title, names, name, code(path)):
                problems.append(f"{name} mentions '{mention}', but is not among the files for '{title}' in docs/porting.md")
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    problems = check(root)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(problems)} problems with docs/porting.md")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
