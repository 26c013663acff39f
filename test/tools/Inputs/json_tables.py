#!/usr/bin/env python3
"""Compares the tables of docs/json.md with the descriptions in the program. Usage: json_tables.py PAGE [--write]

`adatrace --json-tables` prints the sections; --write puts their tables into the page.
"""
import re
import sys

from adatest import adatrace

TABLE = re.compile(r"\| key \| type \| meaning \|\n(?:\|.*\n)+")


def sections(text):
    return re.split(r"(?m)^(?=## )", text)


page = sys.argv[1]
text = open(page, encoding="utf-8").read()
described = adatrace("--json-tables")
parts, count = sections(text), 0
for section in filter(None, sections(described)):
    heading, table = section.splitlines()[0], TABLE.search(section)[0]
    places = [i for i, part in enumerate(parts) if part.splitlines()[0:1] == [heading]]
    if len(places) != 1 or not TABLE.search(parts[places[0]]):
        sys.exit(f"{page}: there must be one section '{heading}' with a table")
    parts[places[0]] = TABLE.sub(lambda match: table, parts[places[0]], count=1)
    count += 1
if "--write" in sys.argv:
    open(page, "w", encoding="utf-8").write("".join(parts))
elif "".join(parts) != text:
    import difflib
    sys.exit("".join(difflib.unified_diff(text.splitlines(True), "".join(parts).splitlines(True), page, "the program"))
             + "run test/tools/Inputs/json_tables.py docs/json.md --write")
print(f"{count} tables of the page are those of the program")
