"""Reads bomb.trc.gz, bomb.wtf-trace.gz and bomb.cff.gz: small files that unpack to 256 MiB of one frame, record or chunk.

No command needs as much memory for them.
"""
import gzip
import resource
import struct
import subprocess

kBytes = 1 << 28


def write(name, head):
    with gzip.open(name, "wb", 6) as out:
        out.write(head)
        zeros = bytes(1 << 20)
        for _ in range(kBytes // len(zeros)):
            out.write(zeros)


name, field = b"blob", b"bytes"
schema = b"\x01" + struct.pack("<HH", 0, len(name)) + name + b"\0" + struct.pack("<HH", 1, len(field)) + field + b"\x05"
write("bomb.trc.gz", b"TRC\0\1" + schema + b"\x02" + struct.pack("<H", 0) + struct.pack("<I", kBytes))

context = b'{"contextType":"script"}'
header = struct.pack(">III", 0xDEADBEEF, 0, 3) + struct.pack(">HH", len(context), len(context)) + context + struct.pack(">IIIH", 1, 0, 0, 0)
text = lambda s: struct.pack(">H", len(s)) + s
define = struct.pack(">HI", 1, 0) + struct.pack(">HHI", 18, 0, 0) + text(b"blob") + text(b"uint8[] bytes")
write("bomb.wtf-trace.gz", header + define + struct.pack(">HI", 18, 0) + struct.pack(">I", kBytes))

part = b'{"type":"file_header","flags":[],"timebase":0}'
part += b" " * (-len(part) % 4)
chunk = lambda kind, length, parts: struct.pack("<IIIIII", 0, kind, length, 0xFFFFFFFF, 0xFFFFFFFF, parts)
cff = struct.pack("<III", 0xDEADBEEF, 0, 10) + chunk(1, 24 + 12 + len(part), 1) + struct.pack("<III", 0x10000, 0, len(part)) + part
cff += chunk(2, 24 + 12 + kBytes, 1) + struct.pack("<III", 0x20002, 0, kBytes)
write("bomb.cff.gz", cff)

for command in ("info", "verify", "dump", "report"):
    for name in ("bomb.trc.gz", "bomb.wtf-trace.gz", "bomb.cff.gz"):
        status = subprocess.run(["adatrace", command, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        if status not in (0, 1, 3):
            raise SystemExit(f"{command} {name}: status {status}")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print("memory:", f"{peak} MiB" if peak > 128 else "little")
