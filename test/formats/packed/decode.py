#!/usr/bin/env python3
"""Decodes a packed index file as docs/formats/packed.md describes it, and nothing else. Usage: decode.py FILE.atp > FILE.json

It shares no code with the library, so a vector whose answer comes from here tests the document as well.
"""
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import vector_form  # noqa: E402

WORD = (1 << 64) - 1
MOST_KNOWN = 1023
RETURN, PREDICTED, CALL, OTHER = range(4)
LINK, DEPTH, LOST, BACK, EXCEPTION, OUTER, BEYOND, STRAY, ANY, INFERRED, MISSING = range(11)
INNERMOST = {EXCEPTION: 3, INFERRED: 4, MISSING: 5}  # and the kinds that they are
NAMES = {4: "inferred", 5: "missing"}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Bytes:
    """Reads consecutive numbers. Raises IndexError at the end."""

    def __init__(self, data):
        self.data, self.at, self.module = data, 0, 0
        self.ns, self.depth = 0, 0  # of the last event

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def function(self):
        symbol = self.varint()
        if symbol & 1:
            self.module = self.varint()
        return self.module << 32 | symbol >> 1


def decode_block(head, calls_data, source, most):
    """Events of a block, until there are `most` or the body ends."""
    source.ns, depth, history, predictions = head["before_ns"], head["depth"], 0, {}
    listed, calls, begin = Bytes(calls_data), [], 0
    for _ in range(head["known_calls"]):
        function = listed.function()
        begin = (begin + listed.varint()) & WORD
        calls.append(function)

    def remember(e):
        nonlocal history
        history = (history * 64 + e * 0xC2B2AE3D27D4EB4F) & WORD

    while most > 0 and source.at < len(source.data):
        event, first = {}, 0
        try:
            ns = source.ns
            while True:
                first = source.byte()
                sub = first & 63
                if first >> 6 != OTHER or sub > BACK:
                    break
                value = source.varint()
                if sub == LINK:
                    event["link"] = (value - 1) & WORD
                elif sub == DEPTH:
                    event["depth"] = value
                elif sub == LOST:
                    event["lost"] = value
                else:
                    ns = (ns - value) & WORD
            tag, passed, kind, inner, function = first >> 6, first & 63, 0, 0, None
            if tag == OTHER:
                passed = source.varint()
                kind = INNERMOST[sub] if sub in INNERMOST else source.varint()
                inner = source.varint() if sub == OUTER else 0
                function = source.function() if sub in (BEYOND, STRAY, ANY) else None
            else:
                if passed == 63:
                    passed += source.varint()
                if tag == CALL:
                    function = source.function()
        except IndexError:  # incomplete
            return
        source.ns = ns = (ns + passed) & WORD
        if tag in (PREDICTED, CALL):
            kind = 1
            place = history >> 52
            if tag == CALL:
                predictions[place] = function
            function = predictions.get(place, 0)
            calls, depth = (calls + [function])[-MOST_KNOWN:], depth + 1
            remember(function)
        elif tag == RETURN or sub in INNERMOST or sub == OUTER:
            kind = kind or 2
            function = calls[-1 - inner]
            calls, depth = calls[:-1 - inner], depth - 1 - inner
            remember(~function & WORD)
        elif sub != ANY:
            depth -= sub == BEYOND
            remember(~function & WORD)
        if tag != OTHER or sub != ANY:
            kind = NAMES.get(kind, kind)
        event.update(ns=ns, kind=kind, function=function)
        source.depth = depth
        yield event
        most -= 1


def decode(data):
    """The answer of a reader for a file that is not damaged, but may be unfinished."""
    assert data[:4] == b"ATPK" and data[4] == 1 and data[5] == 1
    assert struct.unpack_from("<I", data, 124)[0] == crc32c(data[:124])
    flags, thread = struct.unpack_from("<II", data, 8)
    at, trailer, count = struct.unpack_from("<QQQ", data, 24)
    answer = {"thread": thread, "finished": bool(flags & 1), "events": []}
    end = struct.unpack_from("<Q", data, trailer + 8)[0] if flags & 1 else len(data)
    while at + 96 <= end:
        raw = data[at:at + 96]
        assert raw[:4] == b"ATPB" and struct.unpack_from("<I", raw, 92)[0] == crc32c(raw[:92])
        names = "known_calls first_seq depth before_ns first_ns last_ns event_count calls_bytes body_bytes plain_bytes checksum"
        head = dict(zip(names.split(), struct.unpack_from("<HQQQQQQIIII", raw, 6)))
        body = at + 96 + head["calls_bytes"]
        if raw[5] & 1:
            stop, most = len(data), len(data)
        else:
            stop, most = body + head["body_bytes"], head["event_count"]
            assert crc32c(data[at + 96:stop]) == head["checksum"]
        answer.setdefault("first_seq", head["first_seq"])
        answer["events"] += decode_block(head, data[at + 96:body], Bytes(data[body:stop]), most)
        at = (stop + 127) // 128 * 128
    assert not flags & 1 or count == len(answer["events"])
    return answer


def show(decode):
    """Prints that answer for the file named on the command line."""
    with open(sys.argv[1], "rb") as file:
        found = decode(file.read())
    print(vector_form.text(found | {"events": found.pop("events")}))


if __name__ == "__main__":
    show(decode)
