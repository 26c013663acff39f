#!/usr/bin/env python3
"""Commands of adatrace in what it prints: finds them, and runs them as a shell does.

Usage: command_text.py [NAME=WORD...] < OUTPUT, in the directory in which the output was made. Runs each command of the
output and prints those that can't be run. NAME=WORD: what stands in for the placeholder NAME.

A command is printed in one of these ways; test/tools/printed_commands.test finds source code with another one:
  `adatrace ...`                           in a sentence, up to the backquote outside of quotes
  next: adatrace ...                       after a colon and a blank, "→ ", "see ", "&& " or "| ", up to the end of the line
  |  adatrace ...                          after the start of the line, or two blanks or more
  "command": "adatrace ..."                a text of JSON
Words in capitals (PROGRAM, --thread=THREAD, BEFORE) are placeholders; everything else must run as printed.
"""
import json
import os
import re
import signal
import subprocess
import sys

BEGINS = re.compile(r"`adatrace(?=[ `])|(?:(?<=(?<!Usage): )|(?<=see )|(?<=→ )|(?<=&& )|(?<=\| )|(?<=\$\()|^|(?<=  ))adatrace(?= [-a-z])", re.M)
PLACEHOLDER = re.compile(r"(?<![\w$./'-])[A-Z][A-Z]+(?![\w./'-])(?:\.\.\.)?")


def wordsEnd(text, at, ends):
    """Where the command that begins at `at` ends: at the first character of `ends` that is not quoted."""
    quote, begin = None, at
    while at < len(text):
        c = text[at]
        if quote is None and c in ends:
            return at
        if quote is None and c in "'\"":
            quote = "$'" if c == "'" and text[at - 1] == "$" else c
        elif c == "\\" and quote != "'":
            at += 1
        elif quote and c == quote[-1]:
            quote = None
        at += 1
    # Quotes without an end: a shell will say so.
    return len(text) if not quote and "\n" in ends else (text + "\n").index("\n", begin)


def texts(output):
    """The output itself, or all texts of it if it is JSON."""
    def strings(value):
        if isinstance(value, str):
            yield value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from strings(part)
    found = []
    for part in [output] if output[:1] in "[{" and output[:1] else []:
        try:
            found += strings(json.loads(part))
        except ValueError:
            pass
    return found or [output]


def commandsIn(output):
    """All commands in the text, each once, in order."""
    found = {}
    for text in texts(output):
        end = 0
        for begin in BEGINS.finditer(text):
            if begin.start() < end:
                continue  # a part of the last one: `adatrace stop 7 && adatrace why`
            isQuoted = begin[0][0] == "`"
            at = begin.start() + isQuoted
            end = wordsEnd(text, at, "`" if isQuoted else ")\n" if text[at - 2:at] == "$(" else "\n")
            command = re.sub(r"\s*\n\s*", " ", text[at:end]) if isQuoted else text[at:end]
            found[command.strip()] = None
    return list(found)


# Commands that do not end by themselves, that would reach other programs on this machine, or whose sessions later
# commands would find, are run with an option more.
ADDED = [(r"adatrace top\b", "--count=1"), (r"adatrace record\b(?=.* --pid=)", "--for=20ms"), (r"adatrace recover\b(?=.* --clean\b)", "--dry-run"),
         (r"adatrace (?:view|open)\b", "--no-browser"), (r"adatrace (?:start|stop)\b(?=.* --all\b)", "--help"),
         (r"adatrace record\b(?!.* --(?:pid|session|output|help))(?= )", "--output=\"${OUTPUT:-.}\"")]
SERVES = re.compile(r"adatrace (?:view|open)\b")
USAGE = re.compile(r"unknown (?:option|command)|did you mean|syntax error|unexpected")
# Their status 1 is an answer.
ANSWERS = re.compile(r"adatrace (?:doctor|check|verify)\b")
WRONG = re.compile(r"unknown (?:option|command)|did you mean|no such|there is no session|matches no|has no (?:thread|function|complete call)|"
                   r"not found|syntax error|unexpected|takes no|is not a (?:session|trace)|no traced process")


def filled(command, words):
    """The command with words for placeholders; None if there is none for one of them."""
    missing = []

    def word(match):
        name = match[0].rstrip(".")
        if name not in words:
            missing.append(name)
        return words.get(name, "")
    # Quoted words have no placeholders.
    parts = re.split(r"(\$?'(?:[^'\\]|\\.)*'|'[^']*'|\"(?:[^\"\\]|\\.)*\")", command)
    command = "".join(part if i % 2 else PLACEHOLDER.sub(word, part) for i, part in enumerate(parts))
    return command, missing


def problemOf(command, words=None, statuses=(0,), cwd=".", complete=True, words_of_failure=WRONG):
    """Why the command can't be run as it is printed; None if it can. `statuses`: those that the pages call success.
    `complete`: false if it may be a name of a command only, in a text about commands."""
    line, missing = filled(command, words or {})
    if missing:
        return f"unknown placeholder {missing[0]}"
    for pattern, more in ADDED:
        if more.split("=")[0] not in line:
            line = re.sub(pattern, lambda m: f"{m[0]} {more}", line)
    if re.fullmatch(r"adatrace [a-z]+", line) and line != "adatrace help" and not complete:
        line += " --help"
    process = subprocess.Popen(["bash", "-c", line], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    first = ""
    if SERVES.match(line) and "--help" not in line:
        first = process.stdout.readline()  # the address, once it serves
        os.killpg(process.pid, signal.SIGINT)
    try:
        out, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        return f"does not end: {line}\n{out}{errors}"
    isDone = process.returncode in statuses or (process.returncode == 1 and ANSWERS.match(line))
    if isDone and not words_of_failure.search(errors) and (not SERVES.match(line) or first):
        return None
    return f"status {process.returncode}: {line}\n{first}{out[:600]}{errors[:2000]}"


if __name__ == "__main__":
    wrong = 0
    for printed in commandsIn(sys.stdin.read()):
        if why := problemOf(printed, dict(word.split("=", 1) for word in sys.argv[1:])):
            wrong += 1
            print(why)
    sys.exit(wrong != 0)
