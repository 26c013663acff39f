"""Random programs for args_random.py: functions that read all, some or none of their arguments, and the values that
they are passed and return.

A value is a constant known to the generator, times a number that is 1 at run time, so the compiler can't fold it.
Nothing in the program looks at more of an argument than its function does, so the optimizer may leave out the rest.
A separate object, which is not traced, prints what only the program knows: addresses, and the bytes of unions and bit
fields.
"""
import random

INTS = {"signed char": 100, "unsigned char": 200, "short": 30000, "unsigned short": 60000, "int": 2**31 - 1, "unsigned": 2**32 - 1,
        "long": 2**62, "unsigned long": 2**63, "long long": 2**62, "wchar_t": 2**31 - 1, "char16_t": 60000, "char32_t": 2**31 - 1}
FLOATS = ["float", "double", "long double", "__float128"]
# Types that not every compiler has: what they are (value, source of a value), with another type where they are missing.
SHORT_FLOATS = {"Half": 500, "Brain": 60}
BIT_INTS = {"Bits7": 63, "UBits37": 2**36, "Bits64": 2**61, "Bits100": 2**62}
COMPLEX = {"ComplexFloat": "float", "ComplexDouble": "double", "ComplexLong": "long double"}
VECTORS = {"V2F": ("float", 2), "V4F": ("float", 4), "V2D": ("double", 2), "V16C": ("signed char", 16), "V8S": ("short", 8), "V8I": ("int", 8),
           "V1L": ("long", 1), "V8C": ("unsigned char", 8)}
TEXTS = ["const char *", "char *", "View", "std::string", "const std::string &", "std::string *"]
POINTERS = ["const long *", "double *", "void *", "long *const *", "Callee", "long &", "const double &", "short &&", "std::nullptr_t"]
# Conventions of functions, each where the compiler has it.
CONVENTIONS = ["MS_ABI", "SYSV_ABI", "VECTOR_PCS"]
# With these and any types, clang itself or its programs crash without AdaTrace.
NARROW_CONVENTIONS = ["VECTORCALL", "REGCALL", "SWIFTCALL", "PRESERVE_MOST", "PRESERVE_ALL"]
NARROW_TYPES = ["signed char", "unsigned char", "short", "int", "unsigned", "long", "unsigned long", "bool", "char", "float", "double", "const char *",
                "const long *", "double *", "void *", "long &", "std::nullptr_t"]
PRELUDE = """#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#ifdef __x86_64__
#define MS_ABI __attribute__((ms_abi))
#define SYSV_ABI __attribute__((sysv_abi))
#else
#define __float128 long double
#endif
#ifdef __clang__
#ifndef VECTORCALL
#define VECTORCALL __attribute__((vectorcall))
#endif
#define REGCALL __attribute__((regcall))
#define SWIFTCALL __attribute__((swiftcall))
#define PRESERVE_MOST __attribute__((preserve_most))
#define PRESERVE_ALL __attribute__((preserve_all))
#endif
#ifdef __aarch64__
#define VECTOR_PCS __attribute__((aarch64_vector_pcs))
#endif
""" + "".join(f"#ifndef {name}\n#define {name}\n#endif\n" for name in CONVENTIONS + NARROW_CONVENTIONS) + """
#ifdef __FLT16_MANT_DIG__
typedef _Float16 Half;
#else
typedef float Half;
#endif
#if defined __clang__ && __clang_major__ >= 18 && defined __x86_64__
typedef __bf16 Brain;
inline Brain brainOf(float value) { return __builtin_bit_cast(Brain, (unsigned short)(__builtin_bit_cast(unsigned, value) >> 16)); }
#else
typedef float Brain;
inline Brain brainOf(float value) { return value; }
#endif
#if defined __clang__ && __clang_major__ >= 18
typedef _BitInt(7) Bits7;
typedef unsigned _BitInt(37) UBits37;
typedef _BitInt(64) Bits64;
typedef _BitInt(100) Bits100;
#else
typedef signed char Bits7;
typedef unsigned long UBits37;
typedef long Bits64;
typedef __int128 Bits100;
#endif
typedef std::string_view View;
typedef long (*Callee)(long);
typedef std::vector<int> Ints;
struct S {
  long x, a, b;
  virtual long v() { return a; }
  long m() { return b; }
};
typedef long (S::*Method)();
""" + "".join(f"typedef _Complex {part} {name};\n" for name, part in COMPLEX.items()) + \
    "".join(f"typedef {part} {name} __attribute__((vector_size({count} * sizeof({part}))));\n" for name, (part, count) in VECTORS.items()) + """
extern volatile long sink;
extern volatile long one;
extern long longs[16];
extern double doubles[16];
extern long *const pointers[8];
extern char text0[16], text1[16];
extern std::string string0;
extern "C" long callee0(long);
extern "C" long callee1(long);
template <class C, class P> __attribute__((always_inline)) inline C complexOf(P real, P imaginary) {
  C complex;
  __real__ complex = real;
  __imag__ complex = imaginary;
  return complex;
}
__attribute__((noinline)) static void next0(long, double) {}
__attribute__((noinline)) static void next1(long a, double) { sink = a; }
"""
DEFINITIONS = """
volatile long sink, one = 1;
long longs[16] = {""" + ", ".join(str(1000 + i) for i in range(16)) + """};
double doubles[16] = {""" + ", ".join(str(i + 0.25) for i in range(16)) + """};
long *const pointers[8] = {""" + ", ".join(f"&longs[{i}]" for i in range(8)) + """};
char text0[16] = "global text", text1[16] = "t";
std::string string0 = "a global string";
long callee0(long n) { return n; }
long callee1(long n) { return n + 1; }
"""
SYMBOLS = ["longs", "doubles", "pointers", "text0", "text1", "string0", "callee0", "callee1"]

