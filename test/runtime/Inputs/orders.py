"""Gives orders to a traced process as docs/explanation/control.md describes it, without the library.

    page = Orders(pid)
    page.give("stop")   # returns the result and the answer
"""
import ctypes
import mmap
import os
import struct
import time
from adatest import wait_until

ORDERS = 4096 + 2048 * 16 + 4096  # after the header, the anchors and the path
WAKE, SLEEPING, ASKED, DONE, ASKED_NS, RESULT, LEASE, BEGUN, TEXT, ANSWER = 0, 4, 8, 12, 16, 24, 32, 40, 64, 64 + 8128
FUTEX, FUTEX_WAKE = {"x86_64": 202, "aarch64": 98}[os.uname().machine], 1
libc = ctypes.CDLL(None, use_errno=True)


def ring_of(pid):
    """The ring file that a process has mapped; None while it has none."""
    for line in open(f"/proc/{pid}/maps"):
        parts = line.split(None, 5)
        if len(parts) == 6 and parts[1] == "rw-s" and f"/adatrace-{pid}-" in parts[5]:
            return parts[5].strip()
    return None


class Orders:
    def __init__(self, pid):
        with open(wait_until(lambda: ring_of(pid)), "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 65536)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.map)) + ORDERS

    def word(self, at, kind="I"):
        return struct.unpack_from(kind, self.map, ORDERS + at)[0]

    def put(self, at, value, kind="I"):
        struct.pack_into(kind, self.map, ORDERS + at, value)

    def give(self, text, timeout=60):
        """The only controller, so nothing is locked."""
        encoded = text.encode() + b"\0"
        self.map[ORDERS + TEXT:ORDERS + TEXT + len(encoded)] = encoded
        self.put(ASKED_NS, time.clock_gettime_ns(time.CLOCK_BOOTTIME), "Q")
        number = (self.word(ASKED) + 1) & 0xffffffff
        self.put(ASKED, number)
        self.put(WAKE, (self.word(WAKE) + 1) & 0xffffffff)  # a lost count only costs the drain's time-out
        libc.syscall(FUTEX, ctypes.c_void_p(self.base + WAKE), FUTEX_WAKE, 1, None, None, 0)
        deadline = time.monotonic() + timeout
        while self.word(DONE) != number:
            assert time.monotonic() < deadline, f"no answer to {text}"
            time.sleep(0)
        answer = bytes(self.map[ORDERS + ANSWER:ORDERS + ANSWER + 8192]).split(b"\0")[0].decode()
        return self.word(RESULT, "q"), answer
