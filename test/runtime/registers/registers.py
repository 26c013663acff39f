#!/usr/bin/env python3
"""Makes the program of one seed, and compares the recorded registers, results and stacks with the values passed.

registers.py SEED --dir DIR --cxx ada-clang++-N --llvm N|gcc --arch x86_64|aarch64 [LEVEL…]
"""
import argparse
import os
import struct
import sys

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, os.pardir, "Inputs"), here]
import calls  # noqa: E402
import details  # noqa: E402
import program  # noqa: E402

from adatest import attempt


class Capture:
    def __init__(self, data):
        self.general = struct.unpack_from("<8Q", data)
        self.vector = [data[64 + 16 * i:80 + 16 * i] for i in range(8)]
        self.sp, self.lr, self.fp = struct.unpack_from("<3Q", data, 192)
        self.stack = data[224:480]
        self.general_out = struct.unpack_from("<8Q", data, 480)
        self.vector_out = [data[544 + 16 * i:560 + 16 * i] for i in range(8)]


def start(command, directory):
    done = attempt(*command, cwd=directory)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def bytes_in(place, general, vector, stack, size):
    """A value, taken from the registers or the part of the stack that holds it."""
    value = bytearray(size)
    for piece in place:
        register = (struct.pack("<Q", general[piece.number]) if piece.kind == "i" else
                    vector[piece.number] if piece.kind == "v" else stack[piece.number:])
        value[piece.offset:piece.offset + piece.size] = register[:piece.size]
    return bytes(value)


def check(what, found, expected, mask=None):
    mask = mask or b"\xff" * len(expected)
    if len(found) != len(expected) or any((a ^ b) & m for a, b, m in zip(found, expected, mask)):
        sys.exit(f"{what}: {found.hex()} instead of {expected.hex()}")


def place_text(place):
    """A place in the notation of docs/reference/types.md."""
    if place is None:
        return "-"
    return "+".join(f"{p.kind}{p.number}" + (f".{p.size}" if p.size != 8 and len(place) > 1 else "") for p in place)


def places_of(types):
    """Places in a types text: of the result and of each parameter. No text that the program uses contains a \\."""
    result, *parameters = types.split(";")
    return result.split(":")[0], [p.split(":")[1] for p in parameters if not p.startswith("...")]


def same_place(text, place):
    """The last piece's number of bytes may be given or omitted."""
    def plain(t):
        return [p.split(".")[0] for p in t.split("+")]
    return plain(text) == plain(place_text(place))


