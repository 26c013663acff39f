"""report_counts.py REPORT COUNTS: checks that a CSV report has each function's calls between the two numbers in
COUNTS."""
import csv
import sys

with open(sys.argv[1]) as file:
    calls = {row["function"]: int(row["calls"]) for row in csv.DictReader(file)}
for line in open(sys.argv[2]):
    name, least, most = line.split()
    if not int(least) <= calls.get(name, 0) <= int(most):
        sys.exit(f"{name}: {calls.get(name, 0)} calls, not {least} to {most}")
