"""Sessions prepared by an attacker to have another user's file changed, or to make a command wait forever.

Usage: hostile.py MAKE-SESSION TEXT DIRECTORY SHARE

Each entry of a session's directory is replaced in turn by a link to a victim, a FIFO, a device, a directory, or a
second name of the victim. Whatever `recover` and all other commands report, none may change a victim or wait. Of the
commands that only read, one in SHARE is tried with each, different ones each time.
"""
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys

makeSession, text, directory, share = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
ENTRIES = ["manifest.json", "modules.jsonl", "thread_0", "thread_0/index.atf", "thread_0/detail.atf", "ring", "thread_1",
           "thread_1/index.atf", "thread_2.index.atp", "."]
COMMANDS = ["recover", "recover --keep-ring", "info", "verify", "tree", "report", "dump", "dump --format=jsonl", "trigger",
            "convert OUT"]
problems = ran = refused = 0
assert directory.is_absolute()


def wrong(what):
    global problems
    problems += 1
    print("WRONG:", what)


def snapshot(path):
    """Everything that a victim's owner would notice."""
    found = {}
    for entry in [path, *sorted(path.rglob("*"))]:
        info = entry.lstat()
        content = entry.read_bytes() if stat.S_ISREG(info.st_mode) else b""
        found[str(entry)] = (info.st_ino, info.st_mode, info.st_uid, info.st_mtime_ns, content)
    return found


def device(place, victim):
    os.mknod(place, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero: reading it never ends


# The possible replacements of the entry. `victim` is the same entry of a similar session that must stay unchanged.
INSTEAD = {
    "a link": lambda place, victim: place.symlink_to(victim),
    "a relative link": lambda place, victim: place.symlink_to(os.path.relpath(victim, place.parent)),
    "a link to a text": lambda place, victim: place.symlink_to(victim.parents[1 if victim.name != "." else 0] / "text"),
    "a link to nothing": lambda place, victim: place.symlink_to(directory / "victim" / "new"),
    "a link to itself": lambda place, victim: place.symlink_to(place),
    "a second name": lambda place, victim: os.link(victim, place),
    "a FIFO": lambda place, victim: os.mkfifo(place),
    "a directory": lambda place, victim: (place.mkdir(), (place / "file").write_text("x")),
    "a file": lambda place, victim: place.write_bytes(b"ATI2" + bytes(200)),
    "empty": lambda place, victim: place.write_bytes(b""),
}
if os.geteuid() == 0:
    INSTEAD["a device"] = device


def prepare(path, entry):
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(directory / "made", path)
    process = next(path.glob("pid_*"))
    if entry == "ring":
        (process / "ring").write_bytes(b"no ring")
    return process


def remove(place):
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    elif place.is_symlink() or place.exists():
        place.unlink()


subprocess.run([makeSession, text, directory / "made"], check=True)
for entry in ENTRIES:
    for kind, make in INSTEAD.items():
        for command in COMMANDS:
            if not command.startswith("recover") and random.randrange(share):
                continue
            victim = prepare(directory / "victim", entry)
            (directory / "victim" / "text").write_text("precious\n")
            session = directory / "session"
            process = prepare(session, entry)
            place = process if entry == "." else process / entry
            remove(place)
            try:
                make(place, victim if entry == "." else victim / entry)
            except (PermissionError, IsADirectoryError, FileNotFoundError):
                continue  # a second name for a directory, or for nothing
            before = snapshot(directory / "victim")
            what = f"{command} with {kind} as {entry}"
            out = directory / "out"
            remove(out)
            verb, *rest = command.split()
            rest = [str(out) if word == "OUT" else word for word in rest]
            arguments = [verb, session, *rest] if verb == "convert" else [verb, *rest, session]
            try:
                done = subprocess.run(["adatrace", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
            except subprocess.TimeoutExpired:
                wrong(f"{what}: waits for ever")
                continue
            ran += 1
            if done.returncode not in (0, 1, 2, 3):
                wrong(f"{what}: status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
            refused += done.returncode != 0
            if snapshot(directory / "victim") != before:
                wrong(f"{what}: the victim was changed")
            if verb == "convert" and done.returncode == 0:
                for made in [out, *out.rglob("*")]:
                    mode = stat.S_IMODE(made.stat().st_mode)
                    if mode != (0o700 if made.is_dir() else 0o600):
                        wrong(f"{what}: {made} has mode {mode:o}")
print(f"{problems} problems in {ran} commands, {'most' if refused > ran // 3 else 'few'} refused")
