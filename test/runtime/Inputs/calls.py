#!/usr/bin/env python3
"""Reads a trace for the tests: calls.py tree|count|total|manifest DIR …

An independent reader, so that writer and library can't share a mistake. In every mode it first checks every file
that it reads: header, footer, times that never go back, calls and exits that nest, sizes in the manifest. DIR is
a session, the directory of one process, or a directory that holds one session.
"""
import argparse
import glob
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import symbols  # noqa: E402

CALL, RETURN, EXCEPTION = 1, 2, 3


class Bad(Exception):
    """The trace is not valid."""


class Call:
    """A call with its contents; `end` is RETURN, EXCEPTION or 0 while it is open."""

    __slots__ = ("name", "children", "end")

    def __init__(self, name):
        self.name, self.children, self.end = name, [], 0


class Thread:
    def __init__(self, process, path):
        self.process, self.path = process, path
        self.index = int(os.path.basename(os.path.dirname(path)).split("_")[1])
        with open(path, "rb") as f:
            data = f.read()
        if len(data) < 128 or data[:4] != b"ATI2":
            raise Bad(f"{path}: no index file")
        self.version = data[5]
        if self.version == 1:
            self.tid, size, count, begin, footer, start, end = struct.unpack_from("<I8xII4Q", data, 12)
        else:
            self.tid, size, count, begin, footer, start, end = struct.unpack_from("<I4xI5Q", data, 12)
        if (size, begin) != (32, 64) or footer != 64 + 32 * count or len(data) != footer + 64:
            raise Bad(f"{path}: {count} events, footer at {footer}, {len(data)} bytes")
        magic, _, fcount, fstart, fend, written = struct.unpack_from("<4sI4Q", data, footer)
        if magic != b"2ITA" or (fcount, fstart, fend, written) != (count, start, end, 32 * count):
            raise Bad(f"{path}: the footer disagrees with the header")
        body = memoryview(data)[64:footer]
        if self.version == 1:
            self.events = [(t, f, k, d) for t, f, _, k, d, _ in struct.iter_unpack("<QQIIII", body)]
        else:
            self.events = [(t, f, k, None) for t, f, _, k in struct.iter_unpack("<QQQQ", body)]
        self._check(start, end)

    def _check(self, start, end):
        """Checks times and nesting; sets the number of open calls."""
        stack, last = [], 0
        for i, (time, function, kind, depth) in enumerate(self.events):
            if time < last:
                raise Bad(f"{self.path}: event {i} is {last - time} ns older than the one before")
            last = time
            if kind == CALL:
                if depth is not None and depth != len(stack):
                    raise Bad(f"{self.path}: event {i} has depth {depth} instead of {len(stack)}")
                stack.append(function)
            elif kind not in (RETURN, EXCEPTION):
                raise Bad(f"{self.path}: event {i} is of kind {kind}")
            elif not stack or stack.pop() != function:
                raise Bad(f"{self.path}: event {i} leaves {self.process.name(function)}, which is not the innermost call")
            elif depth is not None and depth != len(stack):
                raise Bad(f"{self.path}: event {i} has depth {depth} instead of {len(stack)}")
        if self.events and (start, end) != (self.events[0][0], last):
            raise Bad(f"{self.path}: times in the header are not those of the events")
        self.open = len(stack)

    def tree(self):
        root = Call("")
        stack = [root]
        for _, function, kind, _ in self.events:
            if kind == CALL:
                call = Call(self.process.name(function))
                stack[-1].children.append(call)
                stack.append(call)
            else:
                stack.pop().end = kind
        return root.children

    def steps(self):
        """Returns [(kind, name)] in order."""
        name = self.process.name
        return [(kind, name(function)) for _, function, kind, _ in self.events]

    @property
    def name(self):
        return next((t["name"] for t in self.process.manifest["threads"] if t["id"] == self.index), "")


