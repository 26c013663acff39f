# What the recorder reports about the time that it held threads up: docs/formats/sched.md and manifest.md.
#
#   check(SESSION)  checks for each thread that the spans of its lane come in pairs, overlap neither each other nor an
#                   event, and agree with the manifest. Returns by process and thread the list of (from, to, reason),
#                   and how much time is not in any span.
import glob
import json
import os
import struct

from adatest import adatrace

import sched_record

HELD, RESUMED = 6, 7
WAITED, TOUCH, OTHER, GREW = 1, 2, 4, 16


def records(data, path):
    magic, version, _, _, flags = struct.unpack_from("<8sIIQQ", data)
    assert magic == b"ADASCHED" and version in (2, 3) and flags in (0, 1), (path, magic, version, flags)
    found = [struct.unpack_from("<QII", data, at) for at in range(32, len(data), 16)]
    assert found[-1][1] == 5, f"{path} has no end"
    return found[:-1], flags


def spans(process, thread):
    found = []
    begin = None
    data, path = sched_record.of(process, thread), f"{process}/thread_{thread}"
    for time, kind, value in records(data, path)[0] if data else []:
        if kind == HELD:
            assert begin is None, f"{path}: {time} lies in another span"
            begin = (time, value)
        elif kind == RESUMED:
            assert begin is not None and begin[1] == value and begin[0] < time, f"{path}: {begin} to {time}, {value}"
            found.append((begin[0], time, value))
            begin = None
    assert begin is None, f"{path}: a span has no end"
    for (_, before, _), (after, _, _) in zip(found, found[1:]):
        assert before <= after, f"{path}: spans overlap at {before}, {after}"
    return found


def event_times(process, thread):
    "In order; of an index file that is not packed."
    with open(os.path.join(process, f"thread_{thread}", "index.atf"), "rb") as file:
        data = file.read()
    count = struct.unpack_from("<Q", data, 24)[0]
    return [struct.unpack_from("<Q", data, 64 + 32 * i)[0] for i in range(count)]


def check(session, with_events=True):
    adatrace("verify", session)
    threads = {}
    for process in glob.glob(f"{session}/pid_*"):
        with open(os.path.join(process, "manifest.json")) as file:
            manifest = json.load(file)
        for thread in manifest["threads"]:
            found = spans(process, thread["id"])
            missing = thread.get("recorder_spans_missing_ns", 0)
            total = sum(end - begin for begin, end, _ in found) + missing
            assert total == thread.get("recorder_wait_ns", 0), (process, thread, total)
            times = event_times(process, thread["id"]) if with_events else []
            at = 0
            for begin, end, _ in found:
                while at < len(times) and times[at] <= begin:
                    at += 1
                assert at == len(times) or times[at] >= end, f"an event at {times[at]} lies in {begin} to {end}"
            threads[process, thread["id"]] = found, missing
        for key in "recorder_wait_ns", "recorder_spans_missing_ns":
            total = sum(thread.get(key, 0) for thread in manifest["threads"])
            assert total == manifest.get(key, 0), (process, key)
    return threads


def total(threads, reason=None):
    return sum(end - begin for found, _ in threads.values() for begin, end, why in found if reason in (None, why))
