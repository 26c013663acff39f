#!/usr/bin/env python3
"""Compares JSON output with the tables of docs/json.md.

Usage: check_json.py DOCS SECTION --format=json|jsonl < OUTPUT

SECTION `info --format=json` is one object; the entries of its lists are in the sections `info: KEY`, and so on for
the other commands.

Every key must be in the section's table, with its type, and in the table's order; keys whose meaning does not say when
they are present ("only with", "with detail", ...) must be in every object. Prints the number of objects.
"""
import json
import re
import sys

docs, section, form = sys.argv[1:4]


def tablesOf(text):
    tables, heading = {}, None
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[0].startswith("`"):
            for key in re.findall(r"`(\w+)`", cells[0]):
                tables.setdefault(heading, {})[key] = (cells[1].strip("`"), cells[2])
    for heading, table in tables.items():
        for key, (kind, meaning) in table.items():
            if not kind:
                table[key] = (tables["Who did it"][key][0], meaning)
    return tables


def fits(kind, value):
    if kind.endswith("?"):
        return value is None or fits(kind[:-1], value)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if kind in ("texts", "objects"):
        return isinstance(value, list) and all(fits(kind[:-1], one) for one in value)
    return {"text": isinstance(value, str), "object": isinstance(value, dict), "bool": isinstance(value, bool), "any": True}[kind]


SOMETIMES = re.compile(r"only|with detail|with `args`|with `return`|with vector registers|the key is")
tables = tablesOf(open(docs).read())
problems, count = [], 0


def check(section, where, entry):
    global count
    count += 1
    table = tables[section]
    order = list(table)
    for key, value in entry.items():
        if key not in table:
            problems.append(f"{where}: key {key} is not in the table")
        elif not fits(table[key][0], value):
            problems.append(f"{where}: {key} is {value!r}, which is no {table[key][0]}")
        elif table[key][0] == "objects":
            for one in value:
                check(f"{section.split()[0].rstrip(':')}: {key}", f"{where}.{key}", one)
    for key in table:
        if key not in entry and not SOMETIMES.search(table[key][1]):
            problems.append(f"{where}: key {key} is not there")
    known = [order.index(key) for key in entry if key in table]
    if known != sorted(known):
        problems.append(f"{where}: keys are not in the order of the table")


text = sys.stdin.read()
objects = json.loads(text) if form == "--format=json" else [json.loads(line) for line in text.splitlines()]
for number, entry in enumerate(objects if isinstance(objects, list) else [objects]):
    check(section, f"object {number}", entry)
print(*problems[:20], f"{section} {form}: {count} objects, {len(problems)} problems", sep="\n")
sys.exit(1 if problems or not objects else 0)
