"""Random functions that read all, some or none of their arguments, and what tree says they were passed.

Each argument is a constant that the generator knows, times a number that is 1 at run time: the compiler can't fold it, and nothing in the
program looks at more of an argument than its function does. So the optimizer may leave out what is not read. Each value that is shown must
be the true one, or be unknown. By hand: --seeds 200.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys
import time

INTS = {"signed char": 100, "unsigned char": 200, "short": 30000, "unsigned short": 60000, "int": 2**31 - 1, "unsigned": 2**32 - 1,
        "long": 2**62, "unsigned long": 2**63}
STRUCTS = {"Two": [("int", "a"), ("int", "b")], "Mix": [("int", "a"), ("double", "b")], "Xim": [("double", "a"), ("long", "b")],
           "Three": [("float", "a"), ("float", "b"), ("float", "c")], "Longs": [("long", "a"), ("long", "b")],
           "Tiny": [("unsigned char", "a"), ("short", "b")], "Half": [("float", "a"), ("int", "b")],
           "Doubles": [("double", "a"), ("double", "b")], "Large": [("long", "a"), ("int", "b"), ("double", "c")],
           "Huge": [("long", x) for x in "abcdefgh"], "Over": [("long", x) for x in "abcdefghi"]}
TYPES = list(INTS) * 2 + ["bool", "float", "double", "double", "long double", "__int128", "unsigned __int128", "Color", "View"] + \
    [s for s in STRUCTS if s != "Over"] * 2 + ["Over"]
PRELUDE = """#include <cstdint>
#include <string_view>
typedef std::string_view View;
enum Color : int { Red, Green, Blue };
extern volatile long sink;
"""


def leaf(rng, type_):
    """A value's text in the source, times n, and as it is shown."""
    if type_ == "bool":
        value = rng.random() < 0.5
        return ("(n == 1)" if value else "(n != 1)"), "true" if value else "false"
    if type_ in ("float", "double", "long double"):
        value = rng.randrange(-4000, 4000) + 0.5
        return f"({type_})({value} * n)", str(value)
    if type_ == "Color":
        value = rng.randrange(3)
        return f"(Color)({value} * n)", ["Red", "Green", "Blue"][value]
    if type_ == "View":
        length = rng.randrange(1, 9)
        return f'View("abcdefgh", {length} * n)', ('"' + "abcdefgh"[:length] + '"', length)
    if type_.endswith("__int128"):
        value = rng.randrange(1, 2**58) << rng.choice([0, 1, 64, 70 - 6]) % 64
        if type_ == "__int128" and rng.random() < 0.5:
            value = -value
        text = f"(({type_}){value >> 32} << 32 | {value & 0xffffffff}u)" if value >= 0 else f"-(({type_}){-value >> 32} << 32 | {-value & 0xffffffff}u)"
        return f"({text} * n)", str(value)
    most = INTS[type_]
    value = rng.randrange(most) if rng.random() < 0.6 else rng.randrange(100)
    if "unsigned" not in type_ and rng.random() < 0.5:
        value = -value
    return f"({type_})({value}{'ul' if value > 2**62 else 'l'} * n)", str(value)


class Value:
    def __init__(self, rng, type_):
        self.type = type_
        if type_ in STRUCTS:
            parts = [(name, leaf(rng, member)) for member, name in STRUCTS[type_]]
            self.source = f"{type_}{{" + ", ".join(source for _, (source, _) in parts) + "}"
            self.shown = [(name, shown) for name, (_, shown) in parts]
        else:
            self.source, self.shown = leaf(rng, type_)


def use(rng, type_, name):
    """Statements that read all of the parameter, a part, or nothing."""
    how = rng.choice(["all", "part", "part", "none", "branch", "on", "address"])
    if how == "none":
        return ""
    one = name
    if type_ in STRUCTS:
        members = [m for _, m in STRUCTS[type_]]
        some = members if how == "all" else [rng.choice(members)]
        one = " + ".join(f"(long){name}.{m}" for m in some)
    elif type_ == "View":
        one = f"(long){name}.size()" if how != "all" else f"((long){name}.size() + {name}[0])"
    elif type_.endswith("__int128") and how != "all":
        one = rng.choice([f"(long){name}", f"(long)({name} >> 64)"])
    elif how == "part":
        one = f"(char){name}" if type_ in INTS else name
    text = f"sink = (long)({one});"
    if how == "branch":
        return f"if (sink > 7) {text}"
    if how == "address":
        return f"{{ static {type_} copy; copy = {name}; sink = (long)&copy; }}"
    if how == "on":
        return f"next{rng.randrange(3)}((long)({one}), 1.5);"
    return text


