#!/usr/bin/env python3
"""Makes sessions with one cause each, and checks what `adatrace why` says about them.

Usage: why_traces.py MAKE_SESSION [KIND...]

All times are given, so the answers do not depend on the machine. For each kind there is a session with the cause, whose stake is
known, and one of the same shape without it, in which nothing may be found. Each command that is printed must run, and the text
must have less than 2 kB.
"""
import random
import os
import shlex
import subprocess
import sys

from adatest import answer, run

MAKE = sys.argv[1]  # also of a program that imports this
EXTERNAL = ["pthread_mutex_lock", "pthread_mutex_unlock", "write", "usleep", "pthread_join", "pthread_cond_wait", "fsync"]


class Session:
    def __init__(self, name):
        self.name, self.functions, self.threads, self.ends = name, {}, [], "code 0"
        self.types, self.sched = {}, []
        self.thread()

    def thread(self):
        self.lines = []
        self.threads.append(self.lines)
        self.sched.append([])
        self.now = 1000

    def event(self, kind, function, detail=None):
        self.functions.setdefault(function, len(self.functions) + 1)
        self.lines.append(f"T: {self.now} {kind} {function}" + (f" detail {detail}" if detail is not None else ""))

    def call(self, function, inside=0, detail=None, ends="return", result=None):
        """`inside`: nanoseconds, or a function that makes what happens in it."""
        self.event("call", function, detail)
        if callable(inside):
            inside()
        else:
            self.now += inside
        if ends:
            self.event(ends, function, result)

    def off(self, kind, ns):
        """Off-CPU for that long: "waits" or "preempted". Then times of all threads are known."""
        self.sched[-1] += [f"{self.now} {kind} 0", f"{self.now + ns} on 0"]
        self.now += ns

    def works(self, ns, preempted):
        """On-CPU for that long, and in the middle of it preempted."""
        self.now += ns // 2
        if preempted:
            self.off("preempted", preempted)
        self.now += ns - ns // 2

    def open(self, function, detail=None):
        self.call(function, detail=detail, ends=None)

    def make(self):
        text = f"T: process 42\nT: argv ./{self.name}\nT: exit {self.ends}\nT: cores 2\nT: module 0 /opt/{self.name}\n"
        for function, number in self.functions.items():
            text += f"T: function {number} {function}\n" + (f"T: external {number}\n" if function in EXTERNAL else "")
            if function in self.types:
                text += f"T: types {number} {self.types[function]}\n"
        for number, lines in enumerate(self.threads):
            text += f"T: thread {number} tid {100 + number}\n" + "\n".join(lines) + "\n"
        with open(self.name + ".txt", "w") as out:
            out.write(text)
        run(MAKE, self.name + ".txt", self.name)
        if any(self.sched):
            for number, (lines, sched) in enumerate(zip(self.threads, self.sched)):
                times = [int(line.split()[1]) for line in lines]
                run(sys.executable, os.path.join(os.path.dirname(__file__), "sched_file.py"), f"{self.name}/pid_42/thread_{number}",
                    f"{times[0]} {times[-1]}", *(sched or [f"{times[0]} on 0"]))


def served(name, body, calls=400, before=None):
    """main() with `calls` calls of handle(), each of which does parse(), body(session, number) and reply()."""
    s, r = Session(name), random.Random(name)

    def handle(number):
        s.call("parse", r.randrange(900, 1100))
        body(s, number)
        s.call("lookup", r.randrange(900, 1100))
        s.call("reply", r.randrange(900, 1100))

    def main():
        if before:
            before(s)
        for number in range(calls):
            s.call("handle", lambda: handle(number))
    s.call("main", main)
    return s


def lock(planted, work="", name="lock"):
    """Two threads: one has the lock for 200 us of each millisecond, and the other one's requests wait for it."""
    s = Session(f"{name}-{planted}")
    held = []

    def holder():
        for i in range(60):
            s.now = 10_000 + i * 1_000_000
            s.call("compact", lambda: (s.call("pthread_mutex_lock", 50, "0xabc", result=0), s.call(work or "merge", 200_000, *(["5"] if work else [])),
                                       s.call("pthread_mutex_unlock", 50, "0xabc", result=0)))
            held.append(s.now)
    s.call("main", holder)
    s.thread()
    waited = 0

    def server():
        nonlocal waited

        def handle(number):
            nonlocal waited
            s.call("parse", 100_000)
            begin = s.now
            if planted:
                s.now = held[number] + 100
                waited += s.now - begin
                s.now = begin
                s.call("pthread_mutex_lock", held[number] + 100 - begin, "0xabc", result=0)
                s.call("pthread_mutex_unlock", 50, "0xabc", result=0)
            s.call("reply", 100_000)
        for number in range(60):
            s.now = 20_000 + number * 1_000_000
            s.call("handle", lambda: handle(number))
    s.call("serve", server)
    s.ends = "code 0"
    return s, waited


