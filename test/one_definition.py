#!/usr/bin/env python3
"""Checks that each name is defined in one file of a program only. Usage: one_definition.py [ROOT]

If two sources define a struct of one name, the linker takes them for the same: it keeps one of the two constructors, and
objects of the other struct are then made wrongly, without any message. The same goes for inline functions and variables.
Compilers don't see it, but for files that are compiled together; `g++ -flto -Wodr` sees types, and takes minutes.

Here types, inline functions, inline variables and templates at the level of namespaces count, and not what is in an
unnamed namespace or static. Other functions and variables are left to the linker, which refuses a second definition.
"""
import collections
import pathlib
import re
import sys

from style import withoutAngles, withoutText

# What is linked together. The test of the runtime contains parts of it, and the library.
PROGRAMS = {
    "adatrace": ["include/ada", "shared", "lib", "tools/adatrace"],
    "the Python package": ["include/ada", "shared", "lib", "python"],
    "the runtime on x86-64": ["include/ada", "shared", "runtime/core", "runtime/os", "runtime/arch/x86_64"],
    "the runtime on AArch64": ["include/ada", "shared", "runtime/core", "runtime/os", "runtime/arch/aarch64"],
    "the plugin for LLVM": ["include/ada", "shared", "pass/common", "pass/llvm"],
    "the plugin for GCC": ["include/ada", "shared", "pass/common", "pass/gcc"],
    "the test of the runtime": ["include/ada", "shared", "lib", "runtime/core", "runtime/os", "runtime/arch/x86_64", "test/unit/runtime"],
    "the test of recovery": ["include/ada", "shared", "lib", "test/unit/recover"],
    "the test of the fleet": ["include/ada", "shared", "lib", "tools/adatrace/fleet", "test/unit/fleet"],
    "the test of conversions": ["include/ada", "shared", "lib", "test/formats/convert"],
    "the test of dial9": ["include/ada", "shared", "lib", "test/formats/dial9"],
    "the test of WTF": ["include/ada", "shared", "lib", "test/formats/wtf"],
    "the test of packed files": ["include/ada", "shared", "lib", "test/formats/packed"],
    "the test of imports": ["include/ada", "shared", "lib", "test/formats/import"],
}


def definitions(text):
    """The definitions that the linker may see, as (name, line)."""
    code = withoutText(text)
    scopes = []  # of the open braces: a namespace's name, or None in an unnamed one; False within anything else
    start = 0    # of the declaration
    for brace in re.finditer(r"[{};]", code):
        declaration, here = code[start:brace.start()], brace.start()
        isOutside = all(s or s == "" for s in scopes)
        if brace[0] == "}":
            if scopes:
                scopes.pop()
        else:
            name = nameOf(" ".join(declaration.split()), brace[0]) if isOutside else None
            if name:
                yield "::".join([s for s in scopes if s] + [name]), code.count("\n", 0, here - len(declaration.lstrip())) + 1
            if brace[0] == "{":
                scopes.append(scopeOf(declaration.strip()))
        start = brace.end()


def scopeOf(declaration):
    if namespace := re.search(r"(?:^|\s)namespace(?:\s+([\w:]+))?$", declaration):
        return namespace[1]
    return "" if re.search(r"(?:^|\s)extern$", declaration) else False


def nameOf(declaration, end):
    """What a declaration that ends in `{` or `;` defines, if the linker can take it for another one."""
    plain = re.sub(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)|alignas\s*\([^)]*\)|\bextern\s+(?=\w)", " ", declaration).strip()
    isTemplate = bool(re.match(r"template\b", plain))
    plain = re.sub(r"^template\s*<.*?>\s*(?=\w)", "", plain) if isTemplate else plain
    if type_ := re.match(r"(?:struct|class|union|enum(?: class| struct)?)\s+([\w:]+(?:<.*?>)?)(?: final)?(?:\s*:.*)?$", plain):
        return type_[1] if end == "{" else None
    head = re.split(r"(?<![=!<>])=(?!=)|\(", withoutAngles(plain))[0]
    words = re.sub(r"[*&]", " ", head).split() if "operator" not in head else head.split()
    isFunction = withoutAngles(plain)[len(head):len(head) + 1] == "(" or "operator" in words[-1:]
    if not words or "static" in words or words[0] in ("using", "friend", "typedef"):
        return None
    if not isFunction:
        return words[-1] if "inline" in words else None
    if end == ";" or "::" in words[-1] or not ("inline" in words or "constexpr" in words or isTemplate):
        return None  # a declaration, a member of a class, or the linker's
    parameters = plain[plain.index(words[-1]) + len(words[-1]):]
    return words[-1] + re.sub(r"\s*\b\w+(?=[,)=])", "", parameters)


def problemsIn(files):
    """FILES: texts by path, of all of the tree."""
    places = {name: list(definitions(text)) for name, text in files.items()}
    seen = set()
    for program, folders in PROGRAMS.items():
        found = collections.defaultdict(dict)
        for name, defined in places.items():
            if any(name.startswith(folder + "/") for folder in folders):
                for what, line in defined:
                    found[what].setdefault(name, line)
        for what, where in sorted(found.items()):
            if len(where) > 1 and (what, *where) not in seen:
                seen.add((what, *where))
                yield f"{what} is defined twice in {program}: " + ", ".join(f"{name}:{line}" for name, line in where.items())


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    folders = sorted({folder.split("/")[0] for program in PROGRAMS.values() for folder in program})
    files = {path.relative_to(root).as_posix(): path.read_text() for folder in folders for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp", ".inc")}
    problems = list(problemsIn(files))
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(files)} files, {len(problems)} names with two definitions")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
