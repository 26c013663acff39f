#!/usr/bin/env python3
"""Checks that docs/porting.md is correct. Usage: porting.py [ROOT]

Every file that the page names exists. Each of its sections has a pattern below, and every product file whose code (not
its comments) matches is named in the section.
"""
import fnmatch
import pathlib
import re
import sys

PRODUCT = ["CMakeLists.txt", "lit.cfg.py", "cmake", "include", "lib", "pass", "runtime", "tools"]
SUITES = ["test/CMakeLists.txt", "test/*/CMakeLists.txt", "test/*/lit.cfg.py", "test/*/*.sh", "bench/CMakeLists.txt"]
# Section: (what a mention looks like, where to look for it, what only looks like one).
SECTIONS = {
    "A new CPU": (r"x86[-_]?64|aarch64|arm64|\bx86\b", PRODUCT + SUITES, ["qemu-x86_64", "include/ada/trace/wtf/*"]),
    "A new LLVM": (r"LLVM_VERSION_MAJOR|\b14[; ]+19[; ]+22\b|\b22[; ]+19[; ]+14\b|\b19[; ]+22[; ]+14\b"
                   r"|ada_llvm == \"\d+\"", PRODUCT + SUITES, ["pass/host_version.cpp"]),
    "A new format": (r"dial9|wtf(?!-trace)|(?<![a-z])cff(?![a-z])", ["include", "lib", "tools/adatrace"],
                     ["lib/formats/*/*", "lib/formats/*/*/*", "include/ada/trace/dial9*", "include/ada/trace/wtf*"]),
    "A new export": (r"(?!)", [], []),
    "A new event kind": (r"ADA_RECORD_EXCEPTION|EventKind::Exception|\bkException\b", PRODUCT, ["include/ada/trace/wtf/*", "lib/formats/wtf/*"]),
    "A new run-time option": (r"\b(?:detail[-_]buffer|post[-_]roll[-_]ms)\b", PRODUCT, []),
    "A new field in the manifest": (r"\"(?:detail_count|abi_version|loaded_ns|build_id|base_address|trigger_count|"
                                    r"events_from_ring|timing_anchors|frequency_hz)\"", PRODUCT, []),
}
SOURCES = {".h", ".c", ".cpp", ".inc", ".S"}


def code(path):
    """A file without its comments."""
    text = path.read_text()
    if path.suffix in SOURCES:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^\s*#[^\n]*|(?<=\s)#[^\n]*", "", text, flags=re.M)


def filesOf(root, places):
    for place in places:
        for path in sorted(root.glob(place)):
            yield from ([path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file()))


def sectionsOf(page):
    """Section: the files that its text names, as patterns."""
    parts = re.split(r"^## (.*)\n", page, flags=re.M)[1:]
    for title, text in zip(parts[0::2], parts[1::2]):
        yield title, re.findall(r"`([\w./<>+*-]+/[\w./<>+*-]*|CMakeLists\.txt|lit\.cfg\.py)`", text)


def check(root):
    problems = []
    found = dict(sectionsOf((root / "docs/porting.md").read_text()))
    for missing in SECTIONS.keys() - found.keys():
        problems.append(f"docs/porting.md: no section '{missing}'")
    for title, names in found.items():
        patterns = [re.sub(r"<\w+>", "*", name) for name in names]
        for name, pattern in zip(names, patterns):
            if not any(root.glob(pattern.rstrip("/"))):
                problems.append(f"docs/porting.md: '{title}' names {name}, which does not exist")
        mention, places, others = SECTIONS.get(title, ("(?!)", [], []))
        patterns = [p + "*" if p.endswith("/") else p for p in patterns] + others
        for path in filesOf(root, places):
            name = path.relative_to(root).as_posix()
            if any(fnmatch.fnmatch(name, p) for p in patterns):
                continue
            text = code(path)
            for other in others:
                text = text.replace(other, "")
            match = re.search(mention, text, re.I if title != "A new event kind" else 0)
            if match:
                problems.append(f"{name} mentions '{match[0]}', but is not among the files for '{title}' in docs/porting.md")
    return problems


root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
problems = check(root)
print(*problems, sep="\n", end="\n" if problems else "")
print(f"{len(problems)} problems with docs/porting.md")
sys.exit(1 if problems else 0)