class Checker:
    def __init__(self, model, directory, session, level):
        self.model, self.abi, self.level = model, model.abi, level
        with open(os.path.join(directory, "captures"), "rb") as f:
            data = f.read()
        self.captures = [Capture(data[i:i + program.RECORD]) for i in range(0, len(data), program.RECORD)]
        self.process, = calls.load(session)
        thread, = self.process.threads
        self.details = details.Details(thread)
        self.types = {s["name"]: s.get("types", "") for s in self.process.symbols}
        self.values = self.on_stack = 0

    def run(self, stack_size):
        found = {}
        for d in self.details.list:
            key = (self.process.name(d.function), d.kind)
            if key in found:
                sys.exit(f"{key} has two details")
            found[key] = d
        wanted = {(f.name, kind) for f in self.model.functions for kind in (details.DETAIL_CALL, details.DETAIL_RETURN)}
        if set(found) != wanted:
            sys.exit(f"details of other functions than the chosen ones: {sorted(set(found) ^ wanted)[:5]}")
        for f, capture in zip(self.model.functions, self.captures):
            self.arguments(f, capture, found[f.name, details.DETAIL_CALL], stack_size)
            self.result(f, capture, found[f.name, details.DETAIL_RETURN])

    def arguments(self, f, capture, detail, stack_size):
        places = self.abi.arguments(f.types, f.result)
        types = self.types[f.name]
        texts = places_of(types)[1]
        if len(texts) != f.named or ("...:" in types or types.endswith("...")) != f.is_variadic:
            sys.exit(f"{self.level} {f.name}({f.parameters()}): types {types}")
        for i, (place, type_, (value, mask)) in enumerate(zip(places, f.types, f.values)):
            what = f"{self.level} {f.name}({f.parameters()}), argument {i}"
            if i < f.named and not same_place(texts[i], place):
                sys.exit(f"{what}: is in {place_text(place)}; the types say {texts[i]} ({types})")
            if place is None or place[0].kind == "@":
                continue
            if max((p.number + p.size for p in place if p.kind == "m"), default=0) > stack_size:
                continue
            check(f"{what}, the model", bytes_in(place, capture.general, capture.vector, capture.stack, type_.size), value, mask)
            if len(detail.vectors) <= max((p.number for p in place if p.kind == "v"), default=-1):
                sys.exit(f"{what}: only {len(detail.vectors)} vector registers are recorded")
            check(what, bytes_in(place, detail.registers, detail.vectors, detail.stack, type_.size), value, mask)
            self.values += 1
            self.on_stack += place[0].kind == "m"
        what = f"{self.level} {f.name}({f.parameters()})"
        lr = struct.pack("<Q", capture.lr)
        check(f"{what}, lr", struct.pack("<Q", detail.lr), lr)
        check(f"{what}, sp", struct.pack("<Q", detail.sp), struct.pack("<Q", capture.sp))
        check(f"{what}, fp", struct.pack("<Q", detail.fp), struct.pack("<Q", capture.fp))
        stack = capture.stack
        if self.abi.name == "x86_64":  # the return address is on it; at capture time, that of the capture's caller
            stack = lr + stack[8:]
        check(f"{what}, stack", detail.stack, stack[:stack_size])

    def result(self, f, capture, detail):
        what = f"{self.level} {f.signature(f.name)}, result"
        text = places_of(self.types[f.name])[0]
        place = self.abi.result(f.result) if f.result else None
        if not same_place(text, place):
            sys.exit(f"{what}: is in {place_text(place)}; the types say {text} ({self.types[f.name]})")
        if place is None:
            return
        value, mask = f.returned
        if not self.abi.is_in_memory(f.result):
            check(f"{what}, the model", bytes_in(place, capture.general_out, capture.vector_out, b"", f.result.size), value, mask)
        check(what, bytes_in(place, detail.registers, detail.vectors, b"", f.result.size), value, mask)
        check(f"{what}, sp", struct.pack("<Q", detail.sp), struct.pack("<Q", capture.sp))
        check(f"{what}, lr", struct.pack("<Q", detail.lr), struct.pack("<Q", capture.lr))
        self.values += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--llvm", required=True, help="or gcc")
    parser.add_argument("--arch", required=True)
    parser.add_argument("levels", nargs="+", help="of optimisation: 0, 2, …")
    arguments = parser.parse_args()
    model = program.Program(arguments.seed, None if arguments.llvm == "gcc" else int(arguments.llvm), arguments.arch == "aarch64")
    os.makedirs(arguments.dir, exist_ok=True)
    for name, text in (("main.cpp", model.main()), ("capture.s", model.capture())):
        with open(os.path.join(arguments.dir, name), "w") as f:
            f.write(text)
    start([arguments.cxx, "--ada-off", "-c", "capture.s", "-o", "capture.o"], arguments.dir)
    for number, level in enumerate("-O" + l for l in arguments.levels):
        # Frame pointers, so that there is a correct one to compare with.
        start([arguments.cxx, "-g", "-w", level, "-fno-omit-frame-pointer", "-std=c++20", "main.cpp", "capture.o", "-o",
               "program" + level], arguments.dir)
        stack_size = (128, 256, 0, 100)[(arguments.seed + number) % 4]
        session = "session" + level
        environment = {**os.environ, "ADA_OPTIONS": f"session={session}:detail=taker_*:stack_size={stack_size}:format={1 + number % 2}"}
        done = attempt("./program" + level, "captures", cwd=arguments.dir, env=environment)
        if done.returncode or done.stderr:
            sys.exit(f"{level}: status {done.returncode}, {done.stderr}")
        lines = [line for f in model.functions for line in f.output()]
        for line, expected in zip(done.stdout.splitlines() + ["(end)"] * len(lines), lines):
            if len(line) != len(expected) or any(a != b for a, b in zip(line, expected) if b != "."):
                sys.exit(f"{level}: the traced program prints {line!r} instead of {expected!r}")
        checker = Checker(model, arguments.dir, os.path.join(arguments.dir, session), level)
        checker.run(stack_size)
        start(["adatrace", "verify", session], arguments.dir)
        if checker.on_stack < (10 if stack_size >= 100 else 0):
            sys.exit(f"{level}: only {checker.on_stack} values on the stack were compared")
        print(f"seed {arguments.seed} {level}: {checker.values} values of {len(model.functions)} functions as passed, "
              f"{checker.on_stack} of them on the stack, with {stack_size} bytes of it")


if __name__ == "__main__":
    main()
