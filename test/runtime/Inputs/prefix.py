#!/usr/bin/env python3
"""prefix.py DIR NAME…: checks a trace that was cut off. The files' whole events nest, and all are of these functions."""
import glob
import os
import struct
import sys

import symbols

directory, names = sys.argv[1], set(sys.argv[2:])
total = 0
for process in glob.glob(os.path.join(directory, "pid_*")):
    known = {int(s["function_id"], 16): s["name"] for s in symbols.of(process)}
    for path in glob.glob(os.path.join(process, "thread_*", "index.atf")):
        with open(path, "rb") as f:
            data = f.read()
        stack, last = [], 0
        for offset in range(64, len(data) - 31, 32):
            time, function, _, kind = struct.unpack_from("<QQQQ", data, offset)
            if offset + 64 == len(data) and data[offset:offset + 4] == b"2ITA":
                break
            assert time >= last and known[function] in names and kind in (1, 2, 3), (path, offset)
            last = time
            if kind == 1:
                stack.append(function)
            else:
                assert stack.pop() == function, (path, offset)
            total += 1
print(f"{total} events can be read")
sys.exit(total == 0)
