#!/usr/bin/env python3
"""Runs every command that adatrace prints, in many situations.

Usage: printed_commands.py MAKE_SESSION PROGRAM PLAIN WRAPPER GCC_WRAPPER SOURCES, in an empty directory

PROGRAM: printed_commands.c, traced; PLAIN: the same, not traced; WRAPPER: ada-clang, and ada-gcc. Names of sessions, files and
functions have everything that a shell or a glob takes for something else. What is printed is searched for commands
(command_text.py), and each must run where it was printed. In the end each place of the sources that prints one must have
been reached, or have its reason in source_places.py.
"""
import concurrent.futures
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading

import source_places
import why_traces
from adatest import answer, run
from command_text import USAGE, WRONG, commandsIn, problemOf

MAKE, PROGRAM, PLAIN, WRAPPER, GCC_WRAPPER, SOURCES = [sys.argv[1], *map(os.path.abspath, sys.argv[2:4]), *sys.argv[4:]]
TOP = pathlib.Path.cwd()
# Directories, in which and with which commands are run.
PLACE = "it's a dir $HOME `id` (1) *?[a]{b,c}\n\t\\n;&|<>!#~ \u202e\u00e9\udcff"
# Names of functions, each a shell's or a glob's own matter.
NAMES = ["Pool::wait(..)", "a b", "it's", "x*y", "$HOME", "`id`", "n\nl", "-x", "--help", "f|g", "[abc]", "{a,b}", "q?", "!x", "\\d", "\x1b[31m", "é",
         '"q"', "a;b&c", "#c", "~", "<T>(x) const", "x,y", "file:12", "%s{}", "@start", "=b", "\u202e", "$(id)", "operator*", "operator[]", "operator|=",
         "{lambda()#1}", "a\\"]

everything, wrong, absent, seen, guard = [], [], [], {}, threading.Lock()
waiting = []
pool = concurrent.futures.ThreadPoolExecutor(3)


# Of examples in --help, which name what is not there, or what this machine has for others.
EXAMPLES = [(r"\b4711\b", lambda: helper.pid, (0, 1, 3)), (r"db\.example:8123", lambda: "127.0.0.1:9", (3, 4)), (r"adatrace cargo", None, (101, 127)), (r"adatrace convert - ", None, (3,)),
            (r"adatrace load(?= -)", lambda: "adatrace load --retry-for=0", (3, 4)), (r"adatrace ship(?= -)", lambda: "adatrace ship --retry-for=0 --once", (3, 4)),
            (r"--from=@deploy", lambda: "--from=1ms", (0,)), (r"adatrace pack(?= )", lambda: "adatrace pack --force", (0,)), (r"\+\+-19", lambda: "++", (0,)), (r" --llvm=19| --port=8080", lambda: "", (0,))]


def check(command, cwd, words, statuses, complete):
    line, where, failure = command, cwd, WRONG
    for text, instead, allowed in EXAMPLES if cwd == home else ():
        if re.search(text, line):
            line, statuses, failure = re.sub(text, lambda _: instead(), line) if instead else line, statuses + allowed, USAGE
    if "./server" in line or "4711" in command and cwd == home:
        where, failure = TOP / "live", USAGE
    if problem := problemOf(line, words, statuses, where, complete, failure):
        with guard:
            wrong.append(f"{problem}\n    in {str(cwd)!r}, printed by {seen[command, str(cwd)]}")


def shown(output, cwd, by, words=None, statuses=(0,), complete=True, before_each=None):
    """Runs the commands of what was printed in `cwd`; `before_each`: now, and this before each of them."""
    everything.append(output)
    for command in commandsIn(output):
        if (command, str(cwd)) in seen:
            continue
        seen[command, str(cwd)] = by
        task = (command, cwd, {**WORDS, **(words or {})}, statuses, complete)
        if before_each:
            before_each()
            check(*task)
        else:
            waiting.append(task)


def say(*command, cwd=None, text=None, env=None, **more):
    """Runs a command that says something, and then what it has printed. Its status is what the situation brings."""
    done = subprocess.run([*map(str, command)], cwd=cwd or place, input=text, stdin=None if text is not None else subprocess.DEVNULL, capture_output=True, timeout=100,
                          env={**os.environ, **(env or {})}, **({"preexec_fn": more.pop("before")} if "before" in more else {}))
    for output in (done.stdout, done.stderr):
        shown(output.decode(errors="surrogateescape"), cwd or place, " ".join(map(str, command)), **more)
    return done.returncode


