#!/usr/bin/env python3
"""Makes traces in which calls of handle() are slow for a known reason, and checks what `adatrace outliers` says.

Usage: planted_trace.py SEEDS [KIND…]

For each kind of cause, and for each seed from 1 to SEEDS: writes a trace (Chrome's format; sizes, rates and noise depend
on the seed), runs `adatrace outliers` on it, and compares. The cause must be the first factor and explain 80 to 120 % of
what it cost; where nothing is planted, there must be no factor. At least 95 % of the seeds of each kind must be right.
"""
import json
import random
import sys

from adatest import run


class Trace:
    def __init__(self, seed, kind):
        self.r = random.Random(f"{kind} {seed}")
        self.events = []
        self.tid = 1
        self.now = {}

    def clock(self):
        return self.now.setdefault(self.tid, 1_000_000)

    def spend(self, ns):
        self.now[self.tid] = self.clock() + ns

    def call(self, name, inside, **args):
        begin, place = self.clock(), len(self.events)
        self.events.append(None)
        inside()
        event = {"ph": "X", "pid": 1, "tid": self.tid, "name": name, "ts": begin / 1000, "dur": (self.clock() - begin) / 1000}
        if args:
            event["args"] = args
        self.events[place] = event

    def spin(self, name, ns):
        self.call(name, lambda: self.spend(ns))


def noise(r):
    "A function that gives the time of a part of an ordinary call."
    base = r.randrange(2000, 30000)
    shape = r.choice(["uniform", "normal", "exponential", "lognormal"])
    width = r.uniform(0.05, 0.4)
    draw = {"uniform": lambda: r.uniform(0, 2 * width), "normal": lambda: max(0.0, r.gauss(width, width / 3)),
            "exponential": lambda: r.expovariate(1 / width), "lognormal": lambda: r.lognormvariate(0, 0.5) * width}[shape]
    return lambda: int(base * (1 + draw()))


def make(kind, seed):
    "Returns the events, and the time that the cause costs a slow call."
    t = Trace(seed, kind)
    r = t.r
    parse, work = noise(r), noise(r)
    calls, every = r.randrange(1500, 4000), r.randrange(70, 150)
    extra = r.randrange(10, 60) * 20_000
    limit = r.randrange(500, 900)
    threads = r.choice([1, 2, 3])
    period = r.randrange(3, 6) * 1_000_000
    slow_thread = 2
    if kind in ("thread", "first"):
        threads = r.choice([20, 30])
    if kind == "thread":
        calls *= 3
    if kind == "concurrent":  # one thread at a time has calls that another one slows down
        threads = 1

    def handle(is_slow, size, nth):
        def inside():
            t.spin("parse", parse())
            # Code that has nearly all of the time is where interruptions are, too, so it is not named.
            t.spend(work() // 4 if kind == "own" else work())
            if is_slow:
                {"callee": lambda: t.spin("rebuild", extra), "own": lambda: t.spend(extra)}.get(
                    kind, lambda: t.spin("work", extra) if seed % 2 else t.spend(extra))()
            elif kind != "own" and seed % 2:
                t.spin("work", 500)
        t.call("handle", inside, size=size, verb=r.choice(["get", "put", "list"]))

    total = 0
    for tid in range(1, threads + 1):
        t.tid = tid
        for nth in range(calls // threads):
            size = r.randrange(0, limit)
            chosen = r.randrange(every) == 0
            is_slow = kind not in ("none", "first", "time", "thread") and chosen
            if kind == "first":
                is_slow = nth == 0
            elif kind == "argument" and is_slow:
                size = limit + r.randrange(0, 90)
            elif kind == "thread":
                is_slow = tid == slow_thread and r.randrange(10) > 0 and nth % 3 == 0
            elif kind == "time":
                is_slow = (t.clock() // 1000) % (period // 1000) < 400
            if kind == "before" and is_slow:
                t.spin("evict", 900)
            else:
                t.spin("read", 900)
            begin = t.clock()
            handle(is_slow, size, nth)
            total += is_slow
            if kind == "concurrent" and is_slow:
                at, t.tid = t.clock(), 99
                t.now[99] = begin - 2000
                t.spin("flush", at - begin + 1000)
                t.tid = tid
            elif kind == "concurrent" and r.randrange(3) == 0: # the other thread is not idle otherwise
                at, t.tid = t.clock(), 99
                t.now[99] = begin - 2000
                t.spin("poll", 4000)
                t.tid = tid
            t.spend(r.randrange(500, 3000))
    return t.events, extra, total


def answer(events):
    with open("planted.json", "w") as file:
        json.dump({"traceEvents": events}, file)
    command = ["adatrace", "outliers", "--function=handle", "--format=json", "planted.json"]
    return json.loads(run(*command))


KINDS = {"own": "own", "callee": "callee", "argument": "argument", "first": "time", "thread": "thread", "before": "before",
         "concurrent": "concurrent", "time": "time", "none": None}


def is_right(kind, found, extra):
    factors = found["factors"]
    assert abs(sum(factor["explains_ns"] for factor in factors) - found["extra_ns"]) <= len(factors) + 1, found
    if KINDS[kind] is None:
        return len(factors) == 1
    return factors[0]["kind"] == KINDS[kind] and 0.8 * extra <= factors[0]["explains_ns"] <= 1.2 * extra


if __name__ == "__main__":
    seeds = int(sys.argv[1])
    bad = 0
    for kind in sys.argv[2:] or KINDS:
        wrong = []
        for seed in range(1, seeds + 1):
            events, extra, total = make(kind, seed)
            found = answer(events)
            if not is_right(kind, found, extra):
                wrong.append((seed, extra, total, found["slow_calls"],
                              [(f["kind"], f["what"], f["explains_ns"], f["p_value"]) for f in found["factors"]]))
        print(f"{kind}: {seeds - len(wrong)} of {seeds}")
        for one in wrong[:5]:
            print("   ", *one)
        bad += len(wrong) > 0.05 * seeds
    sys.exit(1 if bad else 0)
