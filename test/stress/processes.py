#!/usr/bin/env python3
"""A storm of short processes: processes.py --build BUILD [--processes N] [--seed N] [--llvm N]

One `adatrace record --packed` records N processes of process.c, 32 at a time. Most are killed at random moments: while
they start, between two calls, while they end. Some fork, with and without exec, and some execute another program.
Every 400 of them, some run a program that the session has not seen yet, several at the same time.

Each process counts its calls in shared memory. Afterwards the session must pass `verify`, the folder of rings must be
empty, and each process's part of the trace is compared with its own counts. `lost`: calls that had returned and are
neither in the trace nor among its reported losses. `wrong`: calls that never happened. Both must be 0. The default is
the short form, of 300 processes; 20,000 take some minutes. A seed repeats what is done, but not when. With an even one,
rings are where they usually are.
"""
import argparse
import ctypes
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import warnings

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
from rings import ringsOf

USUAL_PLACE = "/dev/shm" # of rings
BEGAN = time.time() - 1 # file systems' clocks are behind by a tick
AT_A_TIME, FUNCTIONS = 32, 4096
PER_COPY = 400 # processes for each new program
ENTRY = struct.Struct("<8Q") # struct entry of process.c
SECONDS = 60 # without any process that ends; then something hangs


class Failed(Exception):
    pass


class Plan:
    """What process `slot` is to do."""

    def __init__(self, seed, slot, copies):
        chance = random.Random("%d %d" % (seed, slot))
        often = lambda probability: chance.random() < probability
        copy = lambda: "process-%d" % min(slot // PER_COPY, copies - 1) if copies and often(0.25) else "process"
        self.program = copy()
        calls = int(10 ** chance.uniform(0, 3.3))
        self.arguments = [str(slot), "0", str(calls), "end=" + chance.choice(["return", "return", "_exit", "quick_exit", "raw"])]
        self.arguments += ["threads"] if often(0.2) else []
        if often(0.3):
            self.arguments += ["fork=" + chance.choice(["early", "half"])] + (["orphan"] if often(0.3) else [])
        if often(0.2):
            self.arguments += ["exec=" + chance.choice(["/bin/true", "./" + copy(), "./" + copy()])]
        kind = chance.random()
        self.killAfter = None # seconds after it was started
        if kind < 0.3:
            self.arguments += ["kill=begin:%d" % chance.choice([chance.randrange(1, 3000), chance.randrange(1, 30000)])]
        elif kind < 0.5:
            self.arguments += ["kill=end:%d" % chance.choice([chance.randrange(1, 1000), chance.randrange(1, 10000)])]
        elif kind < 0.8:
            self.killAfter = 10 ** chance.uniform(-3.5, -0.7)


#===--- inside of `adatrace record` ----------------------------------------===#


class Launcher:
    """Starts the processes, kills them, and waits for them and for their children."""

    def __init__(self, options):
        self.seed, self.count, self.copies = options.seed, options.processes, options.processes // PER_COPY
        self.running = {} # by pid: (slot, when to kill it or None)
        self.started = self.killed = self.others = 0
        self.failed = []

    def start(self):
        slot, self.started = self.started, self.started + 1
        plan = Plan(self.seed, slot, self.copies)
        program = "./" + plan.program
        pid = os.posix_spawn(program, [program, "truth", *plan.arguments], os.environ, setsigmask=[], setsigdef=[signal.SIGPIPE])
        self.running[pid] = slot, time.time() + plan.killAfter if plan.killAfter else None

    # Whether there are others.
    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            self.last = time.time()
            isKilled = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
            slot = self.running.pop(pid, (None, None))[0]
            if slot is None:
                self.others += isKilled
            else:
                self.killed += isKilled
            if status and not isKilled:
                self.failed.append((slot, status))

    # Kills those whose time has come. Returns how long to wait for the next one.
    def kill(self):
        now, next = time.time(), 1
        for pid, (slot, when) in self.running.items():
            if when and when <= now:
                os.kill(pid, signal.SIGKILL)
                self.running[pid] = slot, None
            elif when:
                next = min(next, when - now)
        return next

    def play(self):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) # PR_SET_CHILD_SUBREAPER: orphans become ours
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        self.last = time.time()
        while self.reap() or self.started < self.count:
            while self.started < self.count and len(self.running) < AT_A_TIME:
                self.start()
            if time.time() - self.last > SECONDS:
                self.failed += [(slot, "hangs") for slot, _ in self.running.values()] or [(None, "a child hangs")]
                break
            signal.sigtimedwait([signal.SIGCHLD], self.kill())