def sessionOf(name, text, at=None, rename=None):
    """A session in `at`, from lines as of make_session; `rename`: functions that get a name that no line can have."""
    (TOP / "text").write_text("".join(f"T: {line}\n" for line in text.strip().split("\n")))
    path = (at or place) / name
    run(MAKE, TOP / "text", path)
    renamed(path, rename or {})
    return path


def renamed(session, names):
    def new(value):
        if isinstance(value, str):
            return names.get(value, value)
        return {k: new(v) for k, v in value.items()} if isinstance(value, dict) else [new(v) for v in value] if isinstance(value, list) else value
    for manifest in session.glob("pid_*/manifest.json"):
        manifest.write_text(json.dumps(new(json.loads(manifest.read_text()))))


def edited(session, change):
    for manifest in session.glob("pid_*/manifest.json"):
        value = json.loads(manifest.read_text())
        change(value)
        manifest.write_text(json.dumps(value))


# Two threads, one of which waits for a lock that the other one has.
LOCKS = """process 42
argv ./app
module 0 /opt/app
function 1 main
function 2 step
function 3 pthread_mutex_lock
external 3
thread 0 tid 42 name main
1000 call main
2000 call step
3000 return step
90000 call step
99000 return step
100000 return main
thread 1 tid 43
1500 call step
2000 call pthread_mutex_lock
80000 return pthread_mutex_lock
81000 return step"""


#--- findings: names of functions ------------------------------------------===#


def findings():
    os.chdir(place)
    why_traces.MAKE = MAKE
    for number, kind in enumerate(k for k in why_traces.KINDS if "," not in k or k.endswith(", one")):
        session, _ = why_traces.extra(kind, True)
        session.make()
        path = place / ("-" + kind) # what begins with - is not an option
        os.rename(session.name, path)
        functions = [f for f in session.functions if f not in why_traces.EXTERNAL]
        renamed(path, {f: NAMES[(number + i) % len(NAMES)] + "ABC"[number % 3] for i, f in enumerate(functions)})
        say("adatrace", "why", "./" + path.name)
        say("adatrace", "why", "--format=json", "./" + path.name)
        if kind == "hot-code":
            plain = path
    hot = answer("why", "--format=json", plain)["findings"][0]["function"]
    for number, name in enumerate(NAMES):
        path = place / f"named {number}"
        shutil.copytree(plain, path)
        renamed(path, {hot: name})
        say("adatrace", "why", path)
        say("adatrace", "outliers", path.name)
    os.chdir(TOP)


#--- sessions --------------------------------------------------------------===#