class Process:
    def __init__(self, directory):
        self.directory = directory
        with open(os.path.join(directory, "manifest.json"), encoding="utf-8") as f:
            self.manifest = json.load(f)
        self.symbols = symbols.of(directory, self.manifest)
        self.names = {int(s["function_id"], 16): s["name"] for s in self.symbols}
        if len(self.names) != len(self.symbols):
            raise Bad(f"{directory}: two symbols have one function_id")
        self._demangle()
        paths = glob.glob(os.path.join(glob.escape(directory), "thread_*", "index.atf"))
        self.threads = sorted((Thread(self, p) for p in paths), key=lambda t: t.index)
        listed = {t["id"]: t["event_count"] for t in self.manifest["threads"]}
        # A thread of which nothing could be written has no file.
        files = {t.index: len(t.events) for t in self.threads}
        if listed != {t["id"]: 0 for t in self.manifest["threads"] if t.get("dropped")} | files:
            raise Bad(f"{directory}: the manifest's threads and events are not those of the files")

    def _demangle(self):
        mangled = [n for n in self.names.values() if n.startswith("_Z")]
        if not mangled:
            return
        plain = subprocess.run(["llvm-cxxfilt"], input="\n".join(mangled), capture_output=True, text=True, check=True)
        table = dict(zip(mangled, plain.stdout.split("\n")))
        self.names = {i: table.get(n, n) for i, n in self.names.items()}

    def name(self, function):
        if function not in self.names:
            raise Bad(f"{self.directory}: an event's function 0x{function:x} is not among the symbols")
        return self.names[function]

    @property
    def start(self):
        return min((t.events[0][0] for t in self.threads if t.events), default=0)

    @property
    def dropped(self):
        everywhere = [self.manifest.get("dropped", {})] + [t.get("dropped", {}) for t in self.manifest["threads"]]
        return sum(sum(d.values()) for d in everywhere)


def load(directory):
    """The processes of a trace, in order of their first events."""
    for pattern in ("", "pid_*", "session_*/pid_*"):
        found = [d for d in glob.glob(os.path.join(glob.escape(directory), pattern))
                 if os.path.exists(os.path.join(d, "manifest.json"))]
        if found:
            return sorted(map(Process, found), key=lambda p: p.start)
    raise Bad(f"{directory}: no trace here")


def print_tree(calls, only, indent=0):
    stack = [(c, indent) for c in reversed(calls)]
    while stack:
        call, depth = stack.pop()
        shown = re.search(only, call.name) is not None
        if shown:
            print("  " * depth + call.name + {0: " (open)", RETURN: "", EXCEPTION: " (exception)"}[call.end])
        stack.extend((c, depth + shown) for c in reversed(call.children))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["tree", "count", "total", "manifest"])
    parser.add_argument("directory")
    parser.add_argument("members", nargs="*", help="manifest: paths such as process.exit.how")
    parser.add_argument("--only", default="", help="tree, count: functions whose names match this regular expression")
    parser.add_argument("--by-module", action="store_true", help="count: names begin with the module's number and a blank")
    parser.add_argument("--together", action="store_true", help="count: all threads of a process in one")
    parser.add_argument("--open", type=int, help="the number of open calls that there may be (default: any)")
    arguments = parser.parse_args()
    processes = load(arguments.directory)
    opened = sum(t.open for p in processes for t in p.threads)
    if arguments.open is not None and opened != arguments.open:
        raise Bad(f"{arguments.directory}: {opened} calls are open, not {arguments.open}")
    if arguments.what == "total":
        events = sum(len(t.events) for p in processes for t in p.threads)
        threads = sum(len(p.threads) for p in processes)
        dropped = sum(p.dropped for p in processes)
        print(f"processes={len(processes)} threads={threads} events={events} open={opened} dropped={dropped}")
        return
    for number, process in enumerate(processes):
        if arguments.what == "manifest":
            for member in arguments.members:
                value = process.manifest
                for key in member.split("."):
                    value = value[int(key) if isinstance(value, list) else key]
                print(f"{member}={json.dumps(value, ensure_ascii=False)}")
            continue
        print(f"process {number}:")
        for thread in process.threads:
            print(f"thread {thread.index}:")
            if arguments.what == "tree":
                print_tree(thread.tree(), arguments.only)
                continue
            counts = {}
            counted = [e for t in process.threads for e in t.events] if arguments.together else thread.events
            if arguments.together and thread is not process.threads[0]:
                continue
            for _, function, kind, _ in counted:
                key = (function >> 32 if arguments.by_module else 0, process.name(function))
                counts.setdefault(key, [0, 0, 0, 0])[kind] += 1
            for (module, name), (_, calls, returns, exceptions) in sorted(counts.items()):
                if re.search(arguments.only, name):
                    print(f"{module} " * arguments.by_module + f"{name} calls={calls} returns={returns} exceptions={exceptions}")


if __name__ == "__main__":
    try:
        main()
    except Bad as e:
        sys.exit(f"calls.py: {e}")
