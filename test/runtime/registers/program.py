"""Random C++ programs whose functions take and return everything that travels in registers, and the expected registers.

Each function prints the bytes of its parameters and of its result. It is called through a piece of assembly that first
stores every register that can carry an argument, the stack pointer and the stack, and afterwards every register that
can carry a result. These are the hardware's values, independent of the compiler's plugin and the runtime.

The places of values, by System V's x86-64 convention and by AAPCS64, are worked out here independently, from the C
types; the plugin does it from LLVM's.
"""
import random
import struct

RECORD = 704  # bytes of a Capture


class Type:
    """`layout`: (offset, size, class) of each scalar inside; class is i, f (float, double, vector) or x (long double)."""

    def __init__(self, text, size, layout, declaration="", make=None, align=None):
        self.text, self.size, self.layout, self.declaration, self.make = text, size, layout, declaration, make
        self.is_aggregate = bool(declaration) and "struct" in declaration
        self.align = align or max(n for _, n, _ in layout)

    def value(self, rng):
        """Bytes of a random value, and a mask of the significant ones."""
        data, mask = bytearray(self.size), bytearray(self.size)
        for offset, size, kind in self.layout:
            part = self.make(rng) if self.make else random_scalar(rng, size, kind)
            data[offset:offset + size] = part
            mask[offset:offset + size] = b"\xff" * size
        return bytes(data), bytes(mask)


