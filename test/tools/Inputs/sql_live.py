"""Asks for the calls of ./program while it records, until they have become more several times. Then kills it."""
import os
import pathlib
import subprocess
import sys
import time

from adatest import attempt

QUERIES = ("SELECT count(*), sum(exit = 'open'), sum(exit = 'missing'), max(iif(exit = 'open', depth, 0)) FROM spans; SELECT sum(calls) FROM functions;"
           "SELECT count(*) FROM spans WHERE ts >= 0; SELECT sum(events) FROM threads; SELECT count(*) FROM events;"
           "SELECT count(*) FROM spans c JOIN (SELECT id, ts FROM spans WHERE depth = 0) p ON p.id = c.parent_id WHERE c.ts < p.ts OR c.depth <> 1")


def ask():
    run = attempt("adatrace", "sql", "live", QUERIES, "--format=csv")
    if run.returncode:
        sys.exit(f"status {run.returncode}: {run.stderr}")
    # The sums of nothing are empty, before the first event is there.
    calls, total, counted, events, listed, wrong = [[value or "0" for value in line.split(",")]
                                                    for line in run.stdout.splitlines()[1::2]]
    isStarted = calls[0] != "0"
    if (not calls[0] == total[0] == counted[0] or events != listed or wrong != ["0"] or calls[2] != "0"
            or not isStarted <= int(calls[1]) <= 3):
        sys.exit(f"they contradict each other: {run.stdout}")
    return int(calls[0]), "still being recorded" in run.stderr


# It makes a thousand calls for each byte, so that the session stays small however long the questions take.
program = subprocess.Popen(["./program"], env=dict(os.environ, ADA_OPTIONS="session=live"), stdin=subprocess.PIPE, bufsize=0)
try:
    while not list(pathlib.Path(".").glob("live/pid_*/thread_*/index.*")):  # until the program begins
        time.sleep(0.01)
    last, grown = 0, 0
    while grown < 4:
        program.stdin.write(b"+")
        calls, isLive = ask()
        if calls < last or not isLive:
            sys.exit(f"{calls} after {last} calls, live: {isLive}")
        grown += calls > last > 0
        last = calls
    print("growing", grown, "times")
finally:
    program.kill()
    program.wait()
calls, isLive = ask()
print("after kill -9" if calls >= last and not isLive else f"{calls} after {last} calls, live: {isLive}")
