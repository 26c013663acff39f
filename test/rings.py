"""Removes from /dev/shm the rings of programs that a test killed and did not recover.

A suite calls removeRings() with its own folder when it begins, for rings left by a killed run, and at its end. Only
rings whose trace was below that folder are removed, and only if no process holds their lock: other suites may run.
"""
import fcntl
import glob
import os

PATH_OFFSET, PATH_BYTES = 4096 + 2048 * 16, 4096 # ADA_RING_PATH_OFFSET and _BYTES of shared/ring/ring_file.h


def opened(path):
    return open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def ringsOf(folder, directory="/dev/shm", since=0):
    """Those whose trace is below the folder, and those of its processes that were killed before they named theirs: of
    these, only rings that have changed `since` then (time.time()), because a process of another test may have had the
    same number before."""
    names = {name for _, folders, _ in os.walk(folder) for name in folders if name.startswith("pid_")}
    found = []
    for path in glob.glob(directory + "/adatrace-*"):
        try:
            with opened(path) as ring:
                place = os.pread(ring.fileno(), PATH_BYTES, PATH_OFFSET).split(b"\0")[0]
                isNew = os.fstat(ring.fileno()).st_mtime >= since
        except OSError:
            continue # it belongs to another user, or is gone
        if place.startswith(os.fsencode(folder) + b"/") or (not place and isNew and "pid_" + path.split("-")[-2] in names):
            found.append(path)
    return found


def removeRings(folder, directory="/dev/shm"):
    removed = []
    for path in ringsOf(folder, directory):
        try:
            with opened(path) as ring:
                fcntl.flock(ring, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
                removed.append(path)
        except OSError:
            pass # it is in use, or is gone
    return removed
