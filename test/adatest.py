"""What the Python of the lit suites has in common; it is on their PYTHONPATH (lit.cfg.py; by hand, PYTHONPATH=test).

    from adatest import adatrace, answer, attempt, expect, finish, manifests, run, wait_until
"""
import json
import os
import pathlib
import subprocess
import sys
import time

wrong = 0


def attempt(*command, options=None, merged=False, **more):
    """Runs a program to its end, with these ADA_OPTIONS: its status and, as text, what it wrote; merged: all of that in
    its stdout. `more`: as of subprocess.run."""
    if options is not None:
        more["env"] = {**more.get("env", os.environ), "ADA_OPTIONS": options}
    if not more.keys() & {"stdout", "stderr"}:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT if merged else subprocess.PIPE}
    return subprocess.run([*map(str, command)], text=True, **more)


def run(*command, **more):
    """The standard output of a program whose status must be 0."""
    done = attempt(*command, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout or ''}{done.stderr or ''}")
    return done.stdout


def adatrace(*arguments, **more):
    return run("adatrace", *arguments, **more)


def answer(*arguments, **more):
    """The JSON that adatrace prints: with --format=jsonl, the list of its lines."""
    text = adatrace(*arguments, **more)
    return [json.loads(line) for line in text.split("\n")[:-1]] if "--format=jsonl" in arguments else json.loads(text)


def manifests(session):
    """Those of its processes, by their directories."""
    return [json.loads(path.read_text()) for path in sorted(pathlib.Path(session).glob("pid_*/manifest.json"))]


def wait_until(condition, seconds=60):
    """Returns what the condition gives as soon as that is true. One that never holds ends the test."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            sys.exit(f"nothing came of it in {seconds} s")
        time.sleep(0.01)
    return found


def expect(what, is_right, *shown):
    """Counts what is wrong, and prints it; the test goes on."""
    global wrong
    if not is_right:
        wrong += 1
        print("wrong:", what, *shown, flush=True)


def finish():
    """Ends a test that uses expect()."""
    print("wrong", wrong, flush=True)
    sys.exit(wrong != 0)