def lock_once(planted):
    """One of 200 requests waits, for so long that it matters: the percentiles are the same without that wait."""
    s = Session(f"lock-once-{planted}")

    def hold():
        s.call("pthread_mutex_lock", 50, "0xabc", result=0)
        s.call("merge", 40_000_000)
        s.call("pthread_mutex_unlock", 50, "0xabc", result=0)
    s.now = 20_000_000
    s.call("main", lambda: s.call("compact", hold))
    s.thread()

    def handle(number):
        s.call("parse", 100_000)
        if planted and number == 100:
            s.call("pthread_mutex_lock", 40_000_000, "0xabc", result=0)
            s.call("pthread_mutex_unlock", 50, "0xabc", result=0)
        s.call("reply", 100_000)
    s.call("serve", lambda: [s.call("handle", lambda: handle(number)) for number in range(200)])
    return s, 40_000_000


def lock_slow(planted):
    """One of 40 requests waits for a lock and then has no core for longer than it waited: the slow calls are the lock's."""
    s = Session(f"lock-slow-{planted}")
    slow = [number for number in range(400) if number % 40 == 7]

    def holder():
        for number in slow:
            s.now = number * 200_000 + 1000
            s.call("compact", lambda: (s.call("pthread_mutex_lock", 50, "0xabc", result=0), s.call("merge", 61_000),
                                       s.call("pthread_mutex_unlock", 50, "0xabc", result=0)))
    s.call("main", holder)
    s.thread()

    def handle(number):
        s.call("parse", 1000)
        if planted and number in slow:
            s.call("pthread_mutex_lock", lambda: s.off("waits", number * 200_000 + 62_100 - s.now), "0xabc", result=0)
            s.call("pthread_mutex_unlock", 50, "0xabc", result=0)
        s.call("lookup", lambda: s.works(1000, 300_000 if planted and number in slow else 0))
        s.call("reply", 1000)

    def server():
        for number in range(400):
            s.now = max(s.now, number * 200_000 + 2000)
            s.call("handle", lambda: handle(number))
    s.call("serve", server)
    return s, None


def woken(planted):
    """Four threads wait for work that comes once in a millisecond, for one of them. All are woken; or only that one."""
    s = Session(f"woken-{planted}")
    s.call("main", lambda: s.call("pthread_join", lambda: s.off("waits", 101_000_000), "0x7000"))
    for server in range(4):
        s.thread()

        def wait(untilNs):
            s.off("waits", untilNs - s.now)
            s.now += 1000

        def take(jobs):
            for job in jobs:
                s.call("pthread_cond_wait", lambda: wait(job * 1_000_000), "0xc0 0xabc", result=0)
                s.now += 500
                if job % 2: # another program has the core
                    s.off("preempted", 200_000)

        def handle():
            for phase in ("parse", "lookup", "reply"):
                s.call(phase, 2000)

        def serve():
            for mine in range(server + 1, 101, 4):
                s.call("take", lambda: take(range(max(1, mine - 3), mine + 1) if planted else [mine]))
                s.call("handle", handle)
        s.call("serve", serve)
    # From waking up, a microsecond in the call and half of one after it. The last jobs of each thread are no longer waited for.
    return s, (4 * 100 - 100 - (1 + 2 + 3)) * 1500 // 2


