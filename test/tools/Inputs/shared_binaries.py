"""Makes a session whose processes share a binary: shared_binaries.py SESSION PROCESSES [FUNCTIONS [CALLS [TURNS]]].

Each process calls work_1 once, or the first functions after work_0, one after the other. With TURNS, processes begin
with work_1 to work_TURNS by turns."""
import json
import os
import struct
import sys

session, processes = sys.argv[1], int(sys.argv[2])
functions = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
calls = int(sys.argv[4]) if len(sys.argv) > 4 else 1
turns = int(sys.argv[5]) if len(sys.argv) > 5 else 1
NAME = "ab-01"


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


symbols = [{"name": f"work_{i}", "file": f"part_{i // 100}.c", "line": i % 100 + 1, "address": hex(16 * i + 16)}
           for i in range(functions)]
write(f"{session}/binaries/{NAME}.json", json.dumps(
    {"format_version": "1", "path": "/bin/work", "build_id": "ab", "functions": functions, "symbols": symbols}).encode())
for number in range(processes):
    process = f"{session}/pid_{1000 + number}"
    begin = 1000 + number
    events = b"".join(struct.pack("<QQQQ", begin + i * 250, number % turns + i // 2 + 1, 2**64 - 1, i % 2 + 1)
                      for i in range(2 * calls))
    times = (begin, begin + (2 * calls - 1) * 250)
    write(f"{process}/thread_0/index.atf",
          struct.pack("<4s4BIIIIQQQQQ", b"ATI2", 1, 2, 1, 4, 0, begin, 3, 32, 2 * calls, 64, 64 + len(events), *times) + events +
          struct.pack("<4sIQQQQ24x", b"2ITA", 0, 2 * calls, *times, len(events)))
    manifest = {"format_version": "2.2", "threads": [{"id": 0, "has_detail": False, "tid": begin, "event_count": 2 * calls}],
                "time_start_ns": times[0], "time_end_ns": times[1], "clock_type": 3,
                "process": {"pid": begin, "executable": "/bin/work", "argv": ["work"], "exit": {"how": "code", "code": 0}},
                "modules": [{"module_id": 0, "path": "/bin/work", "base_address": "0x400000", "size": 65536,
                             "build_id": "ab", "functions": functions, "binary": NAME}],
                "symbols": []}
    write(f"{process}/manifest.json", json.dumps(manifest).encode())
