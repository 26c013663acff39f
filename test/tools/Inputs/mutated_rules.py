#!/usr/bin/env python3
"""Checks a trace with rules that were changed at random: each file is answered, or refused with a line and a column.

Usage: mutated_rules.py RULES COUNT SESSION
"""
import random
import re
import subprocess
import sys

path, count, session = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(path, "rb") as file:
    good = file.read()
r = random.Random(1)
for number in range(count):
    text = bytearray(good)
    for _ in range(r.randrange(1, 6)):
        at = r.randrange(len(text) + 1)
        how = r.randrange(4)
        if how == 0:
            del text[at:at + r.randrange(1, 8)]
        elif how == 1:
            text[at:at] = bytes(r.randrange(256) for _ in range(r.randrange(1, 5)))
        elif how == 2:
            text[at:at] = r.choice([b"(", b")", b"->", b"'", b'"', b"|", b"per ", b"within ", b"99999999999999999999", b"%", b"\0"])
        else:
            other = r.randrange(len(text) + 1)
            text[at:at] = text[other:other + r.randrange(1, 20)]
    with open("mutated", "wb") as file:
        file.write(text)
    done = subprocess.run(["adatrace", "check", "mutated", session], capture_output=True, timeout=60)
    refused = re.search(rb"^adatrace: mutated(:\d+:\d+: .| has no rules)", done.stderr, re.M)
    assert done.returncode in (0, 1, 2) and (refused or done.stdout), (number, done, bytes(text))
print(count, "files, all answered")