class Function:
    def __init__(self, number, rng):
        self.kind = rng.choice(["static", "static", "extern", "extern", "extern", "template", "virtual", "member", "inline", "lambda"])
        self.name = f"f{number}"
        self.types = [rng.choice(TYPES) for _ in range(rng.randrange(13))]
        self.keep = "__attribute__((noinline)) " if rng.random() < 0.75 else ""
        self.result = rng.choice(["long", "double", "int", "void"])
        self.body = " ".join(use(rng, t, f"p{i}") for i, t in enumerate(self.types))
        self.body += " sink = 3;" if self.result == "void" else f" return ({self.result})({number} + sink * 0);"
        self.parameters = ", ".join(f"{t} p{i}" for i, t in enumerate(self.types))
        self.unit = rng.randrange(2)

    def signature(self):
        return f"{self.result} {self.name}({self.parameters})"

    def declaration(self):
        return {"extern": self.signature() + ";", "virtual": f"struct B_{self.name} {{ virtual {self.signature()} = 0; }}; extern B_{self.name} *o_{self.name};",
                "member": f"struct B_{self.name} {{ int m; {self.signature()}; }};"}.get(self.kind, "")

    def definition(self):
        body = f"{{ {self.body} }}"
        if self.kind in ("static", "inline"):
            return f"{self.keep}{self.kind} {self.signature()} {body}"
        if self.kind == "template":
            return f"template <int N> {self.keep}{self.signature()} {body}"
        if self.kind == "virtual":
            return f"struct D_{self.name} : B_{self.name} {{ {self.keep}{self.signature()} override {body} }}; static D_{self.name} s_{self.name}; B_{self.name} *o_{self.name} = &s_{self.name};"
        if self.kind == "member":
            return f"{self.keep}{self.result} B_{self.name}::{self.name}({self.parameters}) {body}"
        if self.kind == "lambda":
            return f"static auto {self.name} = []({self.parameters}) -> {self.result} {body};"
        return f"{self.keep}{self.signature()} {body}"

    def call(self, values):
        arguments = ", ".join(v.source for v in values)
        return {"template": f"{self.name}<1>({arguments});", "virtual": f"o_{self.name}->{self.name}({arguments});",
                "member": f"{{ B_{self.name} b; b.{self.name}({arguments}); }}"}.get(self.kind, f"{self.name}({arguments});")


class Program:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.functions = [Function(i, rng) for i in range(24)]
        self.calls = collections.defaultdict(list)  # name: one list of values each
        callers = ["", ""]
        for f in self.functions:
            units = [0, 1] if f.kind in ("extern", "virtual", "member") else [f.unit]
            for unit in units:
                if unit != f.unit and rng.random() < 0.5:
                    continue
                values = [Value(rng, t) for t in f.types]
                self.calls[f.name].append(values)
                callers[unit] += "  " + f.call(values) + "\n"
        self.units = []
        for unit in range(2):
            text = PRELUDE
            for name, members in STRUCTS.items():
                text += f"struct {name} {{ " + " ".join(f"{t} {m};" for t, m in members) + " };\n"
            text += "".join(f"__attribute__((noinline)) static void next{i}(long a, double) {{ {'sink = a;' if i else ''} }}\n" for i in range(3))
            text += "\n".join(f.declaration() for f in self.functions) + "\n"
            text += "\n".join(f.definition() for f in self.functions if f.unit == unit) + "\n"
            text += f"void calls{unit}(long n) {{\n{callers[unit]}}}\n"
            self.units.append(text)
        self.units[0] += "volatile long sink;\nvoid calls1(long);\nint main(int argc, char **) { calls0(argc); calls1(argc); }\n"


def split(text):
    """At commas outside of brackets and quotes."""
    parts, depth, at, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        quoted ^= c == '"'
        depth += 0 if quoted else (c in "{[(") - (c in "}])")
        if c == "," and depth == 0 and not quoted:
            parts.append(text[at:i].strip())
            at = i + 1
    return parts + [text[at:].strip()] if text.strip() else []


def same(a, b):
    """Of numbers: as such."""
    try:
        return a == b or ("." in a + b and float(a) == float(b))
    except ValueError:
        return False


