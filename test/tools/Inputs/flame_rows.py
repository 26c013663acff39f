"""Prints the rows of `report --format=csv` in the form in which flame_page.mjs prints those of a flame page."""
import csv
import sys

for row in csv.DictReader(sys.stdin):
    print(f"row {row['self_ns']} | {row['total_ns']} | {row['calls']} | {row['function']}")
