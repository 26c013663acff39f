#!/usr/bin/env python3
"""Compares docs/json.md and docs/reference/tables.md with what the program says of its tables. Usage: doc_tables.py DOCS [--write]

`adatrace --json-tables` prints the tables of sections of the first page, `adatrace --sql-tables` the second page from its
first table on. --write puts them into the pages.
"""
import difflib
import re
import sys

from adatest import adatrace

TABLE = re.compile(r"\| key \| type \| meaning \|\n(?:\|.*\n)+")


def sections(text):
    return re.split(r"(?m)^(?=## )", text)


def ofJson(page):
    parts = sections(page)
    for section in filter(None, sections(adatrace("--json-tables"))):
        heading, table = section.splitlines()[0], TABLE.search(section)[0]
        places = [i for i, part in enumerate(parts) if part.splitlines()[0:1] == [heading]]
        if len(places) != 1 or not TABLE.search(parts[places[0]]):
            sys.exit(f"docs/json.md: there must be one section '{heading}' with a table")
        parts[places[0]] = TABLE.sub(lambda match: table, parts[places[0]], count=1)
    return "".join(parts)


def ofSql(page):
    return sections(page)[0] + adatrace("--sql-tables")


for name, make in (("json.md", ofJson), ("reference/tables.md", ofSql)):
    path = f"{sys.argv[1]}/{name}"
    with open(path, encoding="utf-8") as file:
        there = file.read()
    wanted = make(there)
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
    elif wanted != there:
        sys.exit("".join(difflib.unified_diff(there.splitlines(True), wanted.splitlines(True), path, "the program"))
                 + "run PYTHONPATH=test test/tools/Inputs/doc_tables.py docs --write")
    print(f"{len(TABLE.findall(wanted))} tables of {name}")