# Expected values: ("n", text) of a scalar, ("s", {member: ...}, key), ("a", [...]), ("bits", key) of values shown as
# bits, ("p", symbol, offset, value there) of addresses and ("t", text, symbol, offset) of texts. KEY is one of the
# truth's.


class Value:
    def __init__(self, source, expected, before="", assign=None):
        self.source, self.expected, self.before = source, expected, before
        self.assign = assign or (lambda path: f"{path} = {source};")


class Maker:
    """Makes the types and values of one seed."""

    def __init__(self, seed, prefix):
        self.rng, self.prefix = random.Random(seed), prefix
        self.serial = 0
        self.truths = []  # (key, type, value)
        self.members = {}  # of each struct and union: (name, type, bits)
        self.enums, self.structs, self.unions, self.flat, self.globals = {}, [], [], {}, {}
        self.byAddress, self.opaque, self.bases = set(), set(), {}
        self.text = ""
        for i in range(3):
            self.addEnum(f"E{prefix}_{i}")
        for i in range(9):
            self.addStruct(f"S{prefix}_{i}")
        for i in range(2):
            self.addUnion(f"U{prefix}_{i}")

    def number(self):
        self.serial += 1
        return f"{self.prefix}_{self.serial}"

    def addEnum(self, name):
        rng = self.rng
        base = rng.choice(["int", "unsigned char", "short", "long", ""])
        scope = rng.choice(["", "class "])
        self.enums[name] = [f"{name}::R{name}" if scope else f"R{name}", f"{name}::G{name}" if scope else f"G{name}"]
        self.text += f"enum {scope}{name}{' : ' + base if base else ''} {{ R{name} = 0, G{name} = 5 }};\n"

    def memberType(self):
        rng = self.rng
        return rng.choice(list(INTS) * 2 + ["bool", "char", "float", "float", "double", "double", "long double", "__int128", "const long *", "Callee"] +
                          list(self.enums) + list(SHORT_FLOATS) + list(BIT_INTS) + self.structs[-3:] + ["V4F", "V2F", "ComplexFloat", "long S::*", "int[3]", "char[5]", "float[2]", "unsigned short[4]"])

    def addStruct(self, name):
        rng = self.rng
        kind = rng.choice(["plain"] * 6 + ["packed", "aligned", "bits", "derived", "destructor", "empty", "small", "floats"])
        members = []
        for i in range(0 if kind == "empty" else rng.choice([1, 2, 2, 2, 3, 3, 4, 6, 9])):
            type_, bits = self.memberType(), 0
            if type_ == "long S::*" and not self.structs:
                type_ = "long"
            if kind == "floats":
                type_ = rng.choice(["float", "double", "float", "int"])
            if kind == "small":
                type_ = rng.choice(["char", "short", "bool", "unsigned char", "float"])
            if kind == "bits" and rng.random() < 0.7:
                type_, bits = rng.choice(["int", "unsigned", "long", "bool", "short"]), rng.randrange(2, 13)
                bits = 1 if type_ == "bool" else bits
            members.append((f"m{i}_{name}", type_, bits))
        base = rng.choice(self.structs) if kind == "derived" and self.structs else None
        if base in self.byAddress:
            base = None
        declared = "".join(f" {self.declare(t, m)}{f' : {bits}' if bits else ''};" for m, t, bits in members)
        attribute = {"packed": "__attribute__((packed)) ", "aligned": f"__attribute__((aligned({rng.choice([16, 32])}))) "}.get(kind, "")
        self.text += f"struct {attribute}{name}{' : ' + base if base else ''} {{{declared}{f' ~{name}() {{ sink = 1; }}' if kind == 'destructor' else ''} }};\n"
        self.members[name], self.bases[name] = members, base
        if kind == "destructor" or any(t in self.byAddress for _, t, _ in members):
            self.byAddress.add(name)
        if any(bits for _, _, bits in members):
            self.opaque.add(name)
        self.structs.append(name)

    def addUnion(self, name):
        members = [(f"m{i}_{name}", self.rng.choice(["int", "float", "double", "long", "const long *", "long double", "short"]), 0) for i in range(3)]
        self.members[name], self.bases[name] = members, None
        self.text += f"union {name} {{" + "".join(f" {self.declare(t, m)};" for m, t, _ in members) + " };\n"
        self.unions.append(name)

    @staticmethod
    def declare(type_, name):
        if "[" in type_:
            return type_.replace("[", f" {name}[")
        return f"{type_} {name}"

    def parameterType(self):
        rng = self.rng
        return rng.choice(
            rng.choice([list(INTS), list(INTS) + ["bool", "char"], FLOATS + ["float", "double"] * 2, ["__int128", "unsigned __int128"], list(self.enums),
                        list(SHORT_FLOATS) + list(BIT_INTS), list(COMPLEX), list(VECTORS), TEXTS, POINTERS, self.structs, self.structs, self.structs, self.unions, ["Ints &", "const Ints &"],
                        [f"{s} {how}" for s in self.structs for how in ("&", "*", "const &")], ["long S::*", "Method"]]))

    def integer(self, most, isSigned):
        rng = self.rng
        value = rng.randrange(most) if rng.random() < 0.6 else rng.randrange(min(most, 100))
        return -value if isSigned and rng.random() < 0.5 else value

    def value(self, type_, isLocal=False, isResult=False):
        """A value of TYPE; isLocal: a pointer's target is the call's own; isResult: it is not."""
        rng = self.rng
        if type_ in INTS:
            value = self.integer(INTS[type_], "unsigned" not in type_ and not type_.startswith(("char", "wchar")))
            return Value(f"({type_})({value}{'ul' if value > 2**62 else 'l'} * n)", ("n", value))
        if type_ == "bool":
            value = rng.random() < 0.5
            return Value("(n == 1)" if value else "(n != 1)", ("n", value))
        if type_ == "char":
            value = rng.randrange(33, 126)
            return Value(f"(char)({value} * n)", ("n", chr(value)))
        if type_ in FLOATS:
            value = rng.randrange(-4000, 4000) + 0.5
            return Value(f"({type_})({value} * n)", ("n", value))
        if type_ in SHORT_FLOATS:
            value = rng.randrange(-SHORT_FLOATS[type_], SHORT_FLOATS[type_]) + 0.5
            return Value(f"brainOf({value}f * n)" if type_ == "Brain" else f"(Half)({value} * n)", ("n", value))
        if type_ in BIT_INTS:
            value = self.integer(BIT_INTS[type_], not type_.startswith("U"))
            return Value(f"({type_})({value}l * n)", ("n", value))
        if type_ in ("__int128", "unsigned __int128"):
            value = rng.randrange(1, 2**58) << rng.choice([0, 1, 40, 64])
            text = f"(({type_}){value >> 32}l << 32 | {value & 0xffffffff}u)" if value < 2**90 else f"(({type_}){value >> 64}l << 64)"
            value = value if value < 2**90 else value >> 64 << 64
            isNegative = type_ == "__int128" and rng.random() < 0.5
            return Value(f"({type_})({'-' if isNegative else ''}{text} * n)", ("n", -value if isNegative else value))
        if type_ in self.enums:
            at = rng.randrange(2)
            return Value(f"({type_})({at * 5} * n)", ("n", self.enums[type_][at]))
        if type_ in COMPLEX:
            part = COMPLEX[type_]
            a, b = (f"({part})({rng.randrange(-400, 400) + 0.5} * n)" for _ in range(2))
            return self.withTruth(type_, Value(f"complexOf<{type_}>({a}, {b})", None))
        if type_ in VECTORS:
            part, count = VECTORS[type_]
            parts = [self.value(part) for _ in range(count)]
            return Value(f"{type_}{{" + ", ".join(p.source for p in parts) + "}", ("a", [p.expected for p in parts]))
        if "[" in type_:
            part, count = type_[:-1].split("[")
            parts = [self.value(part) for _ in range(int(count))]
            expected = ("n", "".join(p.expected[1] for p in parts)) if part == "char" else ("a", [p.expected for p in parts])
            return Value("{" + ", ".join(p.source for p in parts) + "}", expected,
                         assign=lambda path: " ".join(p.assign(f"{path}[{i}]") for i, p in enumerate(parts)))
        if type_ in self.members:
            return self.aggregate(type_)
        if type_ == "long S::*":
            return self.withTruth(type_, Value(f"(n == 1 ? &S::{rng.choice('ab')} : nullptr)", None))
        if type_ == "Method":
            return self.withTruth(type_, Value(f"(n == 1 ? &S::{rng.choice(['v', 'm'])} : (Method)nullptr)", None))
        if type_ in TEXTS:
            return self.textValue(type_, isLocal, isResult)
        return self.pointerValue(type_, isLocal, isResult)

    def withTruth(self, type_, value):
        key = self.number()
        self.truths.append((key, type_, value))
        value.expected = ("bits", key) if value.expected is None else (*value.expected, key)
        return value

    def aggregate(self, type_):
        members = self.members[type_]
        if type_ in self.unions:
            member, memberType, _ = self.rng.choice(members)
            value = self.value(memberType, isResult=True)
            return self.withTruth(type_, Value(f"{type_}{{.{member} = {value.source}}}", None, assign=lambda path: value.assign(f"{path}.{member}")))
        values = []
        for member, memberType, bits in members:
            value = self.value(memberType, isResult=True)
            if bits and memberType != "bool":
                number = self.rng.randrange(2 ** (bits - 1))
                value = Value(f"({memberType})({number} * n)", ("n", number))
            values.append((member, value))
        base = self.aggregate(self.bases[type_]) if self.bases[type_] else None
        source = f"{type_}{{" + ", ".join([base.source for base in [base] if base] + [v.source for _, v in values]) + "}"
        expected = {**(base.expected[1] if base else {}), **{m: v.expected for m, v in values}}
        if base and self.bases[type_] in self.opaque:  # shown as a single value
            expected[self.bases[type_]] = base.expected
        return self.withTruth(type_, Value(source, ("s", expected), assign=lambda path: (base.assign(path) if base else "") +
                                           " ".join(v.assign(f"{path}.{m}") for m, v in values)))

    def textValue(self, type_, isLocal, isResult):
        rng, name = self.rng, "l" + self.number()
        text = "".join(rng.choice("abcdefgh xyz") for _ in range(rng.choice([1, 3, 8, 14, 15, 16, 24])))
        where = "local" if isLocal else rng.choice(["literal", "global"] if isResult else ["literal", "global", "local"])
        if type_ == "std::string":
            return Value(f'std::string("{text}", {len(text)} * n)', ("t", text, None, 0))
        if type_ in ("const std::string &", "std::string *"):
            address = "&" if type_.endswith("*") else ""
            if where == "global" or isResult:
                return Value(address + "string0", ("t", "a global string", "string0", 0))
            return Value(address + name, ("t", text, None, 0), before=f'std::string {name}("{text}", {len(text)} * n);')
        before, symbol, source = "", None, f'(char *)"{text}"'
        if where == "global":
            symbol = rng.choice(["text0", "text1"])
            text, source = ("global text" if symbol == "text0" else "t"), symbol
        if where == "local":
            before = f'char {name}[32]; __builtin_memcpy({name}, "{text}", {len(text) + 1} * n);'
            source = name
        if type_ == "View":
            length = rng.randrange(len(text)) + 1
            return Value(f"View({source}, {length} * n)", ("t", text[:length], symbol, 0), before)
        return Value(source, ("t", text, symbol, 0), before)

    def pointerValue(self, type_, isLocal, isResult):
        rng, name, at = self.rng, "l" + self.number(), self.rng.randrange(8)
        plain = type_.replace("const ", "").replace(" const", "").rstrip(" &*")
        if type_ in ("Ints &", "const Ints &"):
            parts = [self.integer(1000, True) for _ in range(rng.randrange(1, 7))]
            return Value(name, ("p", None, 0, ("a", [("n", p) for p in parts])), f"Ints {name}{{" + ", ".join(f"(int)({p} * n)" for p in parts) + "};")
        if plain in self.members:
            address = "&" if type_.endswith("*") else ""
            if isLocal or (not isResult and rng.random() < 0.5):
                value = self.value(plain)
                return Value(address + name, ("p", None, 0, value.expected), f"{value.before} {plain} {name} = {value.source};")
            if plain not in self.globals:
                self.globals[plain] = self.value(plain)
            return Value(f"{address}h_{plain}", ("p", "h_" + plain, 0, self.globals[plain].expected))
        if type_ == "void *":
            return Value(f"(void *)&longs[{at} * n]", ("p", "longs", 8 * at, None))
        if type_ == "long *const *":
            return Value(f"&pointers[{at} * n]", ("p", "pointers", 8 * at, ("a", [("p", "longs", 8 * i, None) for i in range(at, 8)])))
        if type_ == "Callee":
            return Value(f"(n == 1 ? callee{at & 1} : nullptr)", ("p", f"callee{at & 1}", 0, None))
        if type_ == "std::nullptr_t":
            return Value("nullptr", ("p", 0, 0, None))
        target = plain.rstrip("&* ")
        all_ = [1000 + i for i in range(16)] if target == "long" else [i + 0.25 for i in range(16)]
        if isLocal or target == "short" or (not isResult and rng.random() < 0.4):
            values = [self.value(target) for _ in range(8 if "*" in type_ else 1)]
            expected = [v.expected for v in values]
            before = f"{target} {name}[] = {{" + ", ".join(v.source for v in values) + "};"
            source, symbol, offset = (name, None, 0) if "*" in type_ else (f"({target} {type_[-2:].strip()}){name}[0]" if "&&" in type_ else f"{name}[0]", None, 0)
        else:
            expected = [("n", v) for v in all_[at:]]
            before, symbol, offset = "", target + "s", 8 * at
            source = f"&{symbol}[{at} * n]" if "*" in type_ else f"{symbol}[{at} * n]"
        return Value(source, ("p", symbol, offset, ("a", expected) if "*" in type_ else expected[0]), before)

    def reads(self, type_, path):
        """Expressions for numbers that each read a part of the value PATH."""
        if type_ in COMPLEX:
            return [f"(long)__real__ {path}", f"(long)__imag__ {path}"]
        if type_ in VECTORS:
            return [f"(long){path}[{i}]" for i in {0, VECTORS[type_][1] - 1}]
        if "[" in type_:
            return [f"(long){path}[1]"]
        if type_ in self.members:
            return [r for m, t, _ in self.members[type_] for r in self.reads(t, f"{path}.{m}")] + (self.reads(self.bases[type_], path) if self.bases[type_] else [])
        plain = type_.replace("const ", "").replace(" const", "")
        if plain.rstrip(" &*") in self.members:
            inner = self.reads(plain.rstrip(" &*"), path if type_.endswith("&") else f"(*{path})")
            return [f"(long)&{path}" if type_.endswith("&") else f"(long){path}"] + inner[:2]
        if type_.endswith("__int128"):
            return [f"(long){path}", f"(long)({path} >> 64)"]
        if type_ in ("View", "std::string", "const std::string &"):
            return [f"(long){path}.size()", f"(long){path}[0]"]
        if type_ == "std::string *":
            return [f"(long){path}", f"(long){path}->size()"]
        if type_ in ("const char *", "char *", "const long *", "double *"):
            # A member of a union may not hold a valid pointer.
            return [f"(long){path}", f"(long)*{path}"] if "." not in path else [f"(long){path}"]
        if "Ints" in type_:
            return [f"(long){path}.size()", f"(long){path}[0]"]
        if type_ in ("long S::*", "Method"):
            return [f"(long)({path} != nullptr)"]
        return [f"(long){path}"]


