"""damage_detail.py SESSION COPY ADATRACE: damages copies of the session of verify_detail.test, one field at a time, with the
checksums made anew, and prints the problems that `adatrace verify` finds."""
import json
import pathlib
import shutil
import struct
import subprocess
import sys

from crc32c import crc32c

from adatest import attempt

session, copy, tool = sys.argv[1:]
copy = pathlib.Path(copy)
process = copy / "pid_1"
index, detail = process / "thread_0/index.atf", process / "thread_0/detail.atf"


def fresh():
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(session, copy)


def put(path, *changes, checksum=True):
    """(offset, format, value)…; the events' checksum is in the footer."""
    data = bytearray(path.read_bytes())
    for offset, form, value in changes:
        struct.pack_into("<" + form, data, offset, value)
    if checksum:
        struct.pack_into("<I", data, len(data) - 60, crc32c(data[64:-64]))
    path.write_bytes(data)


def show(what):
    print("==", what)
    out = attempt(tool, "verify", copy)
    assert out.returncode == 1, (what, out)
    for line in out.stdout.splitlines():
        if line.startswith("problem: "):
            print(line)


def case(what, path, *changes, **options):
    fresh()
    put(path, *changes, **options)
    show(what)


case("forward link past the end", index, (112, "Q", 9))
case("forward link to another event", index, (112, "Q", 3))
case("link to the vectors", index, (80, "Q", 1))
case("no forward link", index, (112, "Q", 2**64 - 1))
case("back link past the end", detail, (380, "Q", 99))
case("other kind", detail, (248, "H", 4))
case("other time", detail, (260, "Q", 201))
case("other function", detail, (268, "Q", 1))
case("vectors of another event", detail, (196, "Q", 1))
case("vectors of another function", detail, (212, "Q", 2))
fresh()
put(detail, (268 + 96, "H", 200))  # no longer a function's payload: opaque, and valid as such
subprocess.run([tool, "verify", "-q", str(copy)], check=True)
case("more vectors than there are", detail, (220, "B", 200))
case("header", detail, (12, "I", 8), (36, "Q", 431), (44, "Q", 1))
case("footer", detail, (520, "Q", 99), (528, "Q", 301))
case("length below 24", detail, (244, "I", 23))
case("length past the end", detail, (372, "I", 125))
case("length into the next event", detail, (244, "I", 140))
case("checksum", detail, (300, "B", 77), checksum=False)
fresh()
detail.unlink()
show("missing")
fresh()
manifest = json.loads((process / "manifest.json").read_text())
manifest["windows"] = [{"start_ns": 150, "end_ns": 250, "triggers": []}, {"start_ns": 260, "end_ns": 400, "triggers": []}]
(process / "manifest.json").write_text(json.dumps(manifest))
show("window")
print("== end")
