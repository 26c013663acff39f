#!/usr/bin/env python3
"""Storms against the runtime and recovery: run.py --build BUILD [--seconds N | --kills N] [--seed N] [--llvm N]

Each round runs storm.cpp with random options, mostly until a kill -9 at a random moment, recovers the trace (in some
rounds the first recovery is killed as well, or first given a damaged copy of the memory), and compares it with the
counts that the program kept. `lost`: events of calls that the program knew to be complete, which are neither in the
trace nor among its reported losses; with overflow=block and room on the disk nothing may be lost. `wrong`: calls and
losses that never happened. Both must be 0; otherwise the round's seed is printed. In some rounds the disk is small, and
full at random moments, if the system allows mounting one.
"""
import argparse
import array
import glob
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

here = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60 # no step takes longer; a hang is a failure


class Failed(Exception):
    def __init__(self, what, lost=0, wrong=0):
        super().__init__(what)
        self.lost, self.wrong = lost, wrong


def run(command, expected=(0,), **more):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, errors="replace", **more)
    except subprocess.TimeoutExpired:
        raise Failed("hangs: " + " ".join(command))
    if done.returncode not in expected:
        raise Failed("%s: status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout


# Also waits until the children that a killed program had forked are gone.
def waitForGroup(group):
    deadline = time.time() + SECONDS
    while time.time() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.001)
    raise Failed("a killed process stays")


def truthOf(path):
    """Sums over all counters: (begun, ended)."""
    with open(path, "rb") as file:
        words = array.array("Q", file.read())
    return sum(words[1::2]), sum(words[2::2])


class Disk:
    """A small file system of this process's mount namespace, which is full at random moments."""

    def __init__(self, folder):
        self.folder, self.filler = folder, os.path.join(folder, "filler")

    def begin(self, kilobytes, seed):
        os.makedirs(self.folder, exist_ok=True)
        run(["mount", "-t", "tmpfs", "-o", "size=%dk" % kilobytes, "none", self.folder])
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.fill, args=(random.Random(seed),))
        self.thread.start()

    def fill(self, chance):
        while not self.stop.wait(chance.uniform(0, 0.2)):
            try:
                with open(self.filler, "wb", buffering=0) as file:
                    while file.write(bytes(65536)) == 65536:
                        pass
            except OSError:
                pass
            self.stop.wait(chance.uniform(0, 0.2))
            os.path.exists(self.filler) and os.remove(self.filler)

    def makeRoom(self):
        self.stop.set()
        self.thread.join()
        os.path.exists(self.filler) and os.remove(self.filler)
        run(["mount", "-o", "remount,size=1g", self.folder])

    def end(self):
        self.stop.set()
        self.thread.join()
        run(["umount", self.folder])


