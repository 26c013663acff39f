"""The answers of the vectors have one event a line, and no vector is a copy of another. test/style.py uses it.

An answer is a JSON beside its file or folder. A file that another vector has as well (a manifest, the files of a
thread) is a symbolic link to the first of them.
"""
import json
import os
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "vectors"
COLUMNS = 120
EVENTS = {"events", "frames", "encode_ops", "records", "cuts", "eventTypes"}  # lists of them


def text(value, depth=0, key=""):
    """JSON that fills its lines, but has each event on a line, however long."""
    line = json.dumps(value, ensure_ascii=False)
    within = list(value.values()) if isinstance(value, dict) else value
    if len(line) + depth <= COLUMNS or not any(isinstance(each, (dict, list)) for each in within):
        return line
    if isinstance(value, dict):
        begin, end, inner = "{", "}", filled((f"{json.dumps(k)}: {text(each, depth + 1, k)}" for k, each in value.items()), depth)
    elif key in EVENTS or not depth:
        begin, end, inner = "[", "]", [json.dumps(each, ensure_ascii=False) for each in value]
    else:
        begin, end, inner = "[", "]", filled((text(each, depth + 1) for each in value), depth)
    indent = "\n" + " " * (depth + 1)
    return begin + indent + ("," + indent).join(inner) + end


def filled(parts, depth):
    """The parts on as few lines as there must be. One that has several lines begins on its own."""
    lines = []
    for part in parts:
        if lines and "\n" not in part and "\n" not in lines[-1] and depth + len(lines[-1]) + len(part) + 3 <= COLUMNS:
            lines[-1] += ", " + part
        else:
            lines.append(part)
    return lines


def wrong_forms(files):
    """The answers that have another form, with the right one."""
    for path in files:
        if path.suffix == ".json" and path.name != "manifest.json" and not path.is_symlink():
            there = path.read_text(encoding="utf-8")
            want = text(json.loads(there)) + "\n"
            if there != want:
                yield path, want


def copies(files):
    """Files with the bytes of an earlier one, with that one. Empty files are not copies."""
    first = {}
    for path in files:
        if not path.is_symlink() and path.stat().st_size:
            of = first.setdefault(path.read_bytes(), path)
            if of != path:
                yield path, of


def problems(fix=False, folder=FOLDER):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    forms, same = list(wrong_forms(files)), list(copies(files))
    if fix:
        for path, want in forms:
            path.write_text(want, encoding="utf-8")
        for path, of in same:
            path.unlink()
            path.symlink_to(os.path.relpath(of, path.parent))
        return []
    return [f"{path}: not one event a line (test/style.py --fix)" for path, _ in forms] + [
        f"{path}: a copy of {of}, not a link to it (test/style.py --fix)" for path, of in same]
