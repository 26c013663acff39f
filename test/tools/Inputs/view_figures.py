"""Prints the functions of `report --format=json` in the form in which view_page.mjs prints the viewer's statistics."""
import json
import sys

for row in json.load(sys.stdin):
    figures = [row[key] for key in ("self_ns", "total_ns", "calls", "min_ns", "p50_ns", "p99_ns", "max_ns")]
    print("figures", *figures, row["function"])
