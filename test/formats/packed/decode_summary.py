"""A decoder of report.summary, written by docs/formats/packed.md alone: prints calls, total and self of each thread's functions.

Works for threads of one part, where no call continues from part to part. Fails if the bytes differ from the page.
"""
import struct
import sys

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF


def print_of(data):
    """The fingerprint of some bytes."""
    value = 0x243F6A8885A308D3
    padded = data + bytes(-len(data) % 8)
    for number in (len(data), *struct.unpack(f"<{len(padded) // 8}Q", padded)):
        value = (value ^ number) * 0x9E3779B97F4A7C15 % 2**64
        value ^= value >> 32
    return value


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def calls(self):
        return [[self.number(), self.zigzag(), self.number(), self.number(), self.zigzag(),
                 [self.number() for _ in range(4)]] for _ in range(self.number())]


def rows(part):
    """(function, calls, total, self) of a part's rows."""
    assert part.number() == 0, "the first part begins with the first event"
    part.number()
    for _ in range(3):
        part.zigzag()
    part.number(), part.number(), part.number()
    assert part.calls() == [] and part.calls() == [], "one part has no calls that go on"
    function, found = 0, []
    for _ in range(part.number()):
        function = (function + part.zigzag()) % 2**64
        figures = [part.number() for _ in range(8)]
        for _ in range(8):
            part.number()
        count = part.number()
        if count <= 64:
            durations = [part.number() for _ in range(count)]
        else:
            part.number(), part.number()
            durations = [part.number() for _ in range(2 * part.number())]
            assert sum(durations[1::2]) == count, "buckets have all calls"
        assert count == figures[0] - figures[3] - figures[4], "those with both ends have a duration"
        found.append((function, figures[0], figures[6], figures[7]))
    function, met = 0, set()
    for _ in range(part.number()):
        function = (function + part.zigzag()) % 2**64
        met.add(function)
    assert met >= {row[0] for row in found}
    return found


def main(directory):
    with open(directory + "/report.summary", "rb") as file:
        data = file.read()
    magic, version, functions, size, checksum = struct.unpack("<4sB3xQQI", data[:28])
    assert (magic, version, size) == (b"ATPS", 3, len(data) - 64)
    assert struct.unpack("<I", data[60:64])[0] == crc32c(data[:60]) and checksum == crc32c(data[64:])
    with open(directory + "/manifest.json", "rb") as file:
        assert functions == print_of(file.read()), "the print is that of the manifest"
    body = Bytes(data[64:])
    for _ in range(body.number()):
        number = body.number()
        body.number()
        assert body.number() == 1, "a thread of one part"
        size = body.number()
        part = Bytes(body.data[body.at:body.at + size])
        for row in rows(part):
            print(number, *row)
        assert part.at == size
        body.at += size
    assert body.at == len(body.data)


if __name__ == "__main__":
    main(sys.argv[1])