def compare(shown, expected, counts):
    """Whether nothing in SHOWN is untrue."""
    if isinstance(expected, tuple):  # a string_view: its text, or its members
        text, length = expected
        if shown.startswith("{"):
            members = dict(part.split("=", 1) for part in split(shown[1:-1]))
            address = members.get("_M_str", "?")
            counts["unknown" if address in ("?", "<unused>") else "known"] += 1
            return compare(members.get("_M_len", "?"), str(length), counts) and address != "nullptr"
        expected = text
    if isinstance(expected, list) and shown not in ("?", "<unused>") and shown.startswith("{"):
        parts = [part.split("=", 1) for part in split(shown[1:-1])]
        return len(parts) == len(expected) and all([name == want and compare(value, truth, counts)
                                                    for (name, value), (want, truth) in zip(parts, expected)])
    n = len(expected) if isinstance(expected, list) else 1
    if shown in ("?", "<unused>"):
        counts["unknown"] += n
        return True
    counts["known"] += n
    return not isinstance(expected, list) and same(shown, expected)


def run(seed, cxx, flags, directory, name):
    """Counts of known and unknown values, and what is wrong."""
    program = Program(seed)
    os.makedirs(directory, exist_ok=True)
    for i, text in enumerate(program.units):
        with open(os.path.join(directory, f"unit{i}.cpp"), "w") as f:
            f.write(text)
    session = os.path.join(directory, "session")
    subprocess.run(["rm", "-rf", session], check=True)
    subprocess.run([*cxx, "-w", "-g", "-std=c++17", *flags, "unit0.cpp", "unit1.cpp", "-o", "program"], cwd=directory, check=True)
    environment = {**os.environ, "ADA_OPTIONS": "session=session:detail=*:stack_size=256:strings=32"}
    subprocess.run(["./program"], cwd=directory, env=environment, check=True)
    tree = subprocess.run(["adatrace", "tree", "--args", "--no-fold", session], check=True, capture_output=True, text=True).stdout
    counts, wrong = collections.Counter(), []
    left = {n: list(calls) for n, calls in program.calls.items()}
    for line in tree.splitlines():
        found = re.search(r"\b(f\d+)(?:<1>)?\((.*)\) (?:→|\[inlined\]$)|\b(f\d+)(?:<1>)?\((.*)\)$", line)
        if not found:
            continue
        function, text = (found[1], found[2]) if found[1] else (found[3], found[4])
        shown = [part.split("=", 1)[-1] if re.match(r"\w+=", part) else part for part in split(text)]
        names = [part.split("=", 1)[0] if re.match(r"\w+=", part) else "" for part in split(text)]
        if names and names[0] == "this":
            shown = shown[1:]
        if shown and shown[-1].endswith("…"):  # tree ends a long line there
            continue
        # Calls that were inlined are not there; a function's others are in any order.
        best = None
        for values in left.get(function, []):
            more, bad = collections.Counter(), []
            if len(shown) != len(values):
                bad.append(f"{line.strip()}: {len(values)} arguments")
            for at, (value, truth) in enumerate(zip(shown, values)):
                if not compare(value, truth.shown, more):
                    bad.append(f"{line.strip()}: argument {at} of type {truth.type} is {truth.shown}")
            if best is None or len(bad) < len(best[1]):
                best = more, bad, values
        if best:
            counts += best[0]
            wrong += best[1]
            left[function].remove(best[2])
    if not counts:
        wrong.append("nothing was compared")
    return counts, [f"seed {seed} {name}: {w}" for w in wrong]


MODES = {"-O0": ["-O0"], "-O1": ["-O1"], "-O2": ["-O2"], "-O3": ["-O3"], "early": ["-O2", "--ada-before-inlining"], "lto": ["-O2", "-flto"],
         "thin": ["-O2", "-flto=thin"], "early-lto": ["-O2", "-flto", "--ada-before-inlining"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("ADA_SEED", "0")) or time.time_ns() // 1000 % 10**9)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--modes", default="", help="separated by commas; two at random unless given")
    arguments = parser.parse_args()
    modes = arguments.modes.split(",") if arguments.modes else random.Random(arguments.seed).sample(list(MODES), 2)
    failed = False
    for mode in modes:
        counts, wrong = collections.Counter(), []
        for seed in range(arguments.seed, arguments.seed + arguments.seeds):
            more, bad = run(seed, arguments.cxx.split(), MODES[mode], arguments.dir, mode)
            counts += more
            wrong += bad
        print("\n".join(wrong[:20]))
        total = sum(counts.values())
        print(f"seed {arguments.seed} {mode}: {total} values, {len(wrong)} wrong, {100 * counts['unknown'] / max(1, total):.1f} % unknown")
        failed |= bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
