"""Compares the off-CPU columns of a Parquet or Arrow file with the report. Usage: off_cpu_columns.py SESSION READER FILE

Prints the sums of each thread and function. No function may call itself: the report counts the time of nested calls once.
"""
import collections
import json
import pathlib
import subprocess
import sys

session, reader, file = sys.argv[1:]
script = pathlib.Path(__file__).parent / "columns.mjs"
run = lambda *command: subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
COLUMNS = {"dur": "total_ns", "self": "self_ns", "on_cpu": "on_cpu_self_ns", "waiting": "waiting_ns", "preempted": "preempted_ns"}
sums = collections.defaultdict(lambda: [0] * len(COLUMNS))
for line in run("node", str(script), reader, file).split("\n")[:-1]:
    row = json.loads(line)
    key = row["thread"], row["name"].replace("\0", "?")
    sums[key] = [None if row[column] is None else total + row[column] for total, column in zip(sums[key], COLUMNS)]
report = {(row["thread"], row["function"]): [row[column] for column in COLUMNS.values()]
          for row in json.loads(run("adatrace", "report", "--by=thread", "--format=json", "--names=full", session))}
if sums != report:
    sys.exit(f"{file}: {dict(sums)}, the report has {report}")
for (thread, name), figures in sorted(sums.items()):
    print(thread, ascii(name), *figures)
