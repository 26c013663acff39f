#!/usr/bin/env python3
"""Makes logs of XRay, and compares the output of `llvm-xray convert` and `adatrace` for one.

Usage: xray_log.py fdr FILE        a log of the flight data recorder: two threads, blocks out of order, a tail call, an
                                   argument, events, a counter that continues on another CPU
       xray_log.py same LOG [PROGRAM]  every record is the same in both; with the program also the names
"""
import itertools
import json
import re
import struct
import sys

from adatest import adatrace, run

ENTER, EXIT, TAIL, ENTER_ARGUMENT = range(4)


def metadata(kind, payload):
    return bytes([kind << 1 | 1]) + payload.ljust(15, b"\0")


def function(kind, number, delta):
    return struct.pack("<II", number << 4 | kind << 1, delta)


def block(pid, tid, second, records):
    content = (metadata(0, struct.pack("<i", tid)) + metadata(4, struct.pack("<qi", second, 500)) +
               metadata(9, struct.pack("<i", pid)) + b"".join(records))
    return metadata(7, struct.pack("<Q", len(content))) + content


def cpu(number, ticks):
    return metadata(2, struct.pack("<HQ", number, ticks))


def flightRecorder():
    header = struct.pack("<HHIQ16x", 5, 1, 3, 2_000_000_000)
    first = block(70, 71, 10, [
        cpu(0, 10_000), function(ENTER, 1, 0), function(ENTER_ARGUMENT, 2, 200), metadata(6, struct.pack("<Q", 42)),
        metadata(5, struct.pack("<ii", 5, 100)) + b"hello", function(EXIT, 2, 100),
        metadata(8, struct.pack("<iiH", 3, 100, 9)) + b"abc", function(ENTER, 3, 300), function(TAIL, 3, 50)])
    second = block(70, 71, 11, [cpu(1, 20_000), function(ENTER, 4, 2), metadata(3, struct.pack("<Q", 30_000)),
                                function(EXIT, 4, 8), function(EXIT, 1, 2)])
    other = block(70, 72, 10, [cpu(3, 15_000), function(ENTER, 4, 1), function(EXIT, 4, 3)])
    return header + second + other + b"\0\0\0\0" + first


def xrayRecords(log, program):
    command = ["llvm-xray", "convert", "-f", "yaml", log] + (["-y", "-m", program] if program else [])
    text = run(*command)
    pattern = re.compile(r"func-id: (\d+), function: (.*?), (?:args: .*?, )?cpu: \d+, thread: (\d+), "
                         r"(?:process: (\d+), )?kind: ([\w-]+), tsc: (\d+)")
    kinds = {"function-enter": "call", "function-enter-arg": "call", "function-exit": "return",
             "function-tail-exit": "return"}
    rate = int(re.search(r"cycle-frequency: (\d+)", text)[1])
    for number, name, tid, _, kind, ticks in pattern.findall(text):
        if kind in kinds:
            yield (int(tid), int(ticks) * 10**9 // rate, kinds[kind], name.strip("'") if program else f"fn {number}")


def ownRecords(log):
    text = adatrace("dump", "--absolute", "--format=jsonl", log)
    for event in map(json.loads, text.splitlines()):
        if event["kind"] in ("call", "return"):
            # The demanglers disagree about spaces between angle brackets.
            yield (event["tid"], event["ts"], event["kind"], re.sub(r">\s+(?=>)", ">", event["name"]))


def byThread(records):
    threads = {}
    for record in records:
        threads.setdefault(record[0], []).append(record)
    return threads


if sys.argv[1] == "fdr":
    open(sys.argv[2], "wb").write(flightRecorder())
else:
    expected = byThread(xrayRecords(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
    seen = byThread(ownRecords(sys.argv[2]))
    for tid in expected.keys() | seen.keys():
        for pair in itertools.zip_longest(expected.get(tid, []), seen.get(tid, [])):
            assert pair[0] == pair[1], pair
    print(sum(map(len, expected.values())), "records of", len(expected), "threads are the same")
