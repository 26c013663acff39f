#!/usr/bin/env python3
"""Checks the table in docs/design.md: which folder may include what. Usage: layering.py [ROOT]

Each rule names the project folders that a folder's files may include from, and the kinds of outside headers:
c (stddef.h and stdint.h only), freestanding (what needs no libstdc++ at run time), std (any of the C++ library's),
system (libc, kernel), llvm, any (third-party libraries too). The first rule whose folder contains a file counts.
"""
import pathlib
import re
import sys

RULES = [
    # folder                project folders it may include from                            outside headers
    ("include/ada/trace",  ["include/ada"],                                                {"c", "std"}),
    ("include/ada",        ["include/ada/*"],                                              {"c"}),
    ("pass",               ["pass", "lib/select", "include/ada/*"],                       {"c", "std", "system", "llvm"}),
    ("runtime/arch/*",     ["runtime/arch/*", "runtime/arch/.", "runtime/core", "include/ada/*"], {"c", "freestanding", "system"}),
    ("runtime",            ["runtime", "lib/ring", "lib/select", "include/ada/*", "include/ada/trace/atf_format.h"],
                                                                                           {"c", "freestanding", "system"}),
    ("lib/select",         ["lib/select"],                                                 {"c", "freestanding"}),
    ("lib/ring",           ["lib/ring", "include/ada/*"],                                  {"c", "freestanding"}),
    ("lib",                ["lib", "include/ada"],                                         {"c", "std", "system", "any"}),
    ("tools/adatrace",     ["tools/adatrace", "lib", "include/ada"],                       {"c", "std", "system", "any"}),
    ("bench",              ["bench", "include/ada"],                                       {"c", "std", "system", "any"}),
    ("examples",           ["examples", "include/ada"],                                    {"c", "std", "system"}),
]  # fmt: skip
FREESTANDING = set("atomic bit compare concepts cstddef cstdint cstdarg cstring initializer_list limits new type_traits "
                   "utility version".split())
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


THIRD_PARTY = {"zstd.h", "zlib.h", "isa-l.h", "simdjson.h"}


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
    """`dir/*` is dir alone without sub-folders; in an architecture's rule it is the file's own architecture."""
    if pattern == "runtime/arch/*":
        return folder == "/".join(source.split("/")[:3])
    if pattern == "runtime/arch/.":
        return folder == "runtime/arch"
    if pattern.endswith("/*"):
        return folder == pattern[:-2]
    return folder == pattern or folder.startswith(pattern + "/")


def ruleFor(path):
    for folder, projectFolders, outside in RULES:
        prefix = folder.removesuffix("/*") + "/"
        if path.startswith(prefix) and (not folder.endswith("/*") or path.count("/") >= prefix.count("/") + 1):
            return projectFolders, outside
    return None


def check(root):
    problems, files = [], 0
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        rule = ruleFor(name) if path.suffix in (".h", ".c", ".cpp", ".S", ".inc") else None
        if not rule:
            continue
        files += 1
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            header = match[2]
            where = f"{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
            roots = [path.parent, root, root / "include", root / "lib", root / "runtime", root / "runtime/os/linux",
                     *sorted(root.glob("runtime/arch/*"))]
            target = next((r / header for r in roots if (r / header).is_file()), None)
            if target:
                found = target.resolve().relative_to(root)
                folder = found.parent.as_posix()
                if not any(allowed(folder, name, p) or found.as_posix() == p for p in rule[0]):
                    problems.append(f"{where}: may not include from {folder}/ ({header})")
            elif match[1] == '"' and kindsOf(header) != {"llvm"}:
                problems.append(f"{where}: no such file in the project: {header}")
            elif not kindsOf(header) & rule[1]:
                problems.append(f"{where}: may not include <{header}>, which is {'/'.join(sorted(kindsOf(header)))}")
    return problems, files


root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
problems, files = check(root)
print(*problems, sep="\n", end="\n" if problems else "")
print(f"{files} files, {len(problems)} problems with the layering")
sys.exit(1 if problems or not files else 0)
