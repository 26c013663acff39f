"""Checks the output of `adatrace info --format=json` for the trace of info_json.test, whatever its format."""
import json
import sys

trace = json.load(open(sys.argv[1]))
assert trace["format"] in ("atf", "dial9", "wtf"), trace
assert trace["path"] and trace["events"] >= 2 and trace["time_start_ns"] == 1000, trace
assert trace["warnings"] == [] and trace["problems"] == [], trace
(process,) = trace["processes"]
assert process["pid"] == 42, process
(thread,) = process["threads"]
assert (thread["tid"], thread["events"]) == (4711, 2), thread
assert thread["time_start_ns"] == 1000 and thread["time_end_ns"] == 2000, thread
