#!/usr/bin/env python3
"""Writes a trace (Chrome's format) of 2,000 calls of handle() that call parse(), work() and reply().

Usage: sure_trace.py SLOW NS FUNCTION > trace.json

SLOW calls, chosen at random but the same each time, take 10 ms longer in FUNCTION. An ordinary call of work() takes about NS
nanoseconds; the others take 2 us.
"""
import json
import random
import sys

slow, work, function = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
r = random.Random(1)
chosen = set(r.sample(range(50, 2000), slow))  # first calls are a reason of their own
now, events = 0, []
for number in range(2000):
    begin, parts = now, []
    for name, ns in (("parse", 2000), ("work", work), ("reply", 2000)):
        ns += r.randrange(ns // 10) + (10_000_000 if number in chosen and name == function else 0)
        parts.append({"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": now / 1000, "dur": ns / 1000})
        now += ns
    events += [{"ph": "X", "pid": 1, "tid": 1, "name": "handle", "ts": begin / 1000, "dur": (now - begin) / 1000}, *parts]
    now += r.randrange(500, 3000)
json.dump({"traceEvents": events}, sys.stdout)
