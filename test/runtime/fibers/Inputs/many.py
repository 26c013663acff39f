# Reads `report --by=thread --format=csv` of many.cpp: each of 100 fibers has its row, with exact calls.
import csv
import sys

turns = int(sys.argv[1])
rows = {}
for row in csv.DictReader(sys.stdin):
    assert row["missing"] == "0", row
    name = row["function"].split("(")[0]
    rows.setdefault(row["thread"], {})[name] = (int(row["calls"]), int(row["exceptions"]), int(row["open"]))
fibers = [row for row in rows.values() if "body" in row]
assert len(fibers) == 100, len(fibers)
# The last yield never returns.
expected = {"body": (1, 0, 1), "turn": (turns, 0, 0), "thrower": (turns, turns // 2, 0), "yield": (turns + 1, 0, 1)}
for fiber in fibers:
    assert fiber == expected, fiber
threads = [row for row in rows.values() if "body" not in row]
assert not any(row["resume"][1] or row["resume"][2] for row in threads if "resume" in row), threads
names = sorted(name for row in threads for name in row if name != "resume")
assert len(threads) == 5 and names == ["main"] + 4 * ["work"], threads