class Round:
    def __init__(self, options, seed):
        self.random = random.Random(seed)
        self.adatrace = os.path.join(options.build, "bin", "adatrace")
        self.directory, self.kept = options.directory, options.directory + "-%d" % seed
        choose, often = self.random.choice, lambda probability: self.random.random() < probability
        self.kill = bool(options.kills) or often(0.75)
        # Most kills come early: that allows more of them, and most can go wrong at the beginning.
        self.life = self.random.random() ** 4 * (0.3 if options.kills else 2)
        self.drop = often(0.2)
        self.disk = Disk(os.path.join(self.directory, "disk")) if options.canMount and often(0.15) else None
        self.mayLose = self.drop or self.disk
        self.session = os.path.join(self.disk.folder if self.disk else self.directory, "session")
        self.rings = os.path.join(self.directory, "rings")
        self.traceOptions = ["session=" + self.session, "ring=" + self.rings, "buffer=" + choose(["256K", "1M", "16M", "64M"])]
        self.traceOptions += ["overflow=drop"] if self.drop else []
        self.traceOptions += choose([[], [], ["detail=counted*"], ["format=1"], ["format=packed"], ["format=packed", "detail=counted*"], ["clock=system"], ["clock=tick"], ["clock=none"],
                                     ["max_size=64K"], ["max_size=300K"], ["detail=counted*", "detail_mode=window", "pre_roll_ms=1", "post_roll_ms=1", "trigger=call:countedInLibrary;slow:counted>100us"],
                                     ["min_duration=2us"], ["max_depth=3"], ["min_duration=1us", "max_depth=4", "format=packed"]])
        self.traceOptions += choose([[], [], ["drain_threads=2"], ["drain_threads=4"]])
        self.isBounded = any(option.startswith("max_size") for option in self.traceOptions)
        kinds = ["signals=%d" % choose([100, 1000, 10000]), "loads", "fibers", "jumps"]
        # What can't make its directory runs untraced, and says so: a child, or a namespace with a runtime of its own.
        kinds += [] if self.disk else ["forks"]
        self.arguments = [str(choose([2000, 20000, 100001])), "threads=%d" % choose([1, 2, 4, 8])]
        self.arguments += [kind for kind in kinds if often(0.4)]
        self.arguments += choose([[], [], [], [] if self.disk else ["namespace"], ["raw-exit"]])

    # Returns the counts that the program knew: calls, lost ones among them, and wrong ones; and whether it was killed.
    def play(self):
        if self.disk:
            self.disk.begin(self.random.choice([300, 1000, 3000, 10000]), self.random.random())
        try:
            calls, lost, wrong, killed = self.record()
            if lost or wrong:
                raise Failed("%d of %d calls lost, %d wrong, killed: %s; in the trace: %s" % (lost, calls, wrong, killed, self.found), lost, wrong)
            return calls, killed
        except Failed:
            shutil.rmtree(self.kept, ignore_errors=True)
            shutil.copytree(self.directory, self.kept, symlinks=True)
            raise
        finally:
            if self.disk:
                self.disk.end()

    def record(self):
        for folder in (self.session, self.rings):
            shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(self.rings)
        truth = os.path.join(self.directory, "truth")
        if os.path.exists(truth):
            os.remove(truth)
        program = [os.path.join(self.directory, "storm"), truth, os.path.join(self.directory, "library.so"), *self.arguments]
        self.started = "ADA_OPTIONS=%s %s" % (":".join(self.traceOptions), " ".join(program))
        said = open(os.path.join(self.directory, "said"), "w+b")
        process = subprocess.Popen(program, env={**os.environ, "ADA_OPTIONS": ":".join(self.traceOptions)}, stdout=subprocess.DEVNULL,
                                   stderr=said, start_new_session=True)
        try:
            process.wait(self.life if self.kill else SECONDS)
            killed = False
        except subprocess.TimeoutExpired:
            killed = self.kill
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            waitForGroup(process.pid)
            if not self.kill:
                raise Failed("hangs")
        if not killed and process.returncode != 0:
            raise Failed("status %d" % process.returncode)
        said.seek(0)
        if b"untraced" in said.read():
            if not self.disk:
                raise Failed("it ran untraced")
            return 0, 0, 0, killed
        if self.disk:
            self.disk.makeRoom()
        if not os.path.exists(truth) or not os.path.getsize(truth) or not os.path.exists(self.session):
            return 0, 0, 0, killed # killed before anything
        if not glob.glob(self.session + "/pid_*"):
            return 0, truthOf(truth)[1], 0, killed
        if killed or self.disk: # a program that can't write its manifest leaves that to recovery
            self.recover()
        begun, ended = truthOf(truth)
        calls, returns, lost, leftOut = self.recorded()
        # There are two events per call. After a kill, one call per thread may have been in progress.
        told = calls + returns + lost + leftOut
        missing = max(0, 2 * ended - told)
        if not self.mayLose and not leftOut:
            missing = max(missing, ended - returns)
        wrong = max(0, calls - begun, told - 2 * begun)
        if not killed and not self.mayLose and not leftOut: # calls left by jumps have not returned
            wrong = max(wrong, self.opened, abs(self.exceptions - (begun - ended)))
        return ended, missing, wrong, killed

    def recover(self):
        if self.random.random() < 0.25:
            self.recoverDamaged()
        while self.random.random() < 0.3:
            first = subprocess.Popen([self.adatrace, "recover", "-q", self.session], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0, 0.03))
            first.kill()
            first.wait()
        run([self.adatrace, "recover", "-q", self.session])
        self.verify()
        run([self.adatrace, "recover", "--clean", "--ring", self.rings]) # for a process killed while it started
        if left := os.listdir(self.rings):
            raise Failed("memory stayed behind: " + ", ".join(left))

    # On a small disk it may report that the recorder failed, and that a library loaded right before the kill has no
    # names.
    def verify(self):
        said = run([self.adatrace, "verify", self.session], expected=(0, 1) if self.disk else (0,))
        problems = [line for line in said.splitlines() if line.startswith("problem:") and "recorder.failure" not in line and
                    not (self.disk and self.kill and line.endswith(" is not in the manifest"))]
        if problems:
            raise Failed("verify: " + "\n".join(problems))

    # Whatever memory and files contain, recovery ends by itself, with one of its own statuses.
    def recoverDamaged(self):
        copy = os.path.join(self.directory, "damaged")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.session, copy, symlinks=True)
        for link in glob.glob(copy + "/pid_*/ring"):
            target = os.readlink(link)
            os.remove(link)
            if not os.path.exists(target):
                continue
            run(["cp", "--sparse=always", target, link])
            self.damage(link, [0, 0, 65536, 1 << 20, 9 << 20, 18 << 20])
        files = glob.glob(copy + "/pid_*/*.json") + glob.glob(copy + "/pid_*/thread_*/*") + glob.glob(copy + "/pid_*/thread_*.*")
        for file in self.random.sample(files, min(len(files), self.random.choice([0, 1, 5]))):
            if self.random.random() < 0.5:
                os.truncate(file, self.random.randrange(os.path.getsize(file) + 1))
            else:
                self.damage(file, [0])
        for command in (["recover", "-q"], ["verify", "-q"], ["report"]):
            run([self.adatrace, *command, copy], expected=range(0, 10))
        shutil.rmtree(copy)

    def damage(self, path, places):
        with open(path, "r+b") as file:
            for _ in range(self.random.choice([1, 10, 1000])):
                file.seek(self.random.choice(places) + self.random.randrange(1 << 16))
                file.write(bytes([self.random.randrange(256)]))

    # Calls and returns in the trace, events reported as lost, and events that were to be left out; of a trace that keeps
    # the newest events only, all of them are among the latter.
    def recorded(self):
        calls = returns = lost = leftOut = opened = exceptions = 0
        for row in json.loads(run([self.adatrace, "report", "--format=json", self.session])):
            if not row["function"].startswith("counted") and not (self.disk and row["function"].startswith("0x")):
                raise Failed("a function that is not traced: %s" % row)
            calls += row["calls"]
            left = row["exceptions"] + row["inferred"] # jumps that no hook saw
            opened, exceptions = opened + row["open"], exceptions + left
            returns += row["calls"] - row["open"] - left
        for path in glob.glob(self.session + "/pid_*/manifest.json"):
            with open(path) as file:
                manifest = json.load(file)
            for part in [manifest, *manifest["threads"]]:
                lost += sum(part.get("dropped", {}).values())
                leftOut += part.get("left_out_count", 0)
                if self.isBounded: # the call of a return may be among what was removed
                    leftOut += part.get("event_count", 0) + part.get("removed_count", 0)
        self.found = "%d calls, %d open, %d left by jumps, %d events told to be lost, %d left out" % (calls, opened, exceptions, lost, leftOut)
        self.opened, self.exceptions = opened, exceptions
        if self.isBounded:
            calls = returns = 0
        if lost and not self.mayLose:
            raise Failed("%d events are said to be lost" % lost)
        return calls, returns, lost, leftOut


