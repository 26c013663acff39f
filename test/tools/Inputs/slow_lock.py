#!/usr/bin/env python3
"""Makes a session of a program, in which a few calls wait for the lock at a variable of that program.

Usage: slow_lock.py MAKE_SESSION PROGRAM VARIABLE BUILD_ID      writes the session "slow-lock"; PROGRAM is not position-independent
"""
import pathlib
import sys

from adatest import run

make, program, variable, build_id = sys.argv[1:]
address = next("0x" + line.split()[0] for line in run("nm", program).splitlines() if line.split()[-1] == variable)
lines = ["process 42", "exit code 0", f"module 0 {pathlib.Path(program).resolve()} {build_id}"]
lines += [f"function {number} {name}" for number, name in enumerate(("compact", "handle", "pthread_mutex_lock", "pthread_mutex_unlock"), 1)]
lines += ["external 3", "external 4", "thread 0 tid 42"]
slow = [number for number in range(400) if number % 20 == 7]


def locked(begin, took, held):
    return [f"{begin} call pthread_mutex_lock detail {address}", f"{begin + took} return pthread_mutex_lock detail 0",
            f"{begin + took + held} call pthread_mutex_unlock detail {address}", f"{begin + took + held + 50} return pthread_mutex_unlock detail 0"]


for number in slow:
    begin = number * 1_000_000 + 1000
    lines += [f"{begin} call compact", *locked(begin, 50, 400_000), f"{begin + 400_200} return compact"]
lines.append("thread 1 tid 43")
for number in range(400):
    begin = number * 1_000_000 + 2000
    took = 400_000 if number in slow else 0
    lines += [f"{begin} call handle", *(locked(begin + 500, took, 100) if took else []), f"{begin + took + 1000} return handle"]
pathlib.Path("slow-lock.txt").write_text("".join(f"T: {line}\n" for line in lines))
run(make, "slow-lock.txt", "slow-lock")
manifest = pathlib.Path("slow-lock/pid_42/manifest.json")
text = manifest.read_text()
small = text.replace("4096", "1048576") # the variables are in later pages
assert small != text, text
manifest.write_text(small)
