"""Prints the functions of `report --format=json` as view_page.mjs prints the statistics of the viewer."""
import json
import sys

for row in json.load(sys.stdin):
    figures = [row[key] for key in ("self_ns", "total_ns", "calls", "min_ns", "p50_ns", "p99_ns", "max_ns")]
    print("figures", *figures, row["function"])