def random_scalar(rng, size, kind):
    if kind == "i":
        # Small numbers and those that fill the register: sign extension is up to the caller, or undefined.
        return bytes(rng.randrange(256) for _ in range(size)) if rng.random() < 0.7 else rng.randrange(100).to_bytes(size, "little")
    if size == 4:
        return struct.pack("<f", rng.uniform(-1e6, 1e6))
    if size == 8:
        return struct.pack("<d", rng.uniform(-1e6, 1e6))
    return b"".join(struct.pack("<f", rng.uniform(-100, 100)) for _ in range(size // 4))


def scalar(text, size, kind="i", **more):
    return Type(text, size, [(0, size, kind)], **more)


def structure(name, *members):
    """A struct of (type, name) members."""
    at, layout, align = 0, [], 1
    for member, _ in members:
        at = -(-at // member.align) * member.align
        layout += [(at + offset, size, kind) for offset, size, kind in member.layout]
        align = max(align, member.align)
        at += member.size
    text = " ".join(f"{t.text} {n};" for t, n in members)
    return Type(name, -(-at // align) * align, layout, f"struct {name} {{ {text} }};", align=align)


S8, U8 = scalar("signed char", 1), scalar("unsigned char", 1)
S16, U16 = scalar("short", 2), scalar("unsigned short", 2)
S32, U32 = scalar("int", 4), scalar("unsigned", 4)
S64, U64 = scalar("long", 8), scalar("unsigned long", 8)
CHAR = scalar("char", 1)
BOOL = scalar("bool", 1, make=lambda rng: bytes([rng.randrange(2)]))
POINTER = scalar("const char *", 8)
ENUM = scalar("Color", 4, declaration="enum Color : int { Red, Green = 5, Blue };",
              make=lambda rng: rng.choice([0, 5, 6, 77]).to_bytes(4, "little"))
SMALL_ENUM = scalar("Mode", 1, declaration="enum class Mode : unsigned char { Slow, Fast };",
                    make=lambda rng: rng.choice([0, 1]).to_bytes(1, "little"))
FLOAT, DOUBLE = scalar("float", 4, "f"), scalar("double", 8, "f")
S128, U128 = scalar("__int128", 16), scalar("unsigned __int128", 16)
V4F = scalar("V4f", 16, "f", declaration="typedef float V4f __attribute__((vector_size(16)));")
V2D = scalar("V2d", 16, "f", declaration="typedef double V2d __attribute__((vector_size(16)));")
V2F = scalar("V2f", 8, "f", declaration="typedef float V2f __attribute__((vector_size(8)));")
V16C = scalar("V16c", 16, "f", declaration="typedef signed char V16c __attribute__((vector_size(16)));")
COMPLEX = Type("_Complex double", 16, [(0, 8, "f"), (8, 8, "f")])
COMPLEX_FLOAT = Type("_Complex float", 8, [(0, 4, "f"), (4, 4, "f")])
PLAIN = [S8, U8, S16, U16, S32, U32, S64, U64, CHAR, BOOL, POINTER, ENUM, SMALL_ENUM]
FLOATS = [FLOAT, DOUBLE]
SMALL = [structure("TwoInts", (S32, "a"), (S32, "b")), structure("Bytes", (U8, "a"), (U8, "b"), (U8, "c")),
         structure("TwoLongs", (S64, "a"), (S64, "b")), structure("LongInt", (S64, "a"), (S32, "b")),
         structure("Mixed", (DOUBLE, "a"), (S32, "b")), structure("MixedToo", (S64, "a"), (FLOAT, "b")),
         structure("Packed", (S32, "a"), (FLOAT, "b")), structure("TwoFloats", (FLOAT, "a"), (FLOAT, "b")),
         structure("ThreeFloats", (FLOAT, "a"), (FLOAT, "b"), (FLOAT, "c")),
         structure("TwoDoubles", (DOUBLE, "a"), (DOUBLE, "b")), structure("OneDouble", (DOUBLE, "a")),
         structure("PointerChar", (POINTER, "a"), (CHAR, "b")), structure("FourFloats", *((FLOAT, n) for n in "abcd"))]
LARGE = [structure("ThreeLongs", *((S64, n) for n in "abc")), structure("ThreeDoubles", *((DOUBLE, n) for n in "abc")),
         structure("Big", (S32, "a"), (DOUBLE, "b"), (S64, "c"), (S64, "d"), (FLOAT, "e"))]
WIDE = [S128, U128]
# Ten bytes on x86-64, and the same number of AArch64's sixteen.
LONG_DOUBLE = Type("long double", 16, [(0, 10, "x")], align=16,
                   make=lambda rng: (rng.getrandbits(63) | 1 << 63).to_bytes(8, "little") + bytes([rng.randrange(256), 0x3f]))
VECTORS = [V4F, V2D, V2F, V16C]
COMPLEXES = [COMPLEX, COMPLEX_FLOAT]
GROUPS = [PLAIN] * 5 + [FLOATS] * 3 + [SMALL] * 2 + [LARGE, WIDE, VECTORS, COMPLEXES, [LONG_DOUBLE]]
ALL = PLAIN + FLOATS + SMALL + LARGE + WIDE + VECTORS + COMPLEXES + [LONG_DOUBLE]
VARIADIC = [S32, S64, DOUBLE, POINTER]


class Piece:
    """Bytes `offset` to `offset + size` of a value are in this register; kind m: on the stack, @: where it points to."""

    def __init__(self, kind, number, offset, size):
        self.kind, self.number, self.offset, self.size = kind, number, offset, size


def in_memory(type_):
    """A result in memory, or on the x87 stack: recorded as the vectors that it would fill. Not more than 64 bytes."""
    return [Piece("v", i // 16, i, min(16, type_.size - i)) for i in range(0, type_.size, 16)]


class X86:
    name, general, vector = "x86_64", 6, 8

    def __init__(self, llvm):  # None: GCC, which follows the convention in everything
        self.llvm = llvm

    def classify(self, type_):
        """[(class, offset, size)] of a value in registers; None for one in memory."""
        if type_.size > 16 or any(kind == "x" for _, _, kind in type_.layout):
            return None
        if not type_.is_aggregate and type_.size == 16 and len(type_.layout) == 1 and type_.layout[0][2] == "f":
            return [("v", 0, 16)]
        pieces = []
        for begin in range(0, type_.size, 8):
            inside = [kind for offset, size, kind in type_.layout if offset < begin + 8 and offset + size > begin]
            pieces.append(("i" if "i" in inside else "v", begin, min(8, type_.size - begin)))
        return pieces

    def arguments(self, types, result):
        # The address of a result in memory comes first; long double returns on the x87 stack.
        general, vector = int(bool(result) and result is not LONG_DOUBLE and not self.classify(result)), 0
        places, stack = [], 8  # the return address comes first
        for type_ in types:
            pieces = self.classify(type_)
            if pieces is None:
                place, stack = self.on_stack(type_, stack)
                places.append(place)
                continue
            need = [sum(k == kind for k, _, _ in pieces) for kind in "iv"]
            if general + need[0] > self.general or vector + need[1] > self.vector:
                # LLVM before 22 takes the last register away with an __int128 that does not fit. Before 18 it puts a half
                # there, and the plugin omits the places of what follows on the stack.
                if not type_.is_aggregate and need[0] == 2 and self.llvm and self.llvm < 22:
                    stack = None if self.llvm < 18 and general < self.general else stack
                    general = self.general
                place, stack = self.on_stack(type_, stack)
                places.append(place)
                continue
            place = []
            for kind, offset, size in pieces:
                place.append(Piece(kind, general if kind == "i" else vector, offset, size))
                general, vector = general + (kind == "i"), vector + (kind == "v")
            places.append(place)
        return places

    def on_stack(self, type_, at):
        """The place of a value whose next place on the stack may be `at`, and the place after it. LLVM widens vectors of 8
        bytes there, and before 18 it passes an __int128 as two numbers."""
        if at is None:
            return None, None
        size, align = (type_.size + 7) // 8 * 8, 16 if type_ is LONG_DOUBLE or type_ in WIDE or type_ in VECTORS else 8
        if type_ is V2F:
            size, align = (16, 16) if self.llvm else (8, 8)
        if type_ in WIDE and self.llvm and self.llvm < 18:
            align = 8
        at += -(at - 8) % align
        return [Piece("m", at, 0, type_.size)], at + size

    def is_in_memory(self, type_):
        return self.classify(type_) is None

    def result(self, type_):
        pieces = self.classify(type_)
        if pieces is None:
            return in_memory(type_)
        seen = {"i": 0, "v": 0}
        place = []
        for kind, offset, size in pieces:
            place.append(Piece(kind, seen[kind], offset, size))
            seen[kind] += 1
        return place


class Arm:
    name, general, vector = "aarch64", 8, 8

    def __init__(self, llvm):
        pass

    def classify(self, type_):
        """The same; ("p", …) is a pointer to a copy."""
        if type_ is LONG_DOUBLE:
            return [("v", 0, 16)]
        kinds = {(size, kind) for _, size, kind in type_.layout}
        if all(kind == "f" for _, kind in kinds) and len(kinds) == 1 and len(type_.layout) <= 4:
            return [("v", offset, size) for offset, size, _ in type_.layout]
        if type_.size > 16:
            return [("p", 0, 8)]
        return [("i", begin, min(8, type_.size - begin)) for begin in range(0, type_.size, 8)]

    def arguments(self, types, _):
        general = vector = stack = 0
        places = []

        def on_stack(size, align):
            nonlocal stack
            at = stack + -stack % max(8, align)
            stack = at + (size + 7) // 8 * 8
            return [Piece("m", at, 0, size)]
        for type_ in types:
            pieces = self.classify(type_)
            if pieces[0][0] == "v":
                if vector + len(pieces) > self.vector:
                    vector = self.vector
                    places.append(on_stack(type_.size, type_.align))
                    continue
                places.append([Piece("v", vector + i, offset, size) for i, (_, offset, size) in enumerate(pieces)])
                vector += len(pieces)
                continue
            first = general + (general & 1 if type_.align == 16 else 0)
            isCopy = pieces[0][0] == "p"
            if first + len(pieces) > self.general:
                general = self.general
                place = on_stack(8 if isCopy else type_.size, 8 if isCopy else type_.align)
                places.append(None if isCopy else place)
                continue
            place = [Piece("i", first + i, offset, size) for i, (_, offset, size) in enumerate(pieces)]
            general = first + len(pieces)
            places.append([Piece("@", first, 0, type_.size)] if isCopy else place)
        return places

    def is_in_memory(self, type_):
        return self.classify(type_)[0][0] == "p"

    def result(self, type_):
        pieces = self.classify(type_)
        if pieces[0][0] == "p":
            return in_memory(type_)
        return [Piece(kind, i, offset, size) for i, (kind, offset, size) in enumerate(pieces)]


class Function:
    def __init__(self, number, rng):
        self.name = f"taker_{number}"
        self.types = [rng.choice(rng.choice(GROUPS)) for _ in range(rng.randrange(11))]
        if number < len(ALL):  # each type at least once, in each place
            self.types[:1] = [ALL[number]]
        self.is_variadic = bool(self.types) and number % 7 == 3
        named = len(self.types)
        if self.is_variadic:
            self.types += [rng.choice(VARIADIC) for _ in range(rng.randrange(9))]
        self.named = named
        self.result = rng.choice(rng.choice(GROUPS)) if number >= len(ALL) else ALL[-1 - number]
        if rng.random() < 0.1:
            self.result = None
        self.values = [t.value(rng) for t in self.types]
        self.returned = self.result.value(rng) if self.result else None

    def parameters(self):
        text = ", ".join(f"{t.text} p{i}" for i, t in enumerate(self.types[:self.named]))
        return text + (", ..." if self.is_variadic else "")

    def signature(self, name):
        return f"{self.result.text if self.result else 'void'} {name}({self.parameters()})"

    def text(self):
        body = [f"  show({i}, &p{i}, {t.size});" for i, t in enumerate(self.types[:self.named])]
        if self.is_variadic:
            body.append(f"  va_list list;\n  va_start(list, p{self.named - 1});")
            body += [f"  {{ {t.text} p = va_arg(list, {t.text}); show({i}, &p, {t.size}); }}"
                     for i, t in enumerate(self.types) if i >= self.named]
            body.append("  va_end(list);")
        if self.result:
            body.append(f"  {self.result.text} r;\n  fill(&r, {c_bytes(self.returned[0])}, {self.result.size});")
            body.append("  return r;")
        return f'extern "C" NOINLINE {self.signature(self.name)} {{\n' + "\n".join(body) + "\n}\n" \
               f'extern "C" {self.signature("capture_" + self.name)};\n'

    def call(self):
        lines = []
        for i, t in enumerate(self.types):
            lines.append(f"  {t.text} p{i};\n  fill(&p{i}, {c_bytes(self.values[i][0])}, {t.size});")
        arguments = ", ".join(f"p{i}" for i in range(len(self.types)))
        call = f"capture_{self.name}({arguments});"
        lines.append(f'  puts("{self.name}");')
        if self.result:
            lines.append(f"  {self.result.text} r = {call}\n  show(-1, &r, {self.result.size});")
        else:
            lines.append("  " + call)
        return f"NOINLINE void call_{self.name}() {{\n" + "\n".join(lines) + "\n}\n"

    def output(self):
        lines = [self.name]
        lines += [f"{i} {shown(v, m)}" for i, (v, m) in enumerate(self.values)]
        if self.result:
            lines.append(f"-1 {shown(*self.returned)}")
        return lines


def c_bytes(data):
    return '"' + "".join(f"\\x{b:02x}" for b in data) + '"'


def shown(value, mask):
    """Padding is printed too, but its content is undefined."""
    return "".join(f"{b:02x}" if m else ".." for b, m in zip(value, mask))


CAPTURE_X86 = """
.globl capture_{name}
.type capture_{name}, @function
capture_{name}:
  movq %rdi, captures+{at}(%rip)
  movq %rsi, captures+{at}+8(%rip)
  movq %rdx, captures+{at}+16(%rip)
  movq %rcx, captures+{at}+24(%rip)
  movq %r8, captures+{at}+32(%rip)
  movq %r9, captures+{at}+40(%rip)
  movq %rax, captures+{at}+48(%rip)
{vectors_in}
  movq %rsp, captures+{at}+192(%rip)
  movq %rbp, captures+{at}+208(%rip)
{stack}
  popq captures+{at}+216(%rip)
  callq {name}
1:
  movq %rax, captures+{at}+480(%rip)
  movq %rdx, captures+{at}+488(%rip)
  movups %xmm0, captures+{at}+544(%rip)
  movups %xmm1, captures+{at}+560(%rip)
  leaq 1b(%rip), %r11
  movq %r11, captures+{at}+200(%rip)
  pushq captures+{at}+216(%rip)
  ret
.size capture_{name}, .-capture_{name}
"""

CAPTURE_ARM = """
.globl capture_{name}
.type capture_{name}, %function
capture_{name}:
  adrp x16, captures+{at}
  add x16, x16, :lo12:captures+{at}
  stp x0, x1, [x16]
  stp x2, x3, [x16, 16]
  stp x4, x5, [x16, 32]
  stp x6, x7, [x16, 48]
{vectors_in}
  mov x17, sp
  str x17, [x16, 192]
  str x29, [x16, 208]
  str x30, [x16, 216]
{stack}
  bl {name}
1:
  adrp x16, captures+{at}
  add x16, x16, :lo12:captures+{at}
  stp x0, x1, [x16, 480]
  str q0, [x16, 544]
  str q1, [x16, 560]
  str q2, [x16, 576]
  str q3, [x16, 592]
  adr x17, 1b
  str x17, [x16, 200]
  ldr x30, [x16, 216]
  ret
.size capture_{name}, .-capture_{name}
"""


class Program:
    def __init__(self, seed, llvm, is_arm, count=90):
        rng = random.Random(seed)
        self.abi = (Arm if is_arm else X86)(llvm)
        self.functions = [Function(i, rng) for i in range(count)]

    def main(self):
        declarations = "".join(dict.fromkeys(t.declaration + "\n" for t in ALL if t.declaration))
        text = f"""// Made by program.py.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
{declarations}
// What capture.s writes down of each call. {RECORD} bytes.
struct Capture {{
  uint64_t general[8];
  unsigned char vector[8][16];
  uint64_t sp, lr, fp, saved;
  unsigned char stack[256];
  uint64_t generalOut[8];
  unsigned char vectorOut[8][16], unused[32];
}};
extern "C" {{ __attribute__((aligned(64))) Capture captures[{len(self.functions)}]; }}

static void show(int which, const void *value, size_t n) {{
  printf("%d ", which);
  for (size_t i = 0; i < n; ++i)
    printf("%02x", ((const unsigned char *)value)[i]);
  printf("\\n");
}}
// Behind the compiler's back, that no value is a constant.
static void fill(void *to, const char *from, size_t n) {{
  __asm__ volatile("" : "+r"(from));
  memcpy(to, from, n);
}}

"""
        text += "".join(f.text() for f in self.functions) + "".join(f.call() for f in self.functions)
        text += "int main(int argc, char **argv) {\n" + "".join(f"  call_{f.name}();\n" for f in self.functions)
        return text + """  FILE *out = fopen(argv[1], "wb");
  return out && fwrite(captures, sizeof captures, 1, out) == 1 && fclose(out) == 0 ? 0 : 1;
}
"""

    def capture(self):
        is_arm = self.abi.name == "aarch64"
        text = ".text\n"
        for i, f in enumerate(self.functions):
            at = i * RECORD
            if is_arm:
                vectors = "\n".join(f"  str q{n}, [x16, {64 + 16 * n}]" for n in range(8))
                stack = "\n".join(f"  ldr q16, [sp, {16 * n}]\n  str q16, [x16, {224 + 16 * n}]" for n in range(16))
            else:
                vectors = "\n".join(f"  movups %xmm{n}, captures+{at}+{64 + 16 * n}(%rip)" for n in range(8))
                stack = "\n".join(f"  movups {16 * n}(%rsp), %xmm8\n  movups %xmm8, captures+{at}+{224 + 16 * n}(%rip)"
                                  for n in range(16))
            text += (CAPTURE_ARM if is_arm else CAPTURE_X86).format(name=f.name, at=at, vectors_in=vectors, stack=stack)
        return text + '.section .note.GNU-stack,"",%progbits\n'
