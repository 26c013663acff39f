#!/usr/bin/env python3
"""Reads detail files for the tests, beside calls.py: details.py count|windows|total DIR

An independent reader. In every mode it first checks every detail file: header, footer, lengths that add up, times, and
each link in both directions. `count` prints the number of calls and returns with details of each function; `total` the
number of all details. `windows` checks that exactly the calls and returns in the manifest's windows have details
(--only REGEX: of the chosen functions), and prints the windows with their causes.
"""
import argparse
import bisect
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import calls  # noqa: E402
from calls import Bad  # noqa: E402

DETAIL_CALL, DETAIL_RETURN, DETAIL_VECTORS = 3, 4, 0xADA0
# For each version, the place of an index event's link, its packing, and the value that means no link.
LINK = {1: (28, "<I", 0xFFFFFFFF), 2: (16, "<Q", 0xFFFFFFFFFFFFFFFF)}


class Detail:
    """One function event's registers; `vectors` are from our event that follows it."""

    def __init__(self, seq, kind, index_seq, time, payload):
        self.seq, self.kind, self.index_seq, self.time = seq, kind, index_seq, time
        self.function, *self.registers = struct.unpack_from("<9Q", payload)
        self.lr, self.fp, self.sp, size = struct.unpack_from("<3QH", payload, 72)
        if len(payload) != 100 + size:
            raise Bad(f"detail {seq}: a stack of {size} bytes in a payload of {len(payload)}")
        self.stack = bytes(payload[100:])
        self.vectors = []


class Details:
    """The details of a calls.Thread, in order; `of` finds one by the event's number in the index."""

    def __init__(self, thread):
        self.thread, self.list, self.of = thread, [], {}
        path = os.path.join(os.path.dirname(thread.path), "detail.atf")
        with open(thread.path, "rb") as f:
            index = f.read()
        flags, = struct.unpack_from("<I", index, 8)
        self.exists = os.path.exists(path)
        if self.exists != bool(flags & 1):
            raise Bad(f"{thread.path}: flags {flags:#x}, but detail.atf {'exists' if self.exists else 'is missing'}")
        offset, packed, none = LINK[thread.version]
        forward = [struct.unpack_from(packed, index, 64 + 32 * i + offset)[0] for i in range(len(thread.events))]
        if not self.exists:
            if any(link != none for link in forward):
                raise Bad(f"{thread.path}: links to details that are nowhere")
            return
        with open(path, "rb") as f:
            self._read(thread, path, f.read())
        for i, link in enumerate(forward):
            back = self.of.get(i)
            if link != (back.seq if back else none):
                raise Bad(f"{thread.path}: event {i} links to detail {link}, "
                          f"{f'detail {back.seq} to it' if back else 'none to it'}")

    def _read(self, thread, path, data):
        if data[:4] != b"ATD2" or data[5] != thread.version:
            raise Bad(f"{path}: no detail file of version {thread.version}")
        begin, count, length, first, last = struct.unpack_from("<5Q", data, 20)
        if begin != 64 or len(data) != 64 + length + 64:
            raise Bad(f"{path}: {length} bytes of events from {begin} on, {len(data)} in all")
        magic, _, fcount, flength, start, end = struct.unpack_from("<4sI4Q", data, 64 + length)
        if magic != b"2DTA" or (fcount, flength) != (count, length):
            raise Bad(f"{path}: the footer disagrees with the header")
        at, seq, times, linked, newest = 64, 0, [], [], 0
        while at < 64 + length:
            total, kind, _ = struct.unpack_from("<IHH", data, at)
            if total < 24 or at + total > 64 + length:
                raise Bad(f"{path}: event {seq} at {at} is {total} bytes long")
            index_seq, tid = struct.unpack_from("<II", data, at + 8)
            time, = struct.unpack_from("<Q", data, at + 16)
            if thread.version == 2:
                index_seq, = struct.unpack_from("<Q", data, at + 8)
            elif tid != thread.tid:
                raise Bad(f"{path}: event {seq} is of thread {tid}")
            payload = data[at + 24:at + total]
            if kind == DETAIL_VECTORS:
                self._vectors(path, seq, index_seq, payload)
            else:
                self._function(thread, path, Detail(seq, kind, index_seq, time, payload))
            # A call caught by a slow trigger comes when it returns.
            if time < newest and self.list[-1].kind != DETAIL_CALL:
                raise Bad(f"{path}: detail {seq} is out of order")
            newest = max(newest, time)
            times.append(time)
            linked.append(index_seq)
            at += total
            seq += 1
        if (seq, times[0], times[-1]) != (count, start, end):
            raise Bad(f"{path}: {seq} events of {times[0]} to {times[-1]}; the footer says otherwise")
        if (min(linked), max(linked)) != (first, last):
            raise Bad(f"{path}: index_seq {min(linked)} to {max(linked)}; the header says {first} to {last}")

    def _function(self, thread, path, detail):
        if detail.index_seq in self.of or detail.index_seq >= len(thread.events):
            raise Bad(f"{path}: detail {detail.seq} is of event {detail.index_seq}, as another, or out of range")
        time, function, kind, _ = thread.events[detail.index_seq]
        if (detail.time, detail.function, detail.kind) != (time, function, kind + 2):
            raise Bad(f"{path}: detail {detail.seq} is not that of event {detail.index_seq}")
        self.of[detail.index_seq] = detail
        self.list.append(detail)

    def _vectors(self, path, seq, index_seq, payload):
        function, count, each = struct.unpack_from("<QBB", payload)
        last = self.list[-1] if self.list else None
        if not last or (last.seq, last.index_seq, last.function) != (seq - 1, index_seq, function):
            raise Bad(f"{path}: vectors {seq} do not follow the event that they are of")
        if len(payload) != 16 + count * each:
            raise Bad(f"{path}: {count} vectors of {each} bytes in a payload of {len(payload)}")
        last.vectors = [payload[16 + each * i:16 + each * (i + 1)] for i in range(count)]


