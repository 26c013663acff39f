"""Runs `adatrace top SESSION` on a terminal of its own and presses keys. Usage: top_screen.py SESSION

After every way out, the terminal must be as it was before: its modes, the other screen, the cursor.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SESSION = sys.argv[1]
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal:
    def __init__(self, *options, rows=12, columns=100):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            sys.stdin.read(1)  # until the parent has set the size
            os.execvp("adatrace", ["adatrace", "top", "--color=never", SESSION, *options])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes = termios.tcgetattr(self.fd)
        os.write(self.fd, b"x\n")
        self.wait(ENTER)

    def wait(self, text, timeout=120):
        "Reads until `text` comes, and returns everything up to it."
        end = time.monotonic() + timeout
        while text not in self.seen:
            assert time.monotonic() < end, (text, self.seen)
            if select.select([self.fd], [], [], 1)[0]:
                try:
                    self.seen += os.read(self.fd, 1 << 16)
                except OSError:  # the other side is closed
                    assert text in self.seen, (text, self.seen)
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def press(self, keys, text):
        os.write(self.fd, keys)
        return self.wait(text)

    def isAsBefore(self):
        return termios.tcgetattr(self.fd) == self.modes

    def end(self):
        self.wait(LEAVE)
        _, status = os.waitpid(self.pid, 0)
        assert self.isAsBefore()
        os.close(self.fd)
        return status


# Keys: sorting by letters and arrows, pausing, the end.
terminal = Terminal()
page = terminal.wait(b"by self; q quit")
assert not terminal.isAsBefore()
rows = [line for line in page.decode().split("\n") if re.search(r"(often|long|main)(\x1b\[K)?\r", line)]
assert [row.split()[-1].split("\x1b")[0] for row in rows] == ["main", "often", "long"], page
page = terminal.press(b"c", b"by calls; ").decode()
assert re.search(r"often.*\n.*(long|main)", page), page
terminal.press(b"P", b"by all p99; ")
terminal.press(b"\x1b[C", b"by calls; ")
terminal.press(b"\x1bOD", b"by all p99; ")
terminal.press(b"?", b"by all p99; ")
terminal.press(b" ", b"; paused")
terminal.press(b"\x1b[D", b"by all mean; ")
# A smaller window has fewer rows and columns.
fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 60, 0, 0))
terminal.wait(b"by all mean; ")
page = terminal.press(b"s", b"by self; ").decode()
assert len(re.findall("often|long|main", page)) == 1, page
# Stopped and continued.
os.kill(terminal.pid, signal.SIGTSTP)
terminal.wait(LEAVE)
os.waitpid(terminal.pid, os.WUNTRACED)
assert terminal.isAsBefore()
os.kill(terminal.pid, signal.SIGCONT)
terminal.wait(ENTER)
terminal.wait(b"by self; ")
os.write(terminal.fd, b"q")
assert terminal.end() == 0

# Signals end it as usual.
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
    terminal = Terminal()
    terminal.wait(b"by self; ")
    if number == signal.SIGINT:
        os.write(terminal.fd, b"\x03")
    else:
        os.kill(terminal.pid, number)
    assert os.WTERMSIG(terminal.end()) == number
print("terminal: as before, every time")
