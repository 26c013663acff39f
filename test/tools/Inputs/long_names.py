"""Traces of several formats with names of megabytes, small when packed: what is kept, what is said, and how much memory."""
import gzip
import json
import sys

from adatest import attempt

BYTES, COUNT = 8 << 20, 8
MOST_MIB = 120  # all names together have at least twice as many


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def name(number):
    return "n" * BYTES + str(number)


def chrome():
    yield b"["
    for i in range(COUNT):
        yield json.dumps({"ph": "M", "name": "thread_name", "pid": 1, "tid": i, "args": {"name": "t" * BYTES + str(i)}}).encode() + b","
        yield json.dumps({"ph": "X", "name": name(i), "ts": i, "dur": 1, "pid": 1, "tid": i}).encode() + b","
    yield json.dumps({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p" * BYTES}}).encode() + b"]"


def perfetto():
    for i in range(COUNT):
        thread = field(1, 1) + field(2, i + 1) + field(5, b"t" * BYTES)
        yield field(1, field(10, 1) + field(60, field(1, i + 1) + field(4, thread)))
        yield field(1, field(10, 1) + field(12, field(2, field(1, i + 1) + field(2, name(i).encode())) + field(29, field(1, i + 1) + field(2, b"v" * BYTES))))
        for kind in (1, 2):
            yield field(1, field(8, 10 * i + kind) + field(10, 1) + field(11, field(9, kind) + field(11, i + 1) + (field(10, i + 1) if kind == 1 else b"")))


def folded():
    yield b"start 1\n"
    for i in range(2 * COUNT):
        yield f"{name(i)[BYTES * 3 // 4:]};leaf 1\n".encode()


for make in (chrome, perfetto, folded):
    file = make.__name__ + ".gz"
    with gzip.open(file, "wb", compresslevel=1) as out:
        for piece in make():
            out.write(piece)
    functions = COUNT if make is not folded else 2 * COUNT + 2
    run = attempt(sys.executable, sys.path[0] + "/peak_memory.py", MOST_MIB, "adatrace", "info", "--format=json", file)
    if run.returncode != 0:
        sys.exit(f"{file}: {run.returncode} {run.stderr[-500:]}")
    found = json.loads(run.stdout)
    if sum(process["functions"] for process in found["processes"]) != functions:
        sys.exit(f"{file}: {[process['functions'] for process in found['processes']]} functions, not {functions}")
    if not any("ends of names that are longer than 8 KiB" in text for text in found["warnings"]):
        sys.exit(f"{file}: {found['warnings']}")
    if len(run.stdout) > (COUNT + 3) * 9000:
        sys.exit(f"{file}: {len(run.stdout)} bytes of names")