def ringsIn(folder):
    return ringsOf(os.path.abspath("session"), since=BEGAN) if folder == USUAL_PLACE else os.listdir(folder)


def launch(options):
    launcher = Launcher(options)
    launcher.play()
    names = os.listdir("session/binaries")
    with open("launched.json", "w") as file:
        json.dump({"killed": launcher.killed, "others": launcher.others, "failed": launcher.failed,
                   "unfinished": sum(name.endswith(".new") for name in names),
                   "rings": len(ringsIn(options.rings))}, file)


#===--- around it ----------------------------------------------------------===#


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        raise Failed("%s: status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout


# Copies of the program that differ in their build ids, so they are other binaries with other files of symbols.
def makeCopies(count):
    if not count:
        return
    note = run(["readelf", "-n", "process"])
    build = bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", note).group(1))
    with open("process", "rb") as file:
        content = file.read()
    assert content.count(build) == 1
    for i in range(count):
        with open("process-%d" % i, "wb") as file:
            file.write(content.replace(build, i.to_bytes(len(build), "big")))
        os.chmod("process-%d" % i, 0o755)


# The true counts: {(slot, pid, part): (begun, ended)}.
def truthOf():
    with open("truth", "rb") as file:
        content = file.read()
    count = ENTRY.unpack_from(content)[0]
    entries = [ENTRY.unpack_from(content, ENTRY.size * (i + 1)) for i in range(count)]
    return {(slot, pid, part): (begun, ended) for slot, part, pid, begun, ended, *_ in entries if pid}


# What the manifest and the files of a process's directory say: who it is, (slot, pid, part), or None if it was killed
# before it could say it; how it ended; calls, returns and open calls in the trace; events that are said to be lost.
def recorded(directory, truth):
    try:
        with open(os.path.join(directory, "manifest.json")) as file:
            manifest = json.load(file)
    except FileNotFoundError:
        raise Failed("no manifest in " + directory)
    process, who = manifest["process"], None
    if "argv" in process:
        pid, slot, part = process["pid"], int(process["argv"][2]), int(process["argv"][3])
        who = (slot, pid, 1 if part == 0 and (slot, pid, 1) in truth else part)
    lost = sum(sum(piece.get("dropped", {}).values()) for piece in [manifest, *manifest["threads"]])
    exits = adatrace.open(directory).spans(columns=["exit"])["exit"]
    ways = dict(zip(exits.categories, numpy.bincount(exits.codes, minlength=len(exits.categories)).tolist()))
    return who, process["exit"]["how"], len(exits), ways.get("return", 0), ways.get("open", 0), lost


class Sums:
    processes = calls = lost = wrong = told = 0
    beforeFirst = between = afterLast = 0 # kills

    def __init__(self):
        self.problems = []

    def note(self, problem, lost=0, wrong=0):
        self.lost, self.wrong = self.lost + lost, self.wrong + wrong
        self.problems.append(problem)

    def compare(self, who, truth, exit, calls, returns, open, lost):
        begun, ended = truth
        told = calls + returns + lost
        missing = max(0, ended - returns - lost, 2 * ended - told)
        wrong = max(0, calls - begun, told - 2 * begun)
        if exit == "code": # at an exec, another thread may be about to make a call
            wrong = max(wrong, open, abs(begun - calls))
        if missing or wrong:
            self.note("%s: %d calls begun, %d ended; in the trace %d, %d of them ended, %d open, %d events lost; exit: %s" %
                      (who, begun, ended, calls, returns, open, lost, exit), missing, wrong)
        self.told += lost


def compare(session):
    truth, sums = truthOf(), Sums()
    left = dict(truth)
    for name in os.listdir(session):
        if not name.startswith("pid_"):
            continue
        who, exit, calls, returns, open, lost = recorded(os.path.join(session, name), truth)
        begun, ended = left.pop(who, (0, 0))
        sums.processes += 1
        if exit in ("signal", "unknown"):
            sums.beforeFirst += begun == 0
            sums.between += begun > ended
            sums.afterLast += begun == ended > 0
        sums.compare("%s, (slot, pid, part) %s" % (name, who), (begun, ended), exit, calls, returns, open, lost)
    for who, counts in left.items(): # killed before anything was recorded
        sums.compare("(slot, pid, part) %s without a trace" % (who,), counts, "unknown", 0, 0, 0, 0)
    sums.calls = sum(ended for _, ended in truth.values())
    return sums


def checkNothingIsLeft(session, rings):
    left = [os.path.join(folder, name) for folder, _, names in os.walk(session) for name in names
            if name.endswith(".new") or name in ("ring", "modules.jsonl")]
    left += ringsIn(rings)
    if left:
        raise Failed("%d files stay behind: %s" % (len(left), ", ".join(left[:10])))


# adatrace and numpy, which need not be there for the launcher.
def importPackage(build):
    global adatrace, numpy
    sys.path.insert(0, os.path.join(build, "lib/python3/dist-packages"))
    try:
        import adatrace, numpy
    except ImportError as error:
        raise Failed("%s; run this by the Python that the package adatrace was built for: /usr/bin/python3" % error)
    warnings.simplefilter("ignore") # that nothing was recorded, or the recorder held up a thread


def timed(what, command, times):
    begin = time.time()
    said = run(command)
    times.append("%s %.1f s" % (what, time.time() - begin))
    return said


def storm(options, rings):
    tool = os.path.join(options.build, "bin", "adatrace")
    suffix = "-" + options.llvm if options.llvm else ""
    with open("each.inc", "w") as file:
        file.writelines("EACH(%d)\n" % i for i in range(FUNCTIONS))
    run([os.path.join(options.build, "bin/ada-clang" + suffix), "-O0", "--ada-include=counted*", "-I.", os.path.join(here, "process.c"),
         "-pthread", "-o", "process"])
    copies = options.processes // PER_COPY
    makeCopies(copies)
    with open("truth", "wb") as file:
        file.truncate(ENTRY.size * (1 + 4 * options.processes))
    times = []
    place = [] if rings == USUAL_PLACE else ["--ring=" + rings]
    timed("record", [tool, "record", "--packed", "--session=session", *place, sys.executable, os.path.abspath(__file__),
                     "--launch", "--seed=%d" % options.seed, "--processes=%d" % options.processes, "--rings=" + rings], times)
    with open("launched.json") as file:
        launched = json.load(file)
    if launched["failed"]:
        raise Failed("processes failed: (slot, wait status) %s" % launched["failed"][:10])
    checkNothingIsLeft("session", rings)
    timed("verify", [tool, "verify", "--quiet", "session"], times)
    begin = time.time()
    sums = compare("session")
    times.append("compare %.1f s" % (time.time() - begin))
    print("%d processes started, %d of them and %d of their children killed; %d in the trace, of which killed before the first call %d, in a "
          "call %d, after a call %d; %d binaries; left before cleaning: %d unfinished files of symbols, %d rings" %
          (options.processes, launched["killed"], launched["others"], sums.processes, sums.beforeFirst, sums.between, sums.afterLast,
           len(os.listdir("session/binaries")), launched["unfinished"], launched["rings"]))
    print("%d calls, %d events told to be lost, %d lost, %d wrong; %s" % (sums.calls, sums.told, sums.lost, sums.wrong, ", ".join(times)))
    if sums.problems:
        raise Failed("%d problems:\n%s" % (len(sums.problems), "\n".join(sums.problems[:20])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build")
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--llvm", default="")
    parser.add_argument("--directory", default="", help="where to work; BUILD/stress-processes otherwise")
    parser.add_argument("--keep", action="store_true", help="do not remove the session")
    parser.add_argument("--launch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rings", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.launch:
        return launch(options)
    options.build = os.path.abspath(options.build)
    directory = os.path.abspath(options.directory or os.path.join(options.build, "stress-processes"))
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    os.chdir(directory)
    # Rings in a folder that was asked for have a link; others are found without one.
    canUse = os.access(USUAL_PLACE, os.W_OK)
    isUsual = canUse and options.seed % 2 == 0
    rings = USUAL_PLACE if isUsual else tempfile.mkdtemp(prefix="storm-", dir=USUAL_PLACE if canUse else directory)
    try:
        importPackage(options.build)
        storm(options, rings)
        if not options.keep:
            shutil.rmtree(directory)
    except Failed as failure:
        print("seed %d (what it left is in %s and %s): %s" % (options.seed, directory, rings, failure))
        sys.exit(1)
    if not isUsual:
        os.rmdir(rings)


main()
