"""Runs `adatrace report --follow SESSION` on a terminal of its own. Usage: follow_screen.py SESSION

The session is complete, so the page ends by itself; the report follows on the screen that was there before.
"""
import os
import pty
import sys
import termios

from adatest import adatrace

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
session = sys.argv[1]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    sys.stdin.read(1)  # until the parent has seen the modes
    os.execvp("adatrace", ["adatrace", "report", "--follow", "--interval=10ms", "--color=never", session])
modes = termios.tcgetattr(fd)
os.write(fd, b"x\n")
seen = b""
while True:
    try:
        more = os.read(fd, 1 << 16)
    except OSError:  # the other side is closed
        break
    if not more:
        break
    seen += more
_, status = os.waitpid(pid, 0)
assert status == 0, status
assert termios.tcgetattr(fd) == modes
assert ENTER in seen and b"recording has ended" in seen, seen
after = seen.partition(LEAVE)[2].decode().replace("\r\n", "\n")
whole = adatrace("report", session)
functions = [line.split()[-1] for line in whole.splitlines()]
assert [line.split()[-1] for line in after.splitlines() if line.split()[-1] in functions] == functions, (after, whole)
print("terminal: as before, and the whole report")
