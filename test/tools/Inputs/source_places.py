#!/usr/bin/env python3
"""The places in the sources that print commands of adatrace, and which of them a test has reached.

Usage: source_places.py ROOT: lists them.

A place is a string of C++, C or JavaScript, or a line of a wrapper, that holds "adatrace COMMAND" or hands a command to
SessionFacts. It was reached if an output has all of its text; what is put in at run time may be anything. A place that
no output can have is in NOT_REACHED with its reason.
"""
import fnmatch
import pathlib
import re
import sys

from command_text import BEGINS

FOLDERS = ("tools/adatrace", "tools/wrappers", "lib", "runtime", "shared", "pass")
# Manual pages and completions, which describe all commands.
LEFT_OUT = ("tools/adatrace/manual/*",)
STRING = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|\'((?:[^\'\\\n]|\\.)*)\'', re.S)
COMMAND = re.compile(r"(?<![-.\w/])adatrace (?=[-{$a-z]|$)")
# A program, not a command.
PROSE = re.compile(r"\b(?:this|the|another|newer|that|as|of|use|allow) adatrace\b")
# Also texts in which commands are put into literals of their own: facts.command("why --process=all").
HANDED = re.compile(r'facts\.command(?:For)?\([^;]*?;', re.S)

MOST_BETWEEN = 600  # characters of what is put in
# Places that no output of the test has, and why. The text is the beginning of the place's.
LARGE = "it takes thousands of processes or functions"
VIEWER = "on a page: the tests of the viewer press it open"
SERVER = "it needs a server: test/tools/fleet.test and load.test"
SYSTEM = "what this machine allows decides"
NOT_REACHED = {
    ("tools/adatrace/commands/info.cpp", "{}warning{}"): "linkers only make it of some programs: test/runtime/images/table_apart.test",
    ("tools/adatrace/commands/fleet.cpp", "fleet: only one session"): SERVER,
    ("tools/adatrace/fleet/loader.cpp", "`adatrace load --init"): SERVER,
    ("lib/formats/clickhouse/questions.cpp", "SELECT duration"): SERVER,
    ("tools/adatrace/doctor/program_checks.cpp", "link with ada-clang"): "the program would have to be linked without its runtime",
    ("tools/adatrace/doctor/program_checks.cpp", "none is linked; the runtime"): "it is of static programs without libc",
    ("tools/adatrace/doctor/session_checks.cpp", "a larger --buffer"): "whether a live program has lost events by now is chance",
    ("tools/adatrace/doctor/system_checks.cpp", "remove what is not needed"): SYSTEM,
    ("tools/adatrace/doctor/system_checks.cpp", "programs that wait"): SYSTEM,
    ("tools/adatrace/doctor/system_checks.cpp", "kernel.yama"): SYSTEM,
    ("tools/adatrace/doctor/system_checks.cpp", "compare `adatrace info"): SYSTEM,
    ("tools/adatrace/process/chosen_processes.cpp", "`adatrace status --each`"): LARGE,
    ("tools/adatrace/process/recover_process.cpp", "`adatrace recover --each"): LARGE,
    ("tools/adatrace/record/record_program.cpp", "`adatrace status`"): LARGE,
    ("tools/adatrace/record/closing.cpp", "; `adatrace info {}` lists"): LARGE,
    ("tools/adatrace/record/closing.cpp", "all {} were lost"): "the disk is full: test/runtime/files/all_lost.test",
    ("runtime/core/session/summary.cpp", ", then run: adatrace recover"): "the disk is full: test/runtime/files/all_lost.test",
    ("tools/adatrace/record/closing.cpp", "no instrumented function was called, or"): "the program would have to end before it calls anything",
    ("lib/live/control/control.cpp", "has recorded nothing yet"): SYSTEM,
    ("tools/wrappers/wrapper.in", "Example: ada-g++"): "there may be no plugin for GCC",
    ("tools/adatrace/view/api.cpp", "the file can't be read here"): VIEWER,
    ("tools/adatrace/view/assets/api.js", "The server does not answer"): VIEWER,
    ("tools/adatrace/view/assets/call_reasons.js", "adatrace "): VIEWER,
    ("tools/adatrace/view/assets/panel_findings.js", "adatrace why"): VIEWER,
    ("tools/adatrace/view/assets/panel_processors.js", "the trace has no scheduling"): VIEWER,
    ("tools/adatrace/view/http_server.cpp", ""): "an answer to a wrong request: test/tools/view_server.test and open.test",
    ("lib/formats/native/session/session.cpp", "there is no session_* directory"): "callers have messages of their own",
    ("runtime/core/session/orders.cpp", "it is recording;"): "the tool asks before it gives the order; a race between two",
}


