"""Every command shows a trace whose names contain anything. Usage: nasty_names.py MAKE_SESSION TEXT DIRECTORY

Makes the session of TEXT twice: unchanged, and with each NASTY replaced by text that must not reach a terminal: in
names of functions, files, threads and modules, in arguments and options, in the session's path. Every command has to
print the same number of lines for both, in UTF-8, without control characters and direction marks.
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys

import view_server

makeSession, text, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
# Colours and cursor (as ESC and as C1), ends of the line and of the terminal's text, directions, separators, characters
# without width, fillers, tags, variation selectors, noncharacters, invalid bytes.
NASTY = ["\x1b[31m", "\x1b]0;title\x07", "\n", "\r", "\b", "\x7f", "\u0085", "\u009b31m", "\u061c", "\u200e", "\u200f",
         "\u2028", "\u2029", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\t",
         "\xad", "\u034f", "\u115f", "\u17b4", "\u180e", "\u200b", "\u200c", "\u200d", "\u2060", "\u206f", "\u3164", "\ufe0f",
         "\ufeff", "\uffa0", "\ufff9", "\uffff", "\U0001d173", "\U000e0001", *(chr(0xE0000 + ord(c)) for c in "tag"), "\U000e01ef"]
UNSAFE = {*range(0x20), *range(0x7F, 0xA0), *(ord(c) for c in NASTY if len(c) == 1)} - {10}
nasty = "x" + "".join(NASTY) + "y"


def make(name, instead):
    session = directory / name
    shutil.rmtree(session, ignore_errors=True)
    subprocess.run([makeSession, text, session], check=True)
    for manifest in session.glob("pid_*/manifest.json"):
        old = manifest.read_bytes()
        assert b"NASTY" in old
        manifest.write_bytes(old.replace(b"NASTY", instead))
    return str(session)


COMMANDS = """
tree S | tree --source --args --names=full S | tree --fold --names=mangled S | tree --function=*main* S
report --source S | report --by=thread S | report --by=file S | report --by=module S | report --args S | report --format=csv --by=thread S
report --format=jsonl S | report --slowest=9 --args --source S | report --slowest=9 --format=csv S
report --slowest=9 --format=jsonl S | info S | info --all S | info S/pid_1/thread_0 | verify S | recover S | trigger S
dump S | dump --format=jsonl S | dump --thread=S S | tree --thread=S S | report --function=S S
convert --to=csv S - | convert --to=callgrind S - | convert --to=lcov S - | convert --to=chrome S -
convert --to=speedscope S - | convert --to=firefox S - | convert --to=otlp S - | report --format=markdown --args S
flame S -o S.html | graph main S | why --slowest S | stacks --at=300 S | sql S select_*_from_spans | sql --format=csv S select_*_from_spans
convert --force S S.trc | convert --force S S.wtf-trace | convert --force S S.cff | convert --force S S.nothing
info S.trc | dump S.trc | dump --format=jsonl S.trc | verify S.trc | dump --raw S.trc
info S.wtf-trace | dump S.wtf-trace | dump --format=jsonl S.wtf-trace | verify S.wtf-trace
tree --format=json --args --source S | report --format=json S | report --format=json --by=thread S | info --format=json S
tree S.trc | tree --args --format=json S.trc | report --by=file S.trc | report --format=csv S.trc | dump --events --format=jsonl S.trc
tree S.wtf-trace | tree --args --format=json S.wtf-trace | report S.wtf-trace | report --format=json S.wtf-trace
info --format=json S.trc | info --format=json S.wtf-trace | dump --events S.wtf-trace | tree S.cff | report --format=jsonl S.cff
info S.cff | dump S.cff | verify S.cff | tree S.none | info S.none | verify S.none | dump S.none
convert S.none S.trc | record --session S.none/S | record --options=S true | record S.none | flags S | S | tree --S
tree --depth=S S | report --sort=S S | trigger S.none | recover S.none | info S/pid_1/manifest.json | verify S/pid_1
"""


def run(command, session):
    arguments = [word.replace("S", session) if "S" in word else word for word in command.split()]
    done = subprocess.run(["adatrace", *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode in range(5) or done.returncode in (125, 126, 127), (command, done)
    if "json" in command:
        text = done.stdout.decode()
        for document in text.split("\n") if "jsonl" in command else [text]:
            json.loads(document or "null")
    if "csv" in command:
        widths = {len(row) for row in csv.reader(done.stdout.decode().splitlines(keepends=True))}
        assert len(widths) <= 1, (command, widths)
    return done.stdout.replace(b"\r\n", b"\n") + done.stderr  # the ends of lines in exported CSV


plain = make("plain", b"plain")
inside = json.dumps(nasty + "\0")[1:-1].encode()  # a path can't hold this one
evil = make("evil" + nasty, inside + b"\xff\x9b" + inside)
manifest = pathlib.Path(evil) / "pid_1/manifest.json"
before = manifest.read_bytes()
problems = 0
for command in (c.strip() for line in COMMANDS.split("\n") for c in line.split("|") if c.strip()):
    expected, found = run(command, plain), run(command, evil)
    try:
        characters = found.decode()
    except UnicodeDecodeError as error:
        problems += 1
        print(f"adatrace {command}: {error}")
        continue
    unsafe = sorted({f"U+{ord(c):04X}" for c in characters if ord(c) in UNSAFE})
    told = found.count(b"bytes that are not UTF-8")  # from the manifest: reported at most once for each of the two, when it is read
    lines = expected.count(b"\n") + told
    if unsafe or told > 2 or lines != found.count(b"\n"):
        problems += 1
        print(f"adatrace {command}: {lines} lines, {found.count(10)} with such names; prints {unsafe}")
        print("    " + repr(characters[:2000]))
server = view_server.Server(evil, plain)
answers = [server.request("/api/" + query)[2] for query in (
    "sessions", "functions", "picture", "call?thread=0&seq=0", "call?thread=0&seq=1", "find", "find?session=x", "statistics")]
for answer in [*answers, server.stop()[1].encode()]:
    unsafe = sorted({f"U+{ord(c):04X}" for c in answer.decode() if ord(c) in UNSAFE})
    texts = []
    if answer[:1] == b"{":
        json.loads(answer, object_pairs_hook=lambda pairs: texts.extend(v for _, v in pairs if isinstance(v, str)))
    if unsafe or any(ord(c) in UNSAFE | {10} for text in texts for c in text):
        problems += 1
        print(f"adatrace view: {answer[:2000]!r} has {unsafe}")
if b'"tid":4711' not in answers[0] or b'"seq":1' not in answers[2] + answers[4]:
    problems += 1
    print(f"adatrace view: {answers}")
if manifest.read_bytes() != before:
    problems += 1
    print("the manifest is another one now")
print(f"{problems} problems")
sys.exit(problems != 0)
