#!/usr/bin/env python3
"""The reference page of the Python package, from its docstrings. Usage: reference_page.py [--write]

Reads the sources, so it needs no build. Without --write it fails if docs/reference/python.md is not the same, or if
something public has no docstring.
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE, PAGE = ROOT / "python/adatrace", ROOT / "docs/reference/python.md"
BEGIN, END = "<!-- from test/python/reference_page.py -->\n", "<!-- end -->\n"


def modules():
    return {path.stem: ast.parse(path.read_text()) for path in sorted(PACKAGE.glob("*.py"))}


def publicNames():
    """The names in __all__."""
    for node in ast.parse((PACKAGE / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return [element.value for element in node.value.elts]
    sys.exit("__init__.py has no __all__")


def text(node, name):
    doc = ast.get_docstring(node)
    if not doc:
        sys.exit(f"{name} has no docstring")
    return doc


def plain(doc):
    """A docstring as Markdown: code in single backquotes, examples indented."""
    lines = []
    for line in doc.replace("``", "`").split("\n"):
        isExample = line.startswith((">>> ", "... "))
        lines.append("    " + line if isExample else line)
    return re.sub(":(class|func|meth):`", "`", "\n".join(lines))


def signature(node, name):
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"    {name}({arguments}){result}"


def wrapped(line, columns=116):
    """A long signature in several lines, broken after commas."""
    lines, rest, indent = [], line, " " * (line.index("(") + 1)
    while len(rest) > columns:
        at = rest.rfind(", ", 0, columns)
        lines.append(rest[:at + 1])
        rest = indent + rest[at + 2:]
    return "\n".join([*lines, rest])


def functionText(node, name, level):
    return f"{'#' * level} {name}\n\n{wrapped(signature(node, name.split('.')[-1]))}\n\n{plain(text(node, name))}\n\n"


def attributes(body):
    """Annotated or assigned names with a string after them."""
    for node, following in zip(body, body[1:]):
        isDoc = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if isDoc and isinstance(node, (ast.AnnAssign, ast.Assign)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else "str"
            yield getattr(target, "attr", getattr(target, "id", "")), kind, following.value.value
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield from attributes(node.body)


def classText(node):
    out = f"## {node.name}\n\n{plain(text(node, node.name))}\n\n"
    listed = [*attributes(node.body)]
    isProperty = lambda n: any(getattr(d, "id", "") == "property" for d in n.decorator_list)
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    listed += [(n.name, ast.unparse(n.returns), text(n, f"{node.name}.{n.name}")) for n in methods if isProperty(n)]
    if listed:
        out += "| attribute | type | |\n|---|---|---|\n"
        for name, kind, doc in listed:
            shown = plain(" ".join(doc.split())).replace("|", "\\|")
            out += f"| `{name}` | `{kind}` | {shown} |\n".replace("` | `" + kind, "` | `" + kind.replace("|", "\\|"))
        out += "\n"
    return out + "".join(functionText(n, f"{node.name}.{n.name}", 3) for n in methods if not isProperty(n))


def page():
    known = {n.name: n for tree in modules().values() for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    names = publicNames()
    out = "".join(functionText(known[n], n, 2) for n in names if isinstance(known[n], ast.FunctionDef))
    return out + "".join(classText(known[n]) for n in names if isinstance(known[n], ast.ClassDef))


def main():
    before, _, rest = PAGE.read_text().partition(BEGIN)
    wanted = before + BEGIN + "\n" + page() + END + rest.partition(END)[2]
    if "--write" in sys.argv:
        PAGE.write_text(wanted)
    elif PAGE.read_text() != wanted:
        sys.exit("docs/reference/python.md differs from the docstrings; run test/python/reference_page.py --write")


if __name__ == "__main__":
    main()