def withoutComments(text):
    return re.sub(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*|/\*.*?\*/',
                  lambda m: m[0] if m[0][0] in "\"R'" else re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def stringsOf(text, quotes):
    """Line and value of each string; those that follow each other are one."""
    last = None
    for found in STRING.finditer(text):
        if found[0][0] not in quotes:
            continue
        value = next(group for group in found.groups()[1:] if group is not None)
        value = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), value, flags=re.S)
        if last and not text[last[2]:found.start()].strip():
            last = (last[0], last[1] + value, found.end())
            continue
        if last:
            yield last[:2]
        last = (text.count("\n", 0, found.start()) + 1, value, found.end())
    if last:
        yield last[:2]


def places(root):
    """(file, line, text) of each place."""
    root = pathlib.Path(root)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if any(fnmatch.fnmatch(name, pattern) for pattern in LEFT_OUT) or path.suffix not in {".cpp", ".h", ".c", ".inc", ".js", ".in"}:
                continue
            text = path.read_text()
            if path.suffix == ".in":
                found = [(n, line) for n, line in enumerate(text.split("\n"), 1) if not line.lstrip().startswith("#")]
            else:
                text = withoutComments(text)
                found = list(stringsOf(text, "\"R" if path.suffix != ".js" else "\"'`"))
                for handed in HANDED.finditer(text):
                    found += [(text.count("\n", 0, handed.start()) + 1, "adatrace " + value) for _, value in stringsOf(handed[0], '"')]
            for line, value in found:
                if COMMAND.search(PROSE.sub("", value)):
                    yield name, line, value


def partsOf(text):
    """What an output has of the place, with one blank for blanks: what is put in comes between the parts."""
    parts = re.split(r"\$?\{[^{}]*\}", text.strip().replace("{{", "\1").replace("}}", "\2"))
    parts = [re.sub(r"\s+", " ", part.replace("\1", "{").replace("\2", "}")) for part in parts]
    return [part for part in parts if part.strip()]


def isIn(parts, output):
    """Whether the parts follow each other, with what fits into a message between them."""
    begin = output.find(parts[0])
    while begin >= 0:
        at = begin + len(parts[0])
        for part in parts[1:]:
            found = output.find(part, at, at + MOST_BETWEEN + len(part))
            if found < 0:
                break
            at = found + len(part)
        else:
            return True
        begin = output.find(parts[0], begin + 1)
    return False


def unseen(text):
    """Whether a place prints a command in a way in which it is not found in an output."""
    text = PROSE.sub("", re.sub(r"\{[^{}]*\}", "\n", text)) + "x"
    seen = {found.start() + (found[0][0] == "`") for found in BEGINS.finditer(text)}
    return any(found.start() not in seen for found in COMMAND.finditer(text))


def unreached(root, outputs, absent=()):
    """Problems: places that no output has and that have no reason, and reasons for what is not there. Some are reached on
    some machines only. `absent`: commands that this adatrace was built without."""
    outputs = [re.sub(r"(?:\\?\s)+", " ", output) for output in outputs]
    needed = set()
    for name, line, text in places(root):
        reason = next((begin for begin in NOT_REACHED if name == begin[0] and text.strip().startswith(begin[1])), None)
        needed.add(reason)
        if unseen(text) and NOT_REACHED.get(reason) != SERVER:
            yield f"{name}:{line}: a command is printed in none of the ways that command_text.py lists: {text.strip()!r}"
        if pathlib.Path(name).stem in absent:
            continue
        parts = partsOf(text)
        if any(isIn(parts, output) for output in outputs):
            continue
        if not reason:
            yield f"{name}:{line}: no output of printed_commands.py has this: {text.strip()!r}"
    for begin in NOT_REACHED.keys() - needed:
        yield f"source_places.py: NOT_REACHED has {begin}, which is not there"


if __name__ == "__main__":
    for place in places(sys.argv[1]):
        print("%s:%d: %r" % place)
