"""Traces that name a device. Usage: devices.py MAKE-SESSION TEXT DIRECTORY

A device that is opened may do something at once: rewind a tape, start a watchdog. So no command opens one, whether a link
leads to it or a manifest names it. The kernel tells when /dev/full is opened, which nothing else uses.
"""
import ctypes
import os
import pathlib
import shutil
import struct
import subprocess
import sys

makeSession, text, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
DEVICE = "/dev/full"
ENTRIES = ["manifest.json", "modules.jsonl", "thread_0/index.atf", "thread_0/detail.atf", "thread_0/sched.ads"]
COMMANDS = ["info", "verify", "tree --args", "report", "dump", "stacks", "status", "doctor", "pack -o OUT --sources", "convert OUT",
            "recover"]
IN_OPEN, IN_NONBLOCK = 0x20, os.O_NONBLOCK
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(IN_NONBLOCK)
if libc.inotify_add_watch(watch, DEVICE.encode(), IN_OPEN) < 0:
    sys.exit(f"{DEVICE} can't be watched: {os.strerror(ctypes.get_errno())}")


def opens():
    "How often the device has been opened since the last call."
    try:
        data = os.read(watch, 1 << 16)
    except BlockingIOError:
        return 0
    count = at = 0
    while at < len(data):
        at += 16 + struct.unpack_from("iIII", data, at)[3]
        count += 1
    return count


os.close(os.open(DEVICE, os.O_RDONLY))
assert opens() == 1, "the test would see nothing"
subprocess.run([makeSession, text, directory / "whole"], check=True)
process = next((directory / "whole").glob("pid_*")).name
session, out = directory / "session", directory / "out"
problems = ran = 0


def check(what, *command):
    global problems, ran
    shutil.rmtree(out) if out.is_dir() else out.unlink(missing_ok=True)
    done = subprocess.run(["adatrace", *command], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    ran += 1
    if (count := opens()) or done.returncode not in (0, 1, 2, 3):
        problems += 1
        print(f"WRONG: {what}: {command} opened it {count} times, status {done.returncode}: {done.stderr[:300]!r}")


def checkAll(what):
    for command in COMMANDS:
        verb, *rest = [str(out) if word == "OUT" else word for word in command.split()]
        if verb == "convert":
            check(what, verb, str(session), *rest)
        else:
            check(what, verb, *rest, str(session))


def fresh():
    shutil.rmtree(session, ignore_errors=True)
    shutil.copytree(directory / "whole", session)
    return session / process / "manifest.json"


for entry in ENTRIES:
    fresh()
    (session / process / entry).unlink(missing_ok=True)
    (session / process / entry).symlink_to(DEVICE)
    checkAll(f"{entry} is a link")
RING, HOW = "/dev/shm/none", '"how":"code"'
for changes in [{"/bin/app": DEVICE}, {"/src/app.c": DEVICE}, {RING: DEVICE}, {RING: DEVICE, HOW: '"how":"running"'}]:
    manifest = fresh()
    words = manifest.read_text().replace('": ', '":')
    for old, new in changes.items():
        assert old in words, (old, words)
        words = words.replace(old, new, 1)
    manifest.write_text(words)
    checkAll(f"the manifest with {changes}")
(directory / "trace.json").symlink_to(DEVICE)
for path in (DEVICE, str(directory / "trace.json")):
    for command in ("info", "tree", "verify"):
        check("the trace itself", command, path)
print(f"{problems} problems in {ran} commands")
