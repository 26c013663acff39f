#!/usr/bin/env python3
"""Decodes a packed detail file as docs/formats/packed.md describes it, and nothing else. Usage: decode_detail.py FILE.atp > FILE.json

Like decode.py, whose reading of events it uses, it shares no code with the library.
"""
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from decode import WORD, Bytes, crc32c, decode_block, show  # noqa: E402

CALL, RETURN, VECTORS = 3, 4, 0xADA0
NO_BLOCK_MORE = 65536


def place(value, bits):
    return (value * 0x9E3779B97F4A7C15 & WORD) >> (64 - bits)


def signed(value):
    return value >> 1 if value % 2 == 0 else -(value + 1 >> 1)


class Body:
    """Reads the events in the body of one block."""

    def __init__(self, data):
        self.source = Bytes(data)
        self.calls = decode_block({"before_ns": 0, "depth": 0, "known_calls": 0}, b"", self.source, NO_BLOCK_MORE)
        self.index_seq = self.sp = self.before = self.vector_count = self.place = self.function = 0
        self.has_function = self.holds_return = False
        self.last, self.frames, self.vectors, self.cache, self.shadow = {}, {}, {}, {}, {}

    def bytes(self, count):
        at = self.source.at
        if at + count > len(self.source.data):
            raise IndexError
        self.source.at += count
        return self.source.data[at:at + count]

    def word(self, prediction):
        first = self.source.byte()
        if first < 128:
            self.before = self.cache.get(first, 0)
            return self.before
        base, sign, count = first >> 5 & 3, first >> 4 & 1, first & 15
        rest = int.from_bytes(self.bytes(count), "little")
        if base == 3:
            value = self.before + signed(rest) if sign else rest << 8 * (8 - count)
        elif base == 0:
            value = ~rest if sign else rest
        else:
            value = (prediction if base == 1 else self.sp) + (-rest if sign else rest)
        self.before = value & WORD
        self.cache[place(self.before, 7)] = self.before
        return self.before

    def words(self, count, flags, flagged):
        """Receives predictions with send(), and yields the words."""
        masks = [self.source.byte() if i >= flagged or flags >> 4 + i & 1 else 0 for i in range((count + 7) // 8)]
        value = None
        for i in range(count):
            prediction = yield value
            value = self.word(prediction) if masks[i // 8] >> i % 8 & 1 else prediction
        yield value

    def next(self):
        first = self.source.byte()
        if first & 3 == 0:
            return self.function_event(first)
        return self.vector_event(first) if first & 3 == 1 else self.other_event()

    def function_event(self, first):
        step = signed(self.source.varint()) if first & 4 else 0
        event = next(self.calls, None)
        if event is None:
            raise IndexError
        is_call, depth = event["kind"] == 1, self.source.depth
        self.function = event["function"]
        self.place = place((self.function << 1 | (not is_call)) & WORD, 11)
        last = self.last.setdefault(self.place, {"words": [0] * 8, "lr": 0, "step": 0, "size": 0})
        if first & 8:
            last["size"] = self.source.varint()
        none = {"lr": 0, "fp": 0, "sp": 0}
        if is_call:
            base = self.frames.get((depth - 2) % 1024, none)["sp"]
            lr, fp = last["lr"], self.frames.get((depth - 1) % 1024, none)["fp"]
        else:
            frame = self.frames.get(depth % 1024, none)
            base, lr, fp = frame["sp"], frame["lr"], frame["fp"]
        self.sp = base + last["step"] & WORD
        words = self.words(11 + last["size"] // 8, first, 4)
        next(words)
        last["words"] = [words.send(word) for word in last["words"]]
        lr, fp, self.sp = words.send(lr), words.send(fp), words.send(self.sp)
        last["lr"], last["step"] = lr, self.sp - base
        if is_call:
            self.frames[(depth - 1) % 1024] = {"lr": lr, "fp": fp, "sp": self.sp}
        stack = b""
        for i in range(last["size"] // 8):
            at = (self.sp + 8 * i & WORD) // 8 % 8192
            prediction = lr if i == 0 and is_call and self.holds_return else self.shadow.get(at, 0)
            self.shadow[at] = words.send(prediction)
            stack += struct.pack("<Q", self.shadow[at])
        tail = self.bytes(last["size"] % 8)
        if is_call and stack:
            self.holds_return = stack[:8] == struct.pack("<Q", lr)
        self.index_seq, self.has_function = self.index_seq + 1 + step & WORD, True
        payload = struct.pack("<12QHH", self.function, *last["words"], lr, fp, self.sp, last["size"], 0)
        return self.event(CALL if is_call else RETURN, 0, payload + stack + tail)

    def vector_event(self, first):
        assert self.has_function
        self.has_function = False
        if first & 4:
            self.vector_count = self.source.byte()
        count = 2 * self.vector_count
        last = self.vectors.setdefault(self.place >> 3, [0] * 16)
        words = self.words(count, 0, 0)
        next(words)
        last[:count] = [words.send(word) for word in last[:count]]
        payload = struct.pack("<QBB6x", self.function, self.vector_count, 16)
        return self.event(VECTORS, 0, payload + struct.pack(f"<{count}Q", *last[:count]))

    def other_event(self):
        kind, flags, step, passed, size = (self.source.varint() for _ in range(5))
        payload = self.bytes(size)
        self.index_seq = self.index_seq + signed(step) & WORD
        self.source.ns = self.source.ns + signed(passed) & WORD
        self.has_function = False
        return self.event(kind, flags, payload)

    def event(self, kind, flags, payload):
        return {"type": kind, "flags": flags, "index_seq": self.index_seq, "ns": self.source.ns, "payload": payload.hex()}


def decode(data):
    """The answer of a reader for a file that is not damaged, but may be unfinished."""
    assert data[:4] == b"ATDK" and data[4] == 1 and data[5] == 1
    assert struct.unpack_from("<I", data, 124)[0] == crc32c(data[:124])
    flags, thread, at, end, count, plain, low, high, start_ns, end_ns = struct.unpack_from("<II8Q", data, 8)
    answer = {"thread": thread, "finished": bool(flags & 1), "events": []}
    events = answer["events"]
    end = end if flags & 1 else len(data)
    while at + 96 <= end:
        raw = data[at:at + 96]
        assert raw[:4] == b"ATDB" and struct.unpack_from("<I", raw, 92)[0] == crc32c(raw[:92])
        names = "first_seq count plain low high first_ns last_ns body_bytes unpacked"
        head = dict(zip(names.split(), struct.unpack_from("<9Q", raw, 8)))
        assert head["first_seq"] == len(events)
        is_open = raw[5] & 1
        stop = len(data) if is_open else at + 96 + head["body_bytes"]
        assert is_open or crc32c(data[at + 96:stop]) == struct.unpack_from("<I", raw, 80)[0]
        body, found = Body(data[at + 96:stop]), []
        try:
            while is_open or len(found) < head["count"]:
                found.append(body.next())
        except IndexError:  # incomplete
            assert is_open
        if not is_open:
            assert body.source.at == head["body_bytes"]
            assert head["plain"] == sum(24 + len(event["payload"]) // 2 for event in found)
            seqs = [event["index_seq"] for event in found]
            assert (head["low"], head["high"]) == (min(seqs), max(seqs))
            assert bool(raw[5] & 4) == (seqs != sorted(seqs))
            assert (head["first_ns"], head["last_ns"]) == (found[0]["ns"], found[-1]["ns"])
        events += found
        at = (stop + 127) // 128 * 128
    if flags & 1:
        assert (count, plain) == (len(events), sum(24 + len(event["payload"]) // 2 for event in events))
        assert not events or (start_ns, end_ns) == (events[0]["ns"], events[-1]["ns"])
    return answer


if __name__ == "__main__":
    show(decode)