def extra(kind, planted):
    """A session and what is at stake."""
    stake = 0
    if kind in ("lock", "io-in-lock"):
        return lock(planted, "write" if kind == "io-in-lock" else "", kind)
    # Three threads with four long calls each: nothing that could be called a request.
    if kind == "lock, batch":
        s = Session(f"lock-batch-{planted}")
        s.call("main", 1000)
        for number in range(3):
            s.thread()

            def chunk(number=number):
                s.call("prepare", 1_000_000)
                s.call("pthread_mutex_lock", number * 1_000_000 if planted else 50, "0xabc", result=0)
                s.call("merge", 1_000_000)
                s.call("pthread_mutex_unlock", 50, "0xabc", result=0)
                s.now += (2 - number) * 1_000_000 if planted else 0
            s.call("worker", lambda: [s.call("chunk", chunk) for _ in range(4)])
        return s, 4 * 2_000_000
    if kind == "lock, slow":
        return lock_slow(planted)
    if kind == "woken-for-nothing":
        return woken(planted)
    if kind == "lock, once":
        return lock_once(planted)
    if kind == "hot-code":
        return served(f"{kind}-{planted}", lambda s, i: s.call("hash", 20_000 if planted else 1000)), 400 * 20_000
    if kind == "slow-calls":
        def body(s, i):
            s.call("work", 300_000 if planted and i % 40 == 7 else 1000)
        return served(f"{kind}-{planted}", body), 10 * 299_000
    # One command of thousands does something that no other one does: then everybody waits. Requests have several.
    if kind == "slow-calls, one":
        def body(s, i):
            for k in range(20):
                isLong = planted and i == 150 and k == 7
                s.call("command", lambda: s.call("erase" if isLong else "find", 100_000_000 if isLong else 50))
        return served(f"slow-call-{planted}", body, calls=300), 100_000_000
    if kind == "start-up":
        return served(f"{kind}-{planted}", lambda s, i: None, before=lambda s: s.call("load", 2_000_000 if planted else 10)), 2_000_000
    if kind == "slower-over-time":
        return served(f"{kind}-{planted}", lambda s, i: s.call("find", 1000 + (i * 20 if planted else i % 3))), sum(i * 20 for i in range(400))
    if kind == "exceptions":
        def body(s, i):
            s.call("check", 2000, ends="exception" if planted else "return")
        return served(f"{kind}-{planted}", body), 400 * 2000
    if kind == "polling":
        def body(s, i):
            for _ in range(10 if planted else 1):
                s.call("usleep", 20_000 if planted else 100)
        return served(f"{kind}-{planted}", body), 400 * 200_000
    if kind == "repeated-calls":
        def body(s, i):
            for k in range(10 if planted else 1):
                s.call("priceOf", 2000, str(i))
        s = served(f"{kind}-{planted}", body)
        s.types["priceOf"] = "i0:s32;item:i0:s32"
        return s, 400 * 9 * 2000
    if kind == "slower-with-argument":
        def body(s, i):
            size = i * 37 % 400
            s.call("sort", 1000 + (size * 20 if planted else size % 3), str(size))
        s = served(f"{kind}-{planted}", body)
        s.types["sort"] = "i0:s32;size:i0:s32"
        return s, sum(i * 20 for i in range(400))
    # The same on a machine where the thread shares its core: without its cause there would be less to share it for.
    if kind == "slower-over-time, shared":
        def body(s, i):
            ns = 1000 + (i * 20 if planted else i % 3)
            s.call("find", lambda: s.works(ns, ns * 2))
        return served(f"slower-shared-{planted}", body), 3 * sum(i * 20 for i in range(400))
    if kind == "slower-with-argument, shared":
        def body(s, i):
            size = i * 37 % 400
            ns = 1000 + (size * 20 if planted else size % 3)
            s.call("sort", lambda: s.works(ns, ns * 2 if i % 2 else 0), str(size))
        s = served(f"argument-shared-{planted}", body)
        s.types["sort"] = "i0:s32;size:i0:s32"
        return s, 2 * sum(i * 20 for i in range(400))
    if kind == "slow-calls, shared":
        def body(s, i):
            s.call("work", 25_000 if planted and i % 40 == 7 else 1000)
            s.call(("load", "store", "check", "wander")[i // 20 % 4], lambda: s.works(600, 240_000 if i % 20 == 3 else 0))
        return served(f"slow-shared-{planted}", body), None
    # Half of the calls return: those that do not would have taken as long anyway.
    if kind == "exceptions, anyway":
        def body(s, i):
            isLeft = planted and i % 2
            s.call("check", lambda: s.works(10_000 if isLeft else 2000, 10_000 if isLeft else 0), ends="exception" if isLeft else "return")
        return served(f"exceptions-anyway-{planted}", body), 200 * 18_000
    # The code that a thread of the program runs meanwhile takes less than the pauses do, as they are on-CPU, too.
    if kind == "polling, on-CPU":
        def pause(s):
            s.now += 4000
            s.off("waits", 12_000)
            s.now += 4000

        def body(s, i):
            for _ in range((10 if i % 2 else 2) if planted else 1):
                s.call("usleep", (lambda: pause(s)) if planted else 100)
        s = served(f"polling-on-{planted}", body)
        if not planted:
            s.sched[-1].append(f"{s.now} on 0")
        return s, (200 * 10 + 200 * 2) * 20_000
    # Ordinary calls wait for the file, too: the device is slow now and then.
    if kind == "slow-calls, file":
        def body(s, i):
            if i % 40 == 7:
                s.call("fsync", lambda: s.off("waits", 300_000), "5", result=0)
            elif not planted:
                s.call("fsync", lambda: s.off("waits", 20_000), "5", result=0)
        return served(f"slow-file-{planted}", body), 10 * 300_000
    # A few requests sleep, and one of them wakes up late: without the sleep, it would not have woken late.
    if kind == "slow-calls, late":
        late = {number: 1_000_000 if number == 607 else 0 for number in range(7, 2000, 200)}

        def body(s, i):
            if planted and i in late:
                s.call("usleep", lambda: s.off("waits", 100_000 + late[i]), "100", result=0)
            else:
                s.call("check", lambda: s.works(1000, 0))
        return served(f"slow-late-{planted}", body, calls=2000), sum(100_000 + ns for ns in late.values())
    # Threads that begin together, of which one has more to do; or the same to do on a core that it shares.
    if kind == "one-thread-works":
        s = Session(f"{kind}-{planted}")
        s.call("main", 1000)
        for number in range(2):
            s.thread()

            def part(number=number):
                for _ in range(400 if number or not planted else 40):
                    s.call("step", lambda: s.works(3000, 1000 if number else 10))
            s.call("part", part)
        return s, (400 * 4000 - 40 * 3010) // 2
    # Six threads take turns on two cores; two have them for themselves.
    if kind == "no-core":
        s = Session(f"{kind}-{planted}")
        s.call("main", 1000)
        for number in range(6 if planted else 2):
            s.thread()
            s.now += number % 3 * 10_000

            def handle():
                s.call("parse", 1000)
                s.call("crunch", lambda: s.works(8000 if planted else 1000, 20_000 if planted else 10))
                s.call("reply", 500)
                s.call("lookup", 500)
            s.call("serve", lambda: [s.call("handle", handle) for _ in range(20)])
        return s, 6 * 20 * 20_000
    if kind == "never-ended":
        s = Session(f"{kind}-{planted}")
        if not planted:
            s.call("main", 1000)
            return s, 0
        s.open("main")
        s.open("pthread_join", "0x7000")
        for first, second, function in (("0xa", "0xb", "left"), ("0xb", "0xa", "right")):
            s.thread()
            s.open(function)
            s.call("pthread_mutex_lock", 50, first, result=0)
            s.now = 10_000
            s.open("pthread_mutex_lock", second)
        s.thread()
        s.call("other", 1_010_000 - 2000)
        s.ends = "signal 9"
        return s, 1_000_000
    if kind == "crash":
        s = served(f"{kind}-{planted}", lambda s, i: None)
        s.ends = "signal 11" if planted else "code 0"
        return s, None
    raise AssertionError(kind)


KINDS = ["lock", "io-in-lock", "hot-code", "slow-calls", "start-up", "slower-over-time", "exceptions", "polling", "repeated-calls",
         "slower-with-argument", "never-ended", "crash", "one-thread-works", "no-core", "slower-over-time, shared",
         "slower-with-argument, shared", "slow-calls, shared", "exceptions, anyway", "polling, on-CPU", "slow-calls, file",
         "lock, batch", "lock, once", "lock, slow", "slow-calls, one", "slow-calls, late", "woken-for-nothing"]
failures = 0


def wrong(*text):
    global failures
    failures += 1
    print(*text)


def checkAll(kinds):
    for kind in kinds:
        for planted in (True, False):
            session, stake = extra(kind, planted)
            session.make()
            found = answer("why", "--format=json", session.name)
            names = [finding["kind"] for finding in found["findings"]]
            if not planted:
                if names:
                    wrong(f"{session.name}: found", *(f"{finding['kind']}: {finding['text']}" for finding in found["findings"]))
                continue
            if not names or names[0] != kind.split(",")[0] or ("hot-code" in names[1:] and kind != "never-ended"):
                wrong(f"{session.name}: {names}", *(finding["text"] for finding in found["findings"]))
                continue
            first = found["findings"][0]
            if stake is not None and not 0.9 * stake <= first["stake_ns"] <= 1.1 * stake:
                wrong(f"{session.name}: stake {first['stake_ns']}, not {stake}: {first['text']}")
            text = run("adatrace", "why", session.name)
            if len(text.encode()) >= 2000 or names[0] not in text:
                wrong(f"{session.name}: text of {len(text.encode())} bytes\n{text}")
            for command in [finding["command"] for finding in found["findings"]] + [missing["command"] for missing in found["cannot_say"]]:
                if command and "PROGRAM" not in command and not command.endswith("doctor"):
                    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
                    if done.returncode or not done.stdout:
                        wrong(f"{session.name}: {command}: status {done.returncode}: {done.stderr}")


if __name__ == "__main__":
    checkAll(sys.argv[2:] or KINDS)
    sys.exit(1 if failures else 0)
