#!/usr/bin/env python3
"""Compares the output of tree and report for random threads with the threads' events.

Usage: check_calls.py generate SEED THREADS > FILE      lines for ada-make-session
       check_calls.py check ADATRACE SESSION            status 1 and the differences, if there are any

The calls are reconstructed here independently, from the events that `dump` prints. All times are whole
microseconds and end before the first second, so that the text of `tree` shows them exactly.
"""
import collections
import json
import random
import re
import sys

from adatest import run

NAMES = ["main", "_Z2f2ILi2EEvv", "a", "b", "c", "_ZN2ns1dEi", "e", "f", "g", "h"]


# ===--- generate ---------------------------------------------------------===#


class Generator:
    """Random programs: each function has a body of calls and loops, some call themselves."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def body(self, depth):
        items = []
        for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4])):
            if depth < 3 and self.random.random() < 0.35:
                items.append((self.random.choice([2, 3, 5, 9]), self.body(depth + 1)))
            else:
                items.append(self.random.randrange(len(NAMES)))
        return items

    def thread(self, number):
        self.bodies = [self.body(0) for _ in NAMES]
        self.recursive = {n for n in range(len(NAMES)) if self.random.random() < 0.2}
        self.isDamaged = self.random.random() < 0.3
        self.time, self.left = 1000, self.random.randrange(20, 1500)
        print(f"T: thread {number} tid {100 + number} packed")  # ATF has fewer kinds of exits
        while self.left > 0:
            self.call(self.random.randrange(len(NAMES)), 0)

    def emit(self, kind, function):
        self.time += 1000 * self.random.choice([0, 1, 1, 2, 5])
        self.left -= 1
        print(f"T: {self.time} {kind} {NAMES[function]}")

    def call(self, function, depth):
        self.emit("call", function)
        if depth < 12 and self.left > 0:
            self.run(self.bodies[function], depth)
            if function in self.recursive and self.random.random() < 0.8:
                self.call(function, depth + 1)
        if self.isDamaged:
            luck = self.random.random()
            if luck < 0.01:
                return  # its exit is missing
            if luck < 0.02:
                self.emit("return", self.random.randrange(len(NAMES)))  # of no call, or of an outer one
        luck = self.random.random()
        self.emit("exception" if luck < 0.01 else "inferred" if luck < 0.02 else "missing" if luck < 0.03 else "return", function)

    def run(self, items, depth):
        for item in items:
            if self.left <= 0:
                return
            if isinstance(item, tuple):
                for _ in range(item[0]):
                    self.run(item[1], depth)
            else:
                self.call(item, depth + 1)


def generate(seed, threads):
    generator = Generator(seed)
    print("T: process 42")
    for number, name in enumerate(NAMES):
        print(f"T: function {number + 1} {name}")
    for number in range(threads):
        generator.thread(number)


# ===--- the calls, from the events ---------------------------------------===#


class Call:
    def __init__(self, name, begin, isOutermost):
        self.name, self.begin, self.isOutermost = name, begin, isOutermost
        self.calls, self.total, self.self, self.how = [], 0, 0, "return"

    def end(self, time, how):
        self.total, self.how = time - self.begin, how
        self.self = self.total - sum(call.total for call in self.calls)


def threadsOf(dump):
    """The outermost calls of each thread; exits are matched as include/ada/trace/calls.h describes."""
    events = collections.defaultdict(list)
    for line in dump.splitlines():
        event = json.loads(line)
        events[event["thread"]].append((event["ts"], event["kind"], event["name"]))
    threads = {}
    for number, list_ in events.items():
        roots, stack = [], []
        for time, kind, name in list_:
            if kind == "call":
                call = Call(name, time, all(other.name != name for other in stack))
                (stack[-1].calls if stack else roots).append(call)
                stack.append(call)
            elif any(other.name == name for other in stack):
                while stack[-1].name != name:
                    stack.pop().end(time, "missing")
                stack.pop().end(time, kind)
        while stack:
            stack.pop().end(max(time for time, _, _ in list_), "open")
        threads[number] = roots
    return threads


def walk(calls, path=()):
    for call in calls:
        yield call, path
        yield from walk(call.calls, path + (call.name,))


# ===--- what tree and report say -----------------------------------------===#

LINE = re.compile(
    r"^ *(?P<total>[\d.]+ (?:ns|us|ms))(?: +(?P<self>[\d.]+ (?:ns|us|ms))  | {14})(?P<indent> *)(?P<name>\S.*?)"
    r"(?: ×(?P<count>[\d,]+))?(?: \[recursive: (?P<calls>[\d,]+) calls, [\d,]+ deep\])?"
    r"(?: \[(?P<how>left by exception|exit inferred|still open|no exit recorded)\](?: for [\d.]+ \w+)?)?$"
)
HOW = {None: "return", "left by exception": "exception", "exit inferred": "inferred", "still open": "open", "no exit recorded": "missing"}
UNIT = {"ns": 1, "us": 1000, "ms": 1000000}


def nanoseconds(text):
    number, unit = text.split()
    whole, _, rest = number.partition(".")
    return (int(whole) * 1000 + int(rest.ljust(3, "0") or 0)) * UNIT[unit] // 1000


Line = collections.namedtuple("Line", "depth name total self how calls")


def linesOf(tree):
    threads, lines = {}, None
    for text in tree.splitlines():
        if heading := re.match(r"thread (\d+) ", text):
            lines = threads.setdefault(int(heading[1]), [])
        elif text and not text.endswith("  call"):
            match = LINE.match(text)
            assert match, text
            number = lambda group: int((match[group] or "1").replace(",", ""))
            isLoop = match["self"] is None
            lines.append(
                Line(
                    depth=len(match["indent"]) // 2,
                    name=None if isLoop else match["name"],
                    total=nanoseconds(match["total"]),
                    self=0 if isLoop else nanoseconds(match["self"]),
                    how=HOW[match["how"]],
                    calls=number("calls") if match["calls"] else number("count"),
                )
            )
    return threads


def keyOf(path):
    """A path of calls with recursion counted as one level, as in a folded tree."""
    return tuple(name for i, name in enumerate(path) if i == 0 or name != path[i - 1])


def foldedFigures(lines):
    """Calls and self time by path and end, from a folded tree."""
    figures, stack = collections.Counter(), []
    for line in lines:
        del stack[line.depth :]
        stack.append(line.name)
        if line.name is not None:
            key = keyOf([name for name in stack if name is not None])
            figures[key, line.how, "calls"] += line.calls
            figures[key, line.how, "self"] += line.self
    return figures


def callFigures(roots):
    figures = collections.Counter()
    for call, path in walk(roots):
        key = keyOf(path + (call.name,))
        figures[key, call.how, "calls"] += 1
        figures[key, call.how, "self"] += call.self
    return figures


def reportOf(threads):
    rows = {}
    for call, _ in (pair for roots in threads.values() for pair in walk(roots)):
        row = rows.setdefault(call.name, collections.Counter())
        row["calls"] += 1
        if call.how != "return":
            row[{"exception": "exceptions"}.get(call.how, call.how)] += 1
        row["total_ns"] += call.total if call.isOutermost else 0
        row["self_ns"] += call.self
        if call.how in ("return", "exception"):
            row["max_ns"] = max(row["max_ns"], call.total)
    return rows


def check(adatrace, session):
    def ask(*arguments):
        return run(adatrace, *arguments, session)

    problems = []

    def compare(what, found, wanted):
        if found != wanted:
            problems.append(what)
            for key in list(wanted if isinstance(wanted, dict) else [])[:10000]:
                if found.get(key) != wanted[key]:
                    problems.append(f"    {key}: {found.get(key)} instead of {wanted[key]}")

    sys.setrecursionlimit(10000)
    threads = threadsOf(ask("dump", "--format=jsonl"))
    for early in ([], ["--max-nodes=40"]):
        plain = linesOf(ask("tree", "--names=full", "--no-fold", *early))
        folded = linesOf(ask("tree", "--names=full", *early))
        for number, roots in threads.items():
            calls = [Line(len(path), call.name, call.total, call.self, call.how, 1) for call, path in walk(roots)]
            compare(f"tree --no-fold {early}: thread {number}", plain[number], calls)
            compare(f"tree {early}: thread {number}", foldedFigures(folded[number]), callFigures(roots))
    rows = {}
    for line in ask("report", "--names=full", "--format=jsonl").splitlines():
        row = json.loads(line)
        keys = "calls exceptions inferred missing open total_ns self_ns max_ns".split()
        rows[row["function"]] = collections.Counter({key: row[key] for key in keys if row[key]})
    compare("report", rows, {name: +row for name, row in reportOf(threads).items()})
    events = sum(1 for roots in threads.values() for _ in walk(roots))
    print(*problems[:40], f"{events} calls of {len(threads)} threads compared, {len(problems)} problems", sep="\n")
    return 1 if problems or not events else 0


if sys.argv[1] == "generate":
    generate(int(sys.argv[2]), int(sys.argv[3]))
else:
    sys.exit(check(sys.argv[2], sys.argv[3]))