def sessions():
    locks = sessionOf("lo'cks", LOCKS)
    number = sessionOf("4711", LOCKS)  # not the process of that number
    for session in (locks, "4711"):
        for command in ("why", "waits", "outliers", "verify", "doctor", "report", "tree", "stacks", "coroutines", "info"):
            say("adatrace", command, session)
    tail = "".join(f"{20000 * i} call step\n{20000 * i + (9000 + i if i % 100 == 50 else 100 + i % 7)} return step\n" for i in range(1, 600))
    sessionOf("-tail", LOCKS.split("thread 0")[0] + "thread 0 tid 42\n" + tail)
    say("adatrace", "outliers", "--function=step", "./-tail")
    sessionOf("coro", LOCKS.replace("function 2 step", "function 2 step\ncoroutine 2"))
    say("adatrace", "coroutines", "coro")
    say("adatrace", "tree", "--args", locks), say("adatrace", "report", "--args", locks)
    for command in ("tree", "convert", "why"):
        say("adatrace", command, "--thread=none", *(["--function=main"] if command == "why" else []), "lo'cks", *(["/dev/null", "--to=csv", "--force"] if command == "convert" else []))
    say("adatrace", "why", "--call=x", "lo'cks")
    (place / "rules").write_text("max(step) < 1ns\ncalls(step) < 1\n")
    say("adatrace", "check", "rules", "lo'cks")
    say("adatrace", "report", "--suggest-filter", "--filter-file=fil ter", "lo'cks", words={"PROGRAM": PROGRAM})
    say("adatrace", "report", "--suggest-filter", "lo'cks")
    # Another one than the session that `adatrace info` finds by itself.
    lossy = sessionOf("lossy one", LOCKS + "\ndropped ring_full 12\ngap 2000 3000 12")
    for command in ("why", "report", "verify", "info", "tree"):
        say("adatrace", command, "lossy one", statuses=(0, 1))
    # Archives, files, standard input.
    run("adatrace", "pack", "-q", locks, "-o", place / "pa ck.adatrace")
    for command in ("why", "pack", "info", "tree", "doctor"):
        say("adatrace", command, "pa ck.adatrace")
    chrome = run("adatrace", "convert", "--to=chrome", locks, "-")
    (place / "$x.json").write_text(chrome)
    for command in ("why", "outliers", "doctor", "dump"):
        say("adatrace", command, "$x.json")
        say("adatrace", command, "-", text=chrome.encode(), words={"FILE": "'$x.json'"})
    say("adatrace", "dump", "--thread=1", "$x.json", words={"FILE": "thr.trc --force"})
    run("adatrace", "convert", "-q", "--to=dial9", locks, place / "d 9.trc")
    say("adatrace", "dump", "--thread=1", "d 9.trc", words={"FILE": "thr.trc --force"})
    say("adatrace", "pack", "$x.json")
    say("adatrace", "convert", "lo'cks", "o ut.gz")
    say("adatrace", "unpack", "$x.json")
    say("adatrace", "sql", "lo'cks", "SELECT load_extension('x')")
    say("adatrace", "sql", "lo'cks", ".schema", complete=False)
    sessionOf("op en", "process 42\nmodule 0 /opt/app\nfunction 1 main\nfunction 2 step\nthread 0 tid 42\n1000 call main\n2000 call step")
    (place / "neither").write_text("never main -> step\n")
    say("adatrace", "check", "neither", "op en", statuses=(0, 1))
    off = sessionOf("off&on", LOCKS)
    edited(off, lambda m: m.update(budget={"share": "1%", "call_ns": 50, "functions": [{"function_id": 2, "off_ns": 5000, "calls": 2, "estimated_calls": 9}]}))
    say("adatrace", "tree", "off&on")


def unfinished():
    cut = sessionOf("cut 'off", LOCKS.replace("argv", "exit running\nargv").replace("tid 43", "tid 43 unfinished"))
    ok = (0, 1)
    for command in ("verify", "info", "doctor", "pack", "tree", "why", "stacks"):
        say("adatrace", command, "cut 'off", statuses=ok)
    run("adatrace", "pack", "-q", "--unfinished", cut, "-o", place / "cut.adatrace")
    for command in ("verify", "info"):
        say("adatrace", command, "cut.adatrace", statuses=ok)
    again = sessionOf("cut again", LOCKS.replace("argv", "exit running\nargv"))
    say("adatrace", "recover", again, statuses=ok)
    # Scheduling records without an end; a damaged file; functions switched off.
    sched = sessionOf("sched 1", LOCKS)
    schedule(sched / "pid_42/thread_0", "500 100000", "900 on 0")
    file = sched / "pid_42/thread_0/sched.ads"
    file.write_bytes(file.read_bytes()[:-16])
    for command in ("verify", "tree"):
        say("adatrace", command, "sched 1", statuses=ok)
    edited(sched, lambda m: m["process"].update(exit={"how": "running"}))
    say("adatrace", "verify", "sched 1", statuses=ok)
    damaged = sessionOf("dam$aged", LOCKS)
    index = damaged / "pid_42/thread_0/index.atf"
    index.write_bytes(index.read_bytes()[:-60])
    for command in ("why", "doctor", "tree", "verify"):
        say("adatrace", command, "dam$aged", statuses=ok)
    stopped = sessionOf("stopped", LOCKS)
    edited(stopped, lambda m: m["process"].update(exit={"how": "stopped"}))
    say("adatrace", "info", "stopped", words={"PID": "--help"})