class Function:
    # Kinds whose every declaration names the convention.
    WITH_CONVENTION = ["static", "extern", "template", "member", "shared", "inline", "c", "virtual", "thunk"]
    WITH_NARROW = ["static", "extern", "c"]
    KINDS = ["static"] * 4 + ["extern"] * 5 + ["template", "template", "virtual", "virtual", "thunk", "member", "member", "shared", "inline", "lambda", "constructor",
                                               "pointer", "variadic", "c"]

    def __init__(self, maker, number):
        rng = maker.rng
        self.kind, self.name = rng.choice(self.KINDS), f"f{number}"
        self.convention = rng.choice(CONVENTIONS) + " " if self.kind in self.WITH_CONVENTION and rng.random() < 0.4 else ""
        self.types = [maker.parameterType() for _ in range(rng.choice([0, 1, 2, 3, 4, 5, 6, 8, 10, 13]))]
        isNarrow = self.kind in self.WITH_NARROW and rng.random() < 0.3
        if isNarrow:
            # Its name in C, f@@SIZE, is a version to the linker, which no library can export.
            excluded = ["VECTORCALL"] if self.kind == "c" else []
            self.convention = rng.choice([name for name in NARROW_CONVENTIONS if name not in excluded]) + " "
            self.types = [rng.choice(NARROW_TYPES) for _ in self.types]
        if self.kind == "thunk":
            self.convention = self.convention.replace("MS_ABI ", "")  # clang 14 passes on copies that it never makes
        self.local = [rng.random() < 0.3 for _ in self.types]
        self.constants = [maker.value(t) if rng.random() < 0.1 and t in INTS else None for t in self.types]
        if self.kind == "variadic" and not self.types:
            self.types, self.local, self.constants = ["int"], [False], [None]
        if self.kind == "variadic" and self.types[-1].endswith("&"):
            self.types[-1] = "long"  # va_start of a reference is undefined
        self.keep = "__attribute__((noinline)) " if rng.random() < 0.7 else ""
        self.result = "void" if self.kind == "constructor" or rng.random() < 0.2 else maker.parameterType()
        if "Ints" in self.result or "&&" in self.result:
            self.result = "long"
        if isNarrow and self.result != "void":
            self.result = rng.choice(["int", "long", "double", "bool"])
        self.returned = None
        if self.result != "void":
            self.returned = maker.value(self.result, isResult=True)
        body = [self.use(maker, t, f"p{i}", self.local[i]) for i, t in enumerate(self.types)]
        self.body = " ".join(body) + (" sink = 3;" if self.result == "void" else f" long n = one; return {self.returned.source};")
        self.parameters = ", ".join(f"{t} p{i}" for i, t in enumerate(self.types)) + (", ..." if self.kind == "variadic" else "")
        self.unit = rng.randrange(2)

    def use(self, maker, type_, name, isLocal):
        """Statements that read the whole parameter, a part of it, or nothing."""
        rng = maker.rng
        how = rng.choice(["all", "part", "part", "none", "branch", "on", "address", "late", "write", "through"])
        reads = maker.reads(type_, name)
        if how == "none" or not reads:
            return ""
        one = " + ".join(reads) if how == "all" else rng.choice(reads)
        text = f"sink = (long)({one});"
        if how == "branch":
            return f"if (sink > 7) {text}"
        if how == "address" and "&" not in type_ and type_ not in maker.byAddress and type_ != "std::string":
            return f"{{ static {type_} copy; copy = {name}; sink = (long)&copy; }}"
        if how == "on":
            return f"next{rng.randrange(2)}((long)({one}), 1.5);"
        if how == "late":
            return f"next{rng.randrange(2)}(3, 2.5); {text}"
        if how == "write" and type_ in INTS:
            return f"{name} = ({type_})sink; {text}"
        if how == "write" and type_ in maker.members and type_ not in maker.byAddress:
            return f"{name} = {type_}{{}}; {text}"
        if how == "through" and isLocal and type_ in ("long &", "double *"):
            return f"{'*' if '*' in type_ else ''}{name} = sink; {text}"
        return text

    def signature(self, name=None):
        return f"{self.convention}{self.result} {name or self.name}({self.parameters})"

    def declaration(self):
        name, types = self.name, ", ".join(self.types)
        return {"extern": self.signature() + ";", "variadic": self.signature() + ";", "c": f'extern "C" {self.signature()};',
                "virtual": f"struct B_{name} {{ virtual {self.signature()} = 0; }}; extern B_{name} *o_{name};",
                "thunk": f"struct A_{name} {{ virtual void other(); }}; struct B_{name} {{ virtual {self.signature()} = 0; }}; extern B_{name} *o_{name};",
                "member": f"struct B_{name} {{ int m; {self.signature()}; }};", "shared": f"struct B_{name} {{ static {self.signature()}; }};",
                "constructor": f"struct C_{name} {{ int m; C_{name}({self.parameters}); }};",
                "pointer": f"extern {self.result} (*volatile q_{name})({types});"}.get(self.kind, "")

    def definition(self):
        body, name = f"{{ {self.body} }}", self.name
        if self.kind in ("static", "inline"):
            return f"{self.keep}{self.kind} {self.signature()} {body}"
        if self.kind == "template":
            return f"template <int N> {self.keep}{self.signature()} {body}"
        if self.kind in ("virtual", "thunk"):
            other, base = (f"void A_{name}::other() {{}}\n", f"A_{name}, B_{name}") if self.kind == "thunk" else ("", f"B_{name}")
            return f"{other}struct D_{name} : {base} {{ {self.keep}{self.signature()} override {body} }}; static D_{name} s_{name}; B_{name} *o_{name} = &s_{name};"
        if self.kind in ("member", "shared"):
            return f"{self.keep}{self.signature(f'B_{name}::{name}')} {body}"
        if self.kind == "constructor":
            return f"{self.keep}C_{name}::C_{name}({self.parameters}) {body}"
        if self.kind == "lambda":
            return f"static auto L_{name}() {{ return []({self.parameters}) -> {self.result} {body}; }}"
        if self.kind == "pointer":
            return f"{self.keep}static {self.signature()} {body}\n{self.result} (*volatile q_{name})({', '.join(self.types)}) = {name};"
        return f"{self.keep}{self.signature()} {body}"

    def values(self, maker):
        return [Value(c.source.replace("* n", "* 1"), c.expected) if c else maker.value(t, isLocal) for t, isLocal, c in zip(self.types, self.local, self.constants)]

    def call(self, maker, values):
        rng = maker.rng
        arguments = [v.source for v in values] + (rng.sample(["1", "2.5", '"x"', "n"], rng.randrange(4)) if self.kind == "variadic" else [])
        arguments, name = ", ".join(arguments), self.name
        text = {"template": f"{name}<1>({arguments})", "virtual": f"o_{name}->{name}({arguments})", "thunk": f"o_{name}->{name}({arguments})",
                "member": f"B_{name}{{}}.{name}({arguments})", "shared": f"B_{name}::{name}({arguments})", "lambda": f"L_{name}()({arguments})",
                "constructor": f"C_{name} object{'{' + arguments + '}' if arguments else ''}",
                "pointer": f"{rng.choice(['q_', ''])}{name}({arguments})"}.get(self.kind, f"{name}({arguments})")
        before = " ".join(v.before for v in values)
        reads = maker.reads(self.result, "result") if self.result != "void" else []
        if reads and rng.random() < 0.6:
            text = f"{self.result if '&' in self.result else 'auto'} result = {text}; sink = (long)({rng.choice(reads)})"
        return f"  {{ {before} {text}; }}\n"