# Continues in a separate mount namespace. False if that is not allowed.
def mountsOfOurOwn():
    if "ADA_STRESS_MOUNTS" in os.environ:
        return os.environ.pop("ADA_STRESS_MOUNTS") == "1"
    for options in (["--mount"], ["--mount", "--map-root-user"]):
        unshare = ["unshare", *options]
        probe = [*unshare, "sh", "-c", "mount -t tmpfs none " + shlex.quote(here)]
        if shutil.which("unshare") and subprocess.run(probe, capture_output=True).returncode == 0:
            os.environ["ADA_STRESS_MOUNTS"] = "1"
            os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--llvm", default="")
    parser.add_argument("--same", action="store_true", help="the same seed in each round; only the moments differ")
    parser.add_argument("--kills", type=int, default=0, help="go on until so many programs were killed")
    parser.add_argument("--directory", default="", help="where to work; BUILD/stress otherwise")
    options = parser.parse_args()
    options.canMount = mountsOfOurOwn()
    if not options.canMount:
        print("no disk storms: this system does not let us mount", flush=True)
    options.build = os.path.abspath(options.build)
    options.directory = os.path.abspath(options.directory or os.path.join(options.build, "stress"))
    shutil.rmtree(options.directory, ignore_errors=True)
    os.makedirs(options.directory)
    suffix = "-" + options.llvm if options.llvm else ""
    flags = ["-g", "-O2", "--ada-include=counted*"]
    host = os.path.join(options.directory, "host.o")
    run(["cc", "-O2", "-fPIC", "-c", os.path.join(here, "host.c"), "-o", host])
    run([os.path.join(options.build, "bin/ada-clang++" + suffix), *flags, os.path.join(here, "storm.cpp"), host, "-pthread", "-ldl", "-o",
         os.path.join(options.directory, "storm")])
    run([os.path.join(options.build, "bin/ada-clang" + suffix), *flags, "-fPIC", "-shared", os.path.join(here, "library.c"), "-o",
         os.path.join(options.directory, "library.so")])
    end, rounds, calls, kills, bad = time.time() + options.seconds, 0, 0, 0, 0
    sums = [0, 0]
    while kills < options.kills if options.kills else time.time() < end:
        seed = options.seed + (0 if options.same else rounds)
        storm = Round(options, seed)
        try:
            known, killed = storm.play()
            calls, kills = calls + known, kills + killed
        except Failed as failure:
            bad += 1
            sums[0], sums[1] = sums[0] + failure.lost, sums[1] + failure.wrong
            print("seed %d (what it left is in %s): %s\n    %s" % (seed, storm.kept, storm.started, failure), flush=True)
        rounds += 1
        if rounds % 1000 == 0:
            print("%s: %d rounds, %d kills, %d calls, %d lost, %d wrong, %d failures" % (time.strftime("%H:%M"), rounds, kills, calls, *sums, bad),
                  flush=True)
    print("%d rounds, %d kills, %d calls, %d lost, %d wrong, %d failures" % (rounds, kills, calls, *sums, bad))
    sys.exit(bad > 0)


main()