def check_window(window):
    """Checks that the window's times follow from its triggers."""
    times = [t["time_ns"] for t in window["triggers"]]
    if window["trigger_count"] > len(times):
        return  # the manifest has only the first ones
    pre = window["pre_roll_ms"] * 1000000
    if window["start_ns"] != max(0, min(times) - pre):
        raise Bad(f"a window of {window['pre_roll_ms']} ms before its trigger starts {min(times) - window['start_ns']} ns before it")
    if window["pre_roll_available_ms"] > window["pre_roll_ms"] or window["end_ns"] < max(times):
        raise Bad(f"a window that makes no sense: {window}")


def check_windows(process, of_threads, only):
    """Checks that all calls inside windows have details, and outside only those caught by slow triggers."""
    windows = process.manifest.get("windows", [])
    for w in windows:
        check_window(w)
    if any(a["end_ns"] >= b["start_ns"] for a, b in zip(windows, windows[1:])):
        raise Bad("windows overlap or are out of order")
    starts = [w["start_ns"] for w in windows]
    slow = {int(t["function_id"], 16) for w in windows for t in w["triggers"] if t["kind"] == "slow"}
    for of in of_threads:
        for seq, (time, function, kind, _) in enumerate(of.thread.events):
            if kind == calls.EXCEPTION or not re.search(only, process.name(function)):
                continue
            before = bisect.bisect_right(starts, time)
            inside = before > 0 and time <= windows[before - 1]["end_ns"]
            if inside != (seq in of.of) and not (kind == calls.CALL and function in slow and not inside):
                raise Bad(f"{of.thread.path}: event {seq} is {'in a' if inside else 'in no'} window and has "
                          f"{'no' if inside else 'a'} detail")
    for window in windows:
        causes = [t["kind"] + (" " + process.name(int(t["function_id"], 16)) if "function_id" in t else "")
                  for t in window["triggers"]]
        print(f"window of {window['trigger_count']} triggers: {', '.join(causes)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["count", "total", "windows"])
    parser.add_argument("directory")
    parser.add_argument("--only", default="", help="functions whose names match this regular expression")
    arguments = parser.parse_args()
    for process in calls.load(arguments.directory):
        of_threads = [Details(t) for t in process.threads]
        if arguments.what == "windows":
            check_windows(process, of_threads, arguments.only)
        counts = {}
        for d in (d for of in of_threads for d in of.list):
            counts.setdefault(process.name(d.function), [0, 0])[d.kind - DETAIL_CALL] += 1
        if arguments.what == "count":
            for name, (of_calls, of_returns) in sorted(counts.items()):
                if re.search(arguments.only, name):
                    print(f"{name} calls={of_calls} returns={of_returns}")
        if arguments.what == "total":
            print(f"details={sum(map(sum, counts.values()))} files={sum(of.exists for of in of_threads)}")


if __name__ == "__main__":
    try:
        main()
    except Bad as e:
        sys.exit(f"details.py: {e}")
