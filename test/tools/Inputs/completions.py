"""Tries the completions in DIR, from a directory with ada-traces/session_20261121_101500, old/ and file."""
import os
import pty
import re
import shutil
import subprocess
import sys

from adatest import attempt

share = os.path.abspath(sys.argv[1])
script = share + "/bash-completion/completions/adatrace"
SESSION = "ada-traces/session_20261121_101500"

# A stand-in for adatrace, which knows two traced processes.
os.mkdir("bin")
with open("bin/adatrace", "w") as file:
    file.write("#!/bin/sh\ncase \"$*\" in\n*pid,name*) printf 'pid,name\\n4711,server\\n4712,worker\\n' ;;\n"
               "*pid*) printf 'pid\\n4711\\n4712\\n' ;;\nesac\n")
os.chmod("bin/adatrace", 0o755)
environment = {**os.environ, "PATH": os.getcwd() + "/bin:" + os.environ["PATH"], "HOME": os.getcwd(), "TERM": "dumb",
               "LC_ALL": "C.UTF-8"}


def bash(*words):
    """What bash offers for the last word."""
    program = (f'source {script}; set -u; shopt -u direxpand; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _adatrace; '
               'printf "%s\\n" "${COMPREPLY[@]-}"')
    done = attempt("bash", "--norc", "-c", program, "bash", "adatrace", *words, env=environment)
    if done.returncode or done.stderr:
        sys.exit(f"{words}: {done.returncode}: {done.stderr}")
    return set(done.stdout.split())


EXPECTED = [
    (["re"], {"record", "recover", "report"}),
    (["--"], {"--help", "--version"}),
    (["help", "opt"], {"options"}),
    (["tree", "--dep"], {"--depth="}),
    (["tree", "--exc"], {"--exclude="}),
    (["report", "--format", "=", "js"], {"json", "jsonl"}),  # bash divides at =
    (["report", "--format=js"], {"--format=json", "--format=jsonl"}),  # unless it is told not to
    (["report", "--by", ""], {"function", "thread", "module", "file"}),
    (["report", "--limit", "=", ""], set()),
    (["report", "--source", "ol"], {"old"}),  # takes no value
    (["report", "--source", "=", ""], set()),
    (["report", "fi"], {"file"}),
    (["diff", "--against", "=", "ada-traces/"], {SESSION}),
    (["record", "--session", "=", "o"], {"old"}),
    (["record", "--overflow", "=", ""], {"block", "drop"}),
    (["record", "--clock", "=", ""], {"auto", "counter", "system", "tick", "none"}),
    (["record", "--pid", "=", ""], {"4711", "4712"}),
    (["stop", "47"], {"4711", "4712"}),
    (["start", "ser"], {"server"}),
    (["stop", "4711", "wo"], {"worker"}),
    (["fleet", "host"], {"hosts"}),
    (["nosuch", "x"], set()),
]
for words, expected in EXPECTED:
    if (found := bash(*words)) != expected:
        sys.exit(f"{words}: {found}")
for words, atLeast in ((["tree", ""], {SESSION, "old", "file"}), (["trigger", ""], {SESSION, "4711", "server"} - {"server"}),
                       (["record", "--o"], {"--output=", "--overflow="}), (["record", "./fi"], {"./file"})):
    if not (found := bash(*words)) >= atLeast:
        sys.exit(f"{words}: {found}")
print("bash: all as expected")


def read(leader, until):
    """Until the text has come, without what bash says about the terminal."""
    text = ""
    while until not in text:
        text += os.read(leader, 4096).decode("utf-8")
    return text


leader, follower = pty.openpty()
shell = subprocess.Popen(["bash", "--norc", "-i"], stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
                         env={**environment, "PS1": "prompt> "})
os.close(follower)
read(leader, "prompt> ")
os.write(leader, f"bind 'set enable-bracketed-paste off'; source {script}\n".encode())
read(leader, "\nprompt> ")
os.write(leader, b"adatrace rep\t--form\tma\t")
print("bash, at its prompt:", read(leader, "markdown").replace("\a", "").strip())
shell.kill()
shell.wait()

if shutil.which("zsh"):
    # The specifications that _arguments gets, and the commands.
    program = (f'fpath=({share}/zsh/site-functions $fpath); autoload -Uz _adatrace; autoload +X _adatrace; '
               'function _describe { print -l -- ${(P)2} }; function _arguments { print -l -- "$@" }; '
               'words=(adatrace x); CURRENT=2; _adatrace; words=(adatrace report x); CURRENT=3; _adatrace; '
               'words=(adatrace stop x); CURRENT=3; _adatrace')
    done = attempt("zsh", "-f", "-c", program, env=environment)
    for part in ("report:Count and time the calls of each function", ":FORMAT:(text csv json jsonl markdown)",
                 "SESSION:_adatrace_sessions", ":_adatrace_processes"):
        if part not in done.stdout or done.stderr or done.returncode:
            sys.exit(f"zsh: no {part}: {done.stderr}\n{done.stdout}")
    print("zsh: read, and offers the same")
else:
    print("zsh: not installed")

if shutil.which("fish"):
    def fish(line):
        program = f"source {share}/fish/vendor_completions.d/adatrace.fish; complete -C '{line}'"
        done = attempt("fish", "--no-config", "-c", program, env=environment)
        if done.returncode or done.stderr:
            sys.exit(f"fish: {line}: {done.stderr}")
        return set(re.findall(r"^[^\t\n]+", done.stdout, re.M))

    for line, expected in (("adatrace re", {"record", "recover", "report"}), ("adatrace tree --dep", {"--depth"}),
                           ("adatrace report --format=js", {"--format=json", "--format=jsonl"}),
                           ("adatrace stop 47", {"4711", "4712"}), ("adatrace record --overflow=", {"--overflow=block", "--overflow=drop"})):
        if (found := fish(line)) != expected:
            sys.exit(f"fish: {line}: {found}")
    if SESSION not in fish("adatrace tree "):
        sys.exit(f"fish: {fish('adatrace tree ')}")
    print("fish: read, and offers the same")
else:
    print("fish: not installed")