class Program:
    FUNCTIONS = 12  # of a seed

    def __init__(self, seeds):
        self.calls = {}  # (caller, function): values
        self.functions, self.seedOf = {}, {}
        units, callers, truths, globals_, definitions = ["", ""], ["", ""], "", "", ""
        mains, symbols = "", list(SYMBOLS)
        for prefix, seed in enumerate(seeds):
            maker = Maker(seed, prefix)
            functions = [Function(maker, prefix * self.FUNCTIONS + i) for i in range(self.FUNCTIONS)]
            self.functions.update((f.name, f) for f in functions)
            self.seedOf.update((f.name, seed) for f in functions)
            body = [[], []]
            for f in functions:
                isShared = f.kind in ("extern", "virtual", "thunk", "member", "shared", "constructor", "pointer", "variadic", "c")
                for unit in (0, 1):
                    if unit != f.unit and (not isShared or f.kind == "pointer" or maker.rng.random() < 0.5):
                        continue
                    for _ in range(1 if maker.rng.random() < 0.7 else 2):
                        values = f.values(maker)
                        body[unit].append((f, values, f.call(maker, values)))
            for unit in (0, 1):
                calls = body[unit]
                at = 0
                while calls:
                    used, text, caller = set(), "", f"c{prefix}_{unit}_{at}"
                    for call in calls[:4]:
                        if call[0].name in used:
                            break
                        used.add(call[0].name)
                        text += call[2]
                        self.calls[caller, call[0].name] = call[1]
                    calls = calls[len(used):]
                    callers[unit] += f"__attribute__((noinline)) void {caller}(long n) {{\n{text}}}\n"
                    mains += f"  {caller}(argc);\n"
                    globals_ += f"void {caller}(long);\n"
                    at += 1
            globals_ += maker.text + "".join(f"extern {s} h_{s};\n" for s in maker.globals)
            definitions += "".join(f"{s} h_{s} = {v.source.replace('* n', '* 1').replace('n == 1', '1 == 1').replace('n != 1', '0')};\n" for s, v in maker.globals.items())
            symbols += [f"h_{s}" for s in maker.globals]
            globals_ += "\n".join(f.declaration() for f in functions) + "\n"
            for unit in (0, 1):
                units[unit] += "\n".join(f.definition() for f in functions if f.unit == unit) + "\n"
            truths += "".join(f'  bits<{t}>("{key}", []({t} &v) {{ {value.assign("v")} }});\n' for key, t, value in maker.truths)
        common = PRELUDE + globals_
        self.units = [common + units[i] + callers[i] for i in (0, 1)]
        self.units[0] += DEFINITIONS + definitions + f"void truth();\nint main(int argc, char **) {{\n{mains}  truth();\n}}\n"
        self.truth = common.replace("static void next", "static inline void next") + """#include <cstdio>
#include <cstring>
#if defined __clang__ && __clang_major__ >= 18 && defined __x86_64__ // clang calls it, and GCC 12's library lacks it
__asm__(".text\\n.weak __truncsfbf2\\n__truncsfbf2: movd %xmm0, %eax\\nshrl $16, %eax\\nmovd %eax, %xmm0\\nret");
#endif
static long n = 1;
template <class T, class F> void bits(const char *key, F assign) {
  alignas(64) static unsigned char bytes[2][sizeof(T)];
  memset(bytes[0], 0, sizeof(T));
  memset(bytes[1], 255, sizeof(T));
  assign(*(T *)bytes[0]);
  assign(*(T *)bytes[1]);
  printf("bits %s ", key);
  for (size_t i = 0; i < sizeof(T); ++i)
    printf("%02x%02x", bytes[0][i], (unsigned char)~(bytes[0][i] ^ bytes[1][i]));
  puts("");
}
void truth() {
""" + "".join(f'  printf("symbol {s} %lx\\n", (long)&{s});\n' for s in symbols) + truths + "}\n"
