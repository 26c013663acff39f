"""Converts two sessions to formats and fails if one needs much more memory.

Usage: same_memory.py MEBIBYTES SMALL LARGE FORMAT...

SMALL and LARGE differ only in their number of events. The figures are peaks of resident memory of `adatrace convert`.
"""
import os
import shutil
import subprocess
import sys

limit, small, large, formats = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]


def peak(session, form):
    out = f"{session}.{form}"
    process = subprocess.Popen(["adatrace", "convert", "-q", f"--to={form}", session, out])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"convert --to={form} {session} ended with status {os.waitstatus_to_exitcode(status)}")
    size = sum(f.stat().st_size for f in os.scandir(out)) if os.path.isdir(out) else os.path.getsize(out)
    shutil.rmtree(out) if os.path.isdir(out) else os.unlink(out)
    return usage.ru_maxrss / 1024, size


grew = []
for form in formats:
    (less, _), (more, size) = peak(small, form), peak(large, form)
    for _ in range(3):  # with other work on the machine, more of the mapped index may be in memory at a time
        if more > less + limit:
            more = min(more, peak(large, form)[0])
    print(f"{form}: {less:.1f} MiB, {more:.1f} MiB for {size / 1e6:.1f} MB")
    if more > less + limit:
        grew.append(form)
if grew:
    sys.exit(f"memory grows with the number of events: {', '.join(grew)}")
