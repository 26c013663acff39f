# sched_file.py PLACE "KNOWN_FROM KNOWN_TO" "TIME KIND PROCESSOR"...: writes a file with a thread's
# on-CPU and off-CPU times (docs/formats/sched.md). KIND is on, waits, preempted, lost, held, resumed or faults. "KNOWN_FROM
# KNOWN_TO nothing": nothing is known from the system. "KNOWN_FROM KNOWN_TO late": nothing before the first record;
# otherwise the thread is on-CPU from KNOWN_FROM on, if it does not begin later. PLACE: SESSION/pid_N/thread_N, a directory
# or, of a packed thread, the beginning of its files' names.
import os
import struct
import sys

from crc32c import crc32c

KINDS = {"on": 1, "waits": 2, "preempted": 3, "lost": 4, "held": 6, "resumed": 7, "faults": 9}
KNOWN_TO = 5


def main(thread, known, *records):
    known_from, known_to, *nothing = known.split()
    known_from, known_to = int(known_from), int(known_to)
    late = nothing == ["late"]
    nothing = nothing == ["nothing"]
    kinds = [(record.split()[1], record.split()[2]) for record in records if record.split()[1] not in ("held", "resumed", "faults")]
    if not late and not nothing and (not kinds or kinds[0][0] in ("waits", "preempted", "lost")):
        records = [f"{known_from} on {kinds[0][1] if kinds and kinds[0][0] != 'lost' else 0}", *records]
    words = [record.split()[1] for record in records]
    version = 3 if "faults" in words else 2 if nothing or "held" in words or "resumed" in words else 1
    data = struct.pack("<8sIIQQ", b"ADASCHED", version, 4711, known_from, nothing)
    for record in records:
        time, kind, value = record.split()
        data += struct.pack("<QII", int(time), KINDS[kind], int(value))
    data += struct.pack("<QII", known_to, KNOWN_TO, crc32c(data))
    with open(thread + ("/" if os.path.isdir(thread) else ".") + "sched.ads", "wb") as out:
        out.write(data)


main(*sys.argv[1:])
