"""Checks that the calls in a Parquet file are also in that of the whole trace, as the same calls. Usage: columns_part.py WHOLE PART

What a call says about the calls around it and those that it made depends on which of them are there.
"""
import json
import pathlib
import subprocess
import sys

SAME = "id", "ts", "dur", "name", "function_id", "thread", "process", "exit"
script = pathlib.Path(__file__).parent / "columns.mjs"


def rows(path):
    lines = subprocess.run(["node", script, "hyparquet", path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    return [{key: json.loads(line)[key] for key in SAME} for line in lines.split("\n")[:-1]]


whole, part = map(rows, sys.argv[1:])
for row in part:
    if row not in whole:
        sys.exit(f"{sys.argv[2]}: {row} is none of {whole}")
print(f"{len(part)} of {len(whole)} rows")
