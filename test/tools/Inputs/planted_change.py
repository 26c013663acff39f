#!/usr/bin/env python3
"""Makes pairs of runs that differ in a known way, and checks what `adatrace diff --explain` says.

Usage: planted_change.py MAKE_SESSION SCHED_FILE SEEDS [KIND…]

For each kind of change, and for each seed from 1 to SEEDS: writes one run, or three, before and after the change, and
asks for the mean of handle(), its p99 and its total. The planted cause must be the first row (two causes: the first two)
and explain 80 to 120 % of what it costs; all rows must add up to the change exactly. Where nothing is planted, no row
may explain anything.
"""
import json
import random
import re
import shutil
import subprocess
import sys

from adatest import attempt

MAKE_SESSION, SCHED_FILE = sys.argv[1:3]
FUNCTIONS = ["main", "handle", "parse", "lookup", "rebuild", "compact", "sort"]
LOCK, UNLOCK = "pthread_mutex_lock", "pthread_mutex_unlock"


class Run:
    "One run, as text for ada-make-session. `planted` is what its changes cost, in total."

    def __init__(self, r, shape, changes):
        self.r, self.shape, self.changes = r, shape, changes
        self.lines, self.other, self.sched = [], [], []
        self.now, self.planted, self.large = 1000, {kind: 0 for kind in changes}, 0
        self.event("call main")
        self.calls = shape["calls"] + r.randrange(shape["calls"] // 10)
        for _ in range(self.calls):
            self.handle()
            self.now += 500
        self.event("return main")

    def event(self, text, to=None):
        (self.lines if to is None else to).append(f"{self.now} {text}")

    def spend(self, ns):
        self.now += max(1, int(ns * self.r.lognormvariate(0, 0.3)))

    def wait(self, ns):
        self.now += ns

    def plant(self, kind, ns):
        self.planted[kind] += ns

    def call(self, name, inside, detail=""):
        self.event(f"call {name}{detail}")
        inside()
        self.event(f"return {name}" + (" detail 0" if detail else ""))

    def parse(self):
        self.call("parse", lambda: self.spend(self.shape["parse"]))

    def lookup(self):
        self.spend(200)
        wait = self.shape["extra"] if "lock" in self.changes and self.r.random() < self.shape["often"] else 0
        at = self.now
        if wait:  # compact() took the lock on the other thread, and gives it back when the wait is over
            self.plant("lock", wait)
            self.other += [f"{at - 150} call compact", f"{at - 100} call {LOCK} detail 0xabc", f"{at - 90} return {LOCK} detail 0",
                           f"{at + wait - 60} call {UNLOCK} detail 0xabc", f"{at + wait - 50} return {UNLOCK} detail 0",
                           f"{at + wait - 40} return compact"]
        self.event(f"call {LOCK} detail 0xabc")
        if wait:
            self.sched.append(f"{at + 10} waits 1")
            self.now += wait
            self.sched.append(f"{self.now - 10} on 1")
        self.now += 60
        self.event(f"return {LOCK} detail 0")
        self.call(UNLOCK, lambda: self.spend(40), " detail 0xabc")

    def handle(self):
        shape, changes, r = self.shape, self.changes, self.r
        is_large = r.random() < (shape["often"] if "argument" in changes else shape["seldom"])
        size = 1000 + r.randrange(500) if is_large else r.randrange(1000)

        self.large += is_large

        def inside():
            self.spend(shape["own"])
            times = shape["times"] * (2 if "calls" in changes else 1)
            before = self.now
            for _ in range(times):
                self.parse()
            if "calls" in changes:
                self.plant("calls", (self.now - before) / 2)
            self.call("lookup", self.lookup)
            if is_large:
                self.now += shape["large"]
            if "own" in changes:
                self.now += shape["slower"]
                self.plant("own", shape["slower"])
            if "callee" in changes and r.random() < shape["often"]:
                self.plant("callee", shape["extra"])
                self.call("rebuild", lambda: self.call("sort", lambda: self.wait(shape["extra"])))
            if "preempted" in changes and r.random() < shape["often"]:
                self.plant("preempted", shape["extra"])
                self.sched.append(f"{self.now + 1000} preempted 1")
                self.now += shape["extra"]
                self.sched.append(f"{self.now + 1000} on 1")
            self.now += 2000
        self.call("handle", inside, f" detail {size}")

    def write(self, name):
        text = ["process 42"] + [f"function {n} {function}" for n, function in enumerate(FUNCTIONS, 1)]
        text += ["types 2 i0:s32;size:i0:s32"]
        for number, library in ((20, LOCK), (21, UNLOCK)):
            text += [f"function {number} {library} /usr/include/pthread.h:{number}", f"external {number}"]
        text += ["thread 0 tid 10 name server"] + self.lines + ["thread 1 tid 11 name compactor"] + self.other
        with open(f"{name}.txt", "w") as file:
            file.writelines(f"T: {line}\n" for line in text)
        shutil.rmtree(name, ignore_errors=True)
        subprocess.run([MAKE_SESSION, f"{name}.txt", name], check=True)
        if self.shape["sched"]:
            subprocess.run([sys.executable, SCHED_FILE, f"{name}/pid_42/thread_0", f"500 {self.now + 1000}", "900 on 1",
                            *self.sched], check=True)


def shape_of(r):
    return {"calls": r.randrange(200, 600), "own": r.randrange(2000, 8000), "parse": r.randrange(1000, 4000),
            "times": r.randrange(2, 5), "slower": r.randrange(4000, 12000), "extra": r.randrange(40_000, 400_000),
            "often": r.uniform(0.1, 0.5), "seldom": 0.01, "large": r.randrange(40_000, 200_000),
            "sched": r.random() < 0.5}


# Large arguments begin at 1000; no ordinary call may have come close to it.
LARGE = r"size >= (1\d\d\d|9[5-9]\d) "
# What is planted, and how the first rows must look: kind, and a text in path or cause.
KINDS = {
    "none": {}, "calls": {"calls": ("calls", "parse")}, "own": {"own": ("own", "own code")},
    "callee": {"callee": ("callee", "rebuild")}, "lock": {"lock": ("waiting", "held by compactor, taken in compact")},
    "preempted": {"preempted": ("preempted", "another thread")}, "argument": {"argument": ("argument", LARGE)},
    "two": {"callee": ("callee", "rebuild"), "lock": ("waiting", "taken in compact")},
    "both": {"argument": ("argument", LARGE), "calls": ("calls", "parse")},
}


def check(kind, seed):
    r = random.Random(f"{kind} {seed}")
    shape = shape_of(r)
    if "argument" not in KINDS[kind]:
        shape["seldom"] = 0
    if kind == "preempted":
        shape["sched"] = True
    runs = r.choice([1, 1, 3])
    wanted = KINDS[kind]
    sides, planted = [], dict.fromkeys(wanted, 0.0)
    for side, changes in (("a", ()), ("b", tuple(wanted))):
        names = []
        for number in range(1, runs + 1):
            run = Run(r, shape, changes)
            run.write(f"{side}{number}")
            names.append(f"{side}{number}")
            for change, ns in run.planted.items():
                planted[change] += ns / run.calls / runs
            if "argument" in planted:
                planted["argument"] += (1 if changes else -1) * run.large * shape["large"] / run.calls / runs
        sides.append(names)
    is_right, shown = True, [runs, shape["sched"], planted]
    for statistic in ("mean", "p99", "total"):
        command = ["adatrace", "diff", "--explain", "--function=handle", f"--statistic={statistic}", "--format=json",
                   *sides[0], "--with", *sides[1]]
        answer = attempt(*command)
        assert answer.returncode == 0 and not answer.stderr, (command, answer)
        rows = json.loads(answer.stdout)
        assert sum(row["explains_ns"] for row in rows) == rows[0]["change_ns"], rows
        assert rows[-1]["kind"] == "unexplained", rows
        cost = planted
        if statistic == "p99":  # a slow call has all of it
            if not set(wanted) <= {"callee", "lock", "preempted"} or len(wanted) > 1:
                continue
            cost = dict.fromkeys(wanted, shape["extra"])
        elif statistic == "total":
            continue
        shown.append([(row["kind"], row["path"], row["what"], row["explains_ns"]) for row in rows])
        is_right &= len(wanted) > 0 or len(rows) == 1
        for change, (name, text) in wanted.items():
            is_right &= any(row["kind"] == name and re.search(text, " ".join(row["path"] + [row["what"]])) and
                            0.8 * cost[change] <= row["explains_ns"] <= 1.2 * cost[change] for row in rows[:len(wanted)])
    return is_right, shown


if __name__ == "__main__":
    seeds = int(sys.argv[3])
    bad = 0
    for kind in sys.argv[4:] or KINDS:
        wrong = []
        for seed in range(1, seeds + 1):
            is_right, shown = check(kind, seed)
            if not is_right:
                wrong.append((seed, *shown))
        print(f"{kind}: {seeds - len(wrong)} of {seeds}", flush=True)
        for one in wrong[:5]:
            print("   ", *one)
        bad += len(wrong) > 0.05 * seeds
    sys.exit(1 if bad else 0)