def schedule(thread, known, *records):
    run(sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sched_file.py"), thread, known, *records)


def manyProcesses():
    text = ""
    for pid in range(1, 26):
        text += (f"process {pid}\nargv ./app {pid}\nmodule 0 /opt/app\nfunction 1 main\nthread 0 tid {pid}\ndropped ring_full 3\n"
                 "1000 call main\n100000000 return main\n")
    many = sessionOf("many & more", text)
    for process in many.glob("pid_*"):
        schedule(process / "thread_0", "500 100000000", "900 on 0", "5000 held 1", "50000000 resumed 1")
    for command in ("info", "tree", "report", "why", "verify", "doctor", "convert"):
        say("adatrace", command, "many & more", *(["/dev/null", "--to=csv", "--force"] if command == "convert" else []), statuses=(0, 1))
    rules = place / "each rules"
    rules.write_text("main <= 1ns\n")
    say("adatrace", "check", "each rules", "many & more", statuses=(0, 1))
    edited(many, lambda m: m["process"].update(exit={"how": "running"}))
    say("adatrace", "recover", "many & more", statuses=(0, 1))


#--- recording -------------------------------------------------------------===#


def recorded():
    record = ("adatrace", "record", "--session")
    say(*record, "-re c", PROGRAM, "calls")
    say("adatrace", "record", PROGRAM, "calls", cwd=place / "sub")
    say(*record, "many", PROGRAM, "forks")
    say(*record, "crash", PROGRAM, "crash")
    say(*record, "killed", PROGRAM, "kill")
    say(*record, "none", PROGRAM, "nothing")
    say(*record, "no$ne", "--include=nosuch", PROGRAM, "calls")
    say(*record, "plain", PLAIN, "calls")
    say(*record, "shell", "sh", "-c", f"{PLAIN} calls")
    say(*record, "too short", "--min-duration=1000s", PROGRAM, "calls")
    say(*record, "wa it", "--waits", "--packed", PROGRAM, "calls")
    say(*record, "fli ght", "--flight=1M", PROGRAM, "fails")
    say("adatrace", "report", "--suggest-filter", "fli ght")
    say("adatrace", "info", PLAIN)
    for program in (PROGRAM, PLAIN):
        say("adatrace", "doctor", program)
    say("adatrace", "doctor", sessionOf("emp ty", "process 1\nthread 0 tid 1"), words={"PROGRAM": PROGRAM})
    say(*record, "budget", "--budget=0.01%", PROGRAM, "hot")
    say("adatrace", "record")
    # What the program says without `adatrace record`.
    for name, more in (("o'wn", ""), ("fl' ow", ":flight=1M"), ("$rotated'", ":max_size=1M")):
        say(PROGRAM, "fails", env={"ADA_OPTIONS": f'enabled=1:summary=always:session="{name}"' + more})
    say(PROGRAM, "kill", env={"ADA_OPTIONS": "enabled=1:session=\"k'\""})
    say("adatrace", "recover", "k'", statuses=(0, 1))


#--- live ------------------------------------------------------------------===#


class Live:
    """The program, waiting for its input."""

    def __init__(self, options):
        self.process = subprocess.Popen([PROGRAM, "waits"], cwd=lively, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "ADA_OPTIONS": options}, text=True)
        assert self.process.stdout.readline() == "ready\n"
        self.pid = str(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def say(self, *command, recording=False, **more):
        """The commands of a message may be alternatives, so each finds the process as it was."""
        def reset():
            subprocess.run(["adatrace", "start" if recording else "stop", self.pid], cwd=lively, capture_output=True)
        reset()
        return say("adatrace", *command, cwd=lively, words={"PID": self.pid, **more.pop("words", {})}, before_each=reset, **more)


def live():
    with Live("") as fresh:
        fresh.say("flush", fresh.pid)
    with Live("control=1") as waits:
        for command in ("stacks", "trigger", "mark", "flush", "snapshot", "stop", "doctor", "status"):
            waits.say(command, waits.pid, *(["now"] if command == "mark" else []))
        waits.say("start", waits.pid, "--session", "li've", "--quiet")
        waits.say("doctor", waits.pid)
        waits.say("trigger", waits.pid, words={"PROGRAM": PROGRAM + " calls"})
        waits.say("record", f"--pid={waits.pid}", "--session", "other", "--for=1ms", recording=True)
    with Live("enabled=1:format=packed:session='on it'") as on:
        on.say("pack", "on it", recording=True)
        on.say("verify", "on it", statuses=(0, 1), recording=True)
        on.say("info", "on it", statuses=(0, 1), recording=True)
        on.say("stop", on.pid)
        on.say("doctor", on.pid)
        on.say("stacks", on.pid)
        on.say("start", on.pid, "--session", "elsewhere", recording=True)
    with Live("enabled=1:flight=1M") as flight:
        flight.say("stacks", flight.pid, recording=True)
    with Live("enabled=1:session='boun ded':max_size=4M:format=packed") as bounded:
        bounded.say("dump", "--follow", "boun ded", recording=True)
    with Live("nonsense=1") as untraced:
        untraced.say("stacks", untraced.pid)


#--- usage and help --------------------------------------------------------===#


def usage():
    for command in ((), ("trea",), ("--x",), ("help", "x"), ("help", "a", "b"), ("tree", "nosuch"), ("why", "--x"), ("tree",)):
        say("adatrace", *command, cwd=TOP / "empty", complete=False)
    say("adatrace", "cargo", cwd=TOP / "empty", statuses=(101, 127))
    pid, terminal = pty.openpty()
    flame = subprocess.run(["adatrace", "flame", "lo'cks"], cwd=place, stdout=terminal, stderr=subprocess.PIPE, text=True)
    shown(flame.stderr, place, "flame on a terminal")
    os.close(pid), os.close(terminal)


def helps():
    """Texts about commands, with examples, in a directory that has what they name."""
    global helper
    lines = "\n".join(f"function {i} {name} {file}:{i}" for i, (name, file) in enumerate((
        ("main", "a/net/main.cpp"), ("net::send", "parser.cpp"), ("parse", "a/net/b.cpp"), ("server::handle", "c.cpp"), ("Server::handle", "c.cpp"),
        ("malloc_wrapper", "c.cpp"), ("handle", "c.cpp")), 1))
    text = f"process 42\nargv ./server\nmodule 0 /opt/server\n{lines}\n"
    for thread, name in ((0, "main"), (1, "worker-1"), (3, "worker-3")):
        text += f"thread {thread} tid {42 + thread} name {name}\n"
        text += "".join(f"repeat 200 10000000\n{1000 * i} call {i}\n{1000 * i + 900} return {i}\nend\n" for i in range(1, 8))
    names = "ada-traces/session_20261121_101500 ada-traces/session_20261120_090000 before after good bad a b".split()
    for name in names + [f"{side}{i}" for side in ("before", "after") for i in range(1, 5)]:
        if name == names[0]:
            sessionOf(name, text, home)
        else:
            shutil.copytree(home / names[0], home / name)
    run("adatrace", "pack", "-q", home / "a", "-o", home / "run.adatrace")
    shutil.copy(home / "run.adatrace", home / "slow.adatrace")
    run("adatrace", "convert", "-q", home / "a", home / "run.trc")
    run("gzip", "-k", home / "run.trc")
    (home / "rules").write_text("handle <= 1s\n")
    for name in ("server", "app", "program"):
        for directory in (home, TOP / "live"):
            os.symlink(PROGRAM, directory / name)
    (home / "app.c").write_text("int main(void) { return 0; }\n")
    shutil.copy(home / "app.c", home / "app.cpp")
    overview = run("adatrace", "--help")
    with Live("control=1") as helper:
        shown(overview, home, "--help", complete=False, statuses=(0, 1))
        WORDS["PID"] = helper.pid
        for name in [line.split()[0].rstrip(",") for line in overview.split("\n") if line.startswith("  ") and line[2:3].isalpha()]:
            done = subprocess.run(["adatrace", name, "--help"], capture_output=True, text=True)
            if done.returncode != 0:
                absent.append(name)
            else:
                shown(done.stdout, home, f"{name} --help", complete=False, statuses=(0, 1))
        for wrapper in filter(os.path.exists, (WRAPPER, GCC_WRAPPER)):
            shown(run(wrapper, "--ada-help"), home, "--ada-help")
        runAll()


def runAll():
    for _ in pool.map(lambda task: check(*task), waiting):
        pass
    waiting.clear()


place = TOP / os.fsdecode(PLACE.encode(errors="surrogateescape"))
# Programs that wait make ada-traces here, where commands without a session would find it.
lively, home = place / "live", TOP / "home"
for directory in (place / "sub", lively, TOP / "live", home, TOP / "empty"):
    directory.mkdir(parents=True)
WORDS = {"PROGRAM": f"{PROGRAM} calls", "FILE": PROGRAM, "GLOB": "'*'", "THREAD": "0", "SESSION": "\"$PWD/lo'cks\"", "COMMAND": "report",
         "BEFORE": "lo'cks".replace("'", "\\'"), "AFTER": "./4711"}
os.environ["OUTPUT"] = str(TOP / "recorded")
for situation in (sessions, unfinished, manyProcesses, findings, recorded, live, usage, helps):
    situation()
runAll()
print(f"{len(seen)} commands, of which {len(wrong)} can't be run as printed")
for text in wrong:
    print(text)
problems = list(source_places.unreached(SOURCES, everything, absent))
print(*problems, sep="\n")
sys.exit(bool(wrong or problems))
