"""Random programs whose calls, output and results are known beforehand.

A program is made of functions fn0, fn1, … that call each other. Each exists twice: as C or C++ text, in one of many
shapes (how arguments and results are passed, how it is reached), and as a small model that is run here. Running the
model gives every call and exit in order, and the text that the program prints. Nothing of it comes from the compiler.

All functions compute an unsigned result from two unsigned values: `n`, how much deeper calls may go, and `x`. The
function's actions depend on them: it calls others, once, in a loop or one of two; it throws; it catches, swallows or
rethrows; it has a destructor to run that makes calls, too. Its text hides that from the compiler (noinline, empty asm
statements), so that -O2 must make the same calls.
"""
import random

CALL, RETURN, EXCEPTION = 1, 2, 3
MASK = 0xFFFFFFFF


class Thrown(Exception):
    def __init__(self, value, is_int):
        self.value, self.is_int = value, is_int


# The shapes of a function: its declaration, how n and x are taken from its parameters, how r becomes its result, the
# call.
# {f} is its name, {n} and {x} the arguments of a call.
C_SHAPES = {
    "plain": ("unsigned {f}(unsigned n, unsigned x)", "", "r", "{f}({n}, {x})"),
    "pointer": ("unsigned {f}(unsigned n, unsigned x)", "", "r", "{f}_pointer({n}, {x})"),
    "variadic": ("unsigned {f}(unsigned n, ...)",
                 "va_list list; va_start(list, n); unsigned x = va_arg(list, unsigned); "
                 "if (va_arg(list, double) != x || va_arg(list, long) != -7) x = 0; va_end(list);",
                 "r", "{f}({n}, {x}, (double)({x}), -7L)"),
    "small": ("struct Small {f}(struct Small a)", "unsigned n = a.n, x = a.x;", "(struct Small){n, r}",
              "{f}((struct Small){{{n}, {x}}}).x"),
    "mixed": ("struct Mixed {f}(unsigned n, struct Mixed a)", "unsigned x = a.x; if (a.d != x) x = 0;",
              "(struct Mixed){1.5, r}", "{f}({n}, (struct Mixed){{(double)({x}), {x}}}).x"),
    "large": ("struct Large {f}(struct Large a, unsigned n)", "unsigned x = a.x; if (a.tail[5] != 3) x = 0;",
              "(struct Large){0, r, {0}}", "{f}((struct Large){{0, {x}, {{0, 0, 0, 0, 0, 3}}}}, {n}).x"),
    "longdouble": ("long double {f}(long double a, unsigned n)", "unsigned x = (unsigned)a;", "(long double)r",
                   "(unsigned){f}((long double)({x}), {n})"),
    "double": ("double {f}(float n_, double a)", "unsigned n = (unsigned)n_, x = (unsigned)a;", "(double)r",
               "(unsigned){f}((float)({n}), (double)({x}))"),
    "complex": ("_Complex double {f}(_Complex double a, _Complex long double b)",
                "unsigned n = (unsigned)__real__ a, x = (unsigned)__imag__ a; if (__imag__ b != x) x = 0;",
                "__builtin_complex(1.0, (double)r)",
                "(unsigned)__imag__ {f}(__builtin_complex((double)({n}), (double)({x})), "
                "__builtin_complex(0.0L, (long double)({x})))"),
    "vector": ("V4 {f}(V4 a, V4 b)", "unsigned n = a[0], x = b[3];", "(V4){0, 0, r, 0}",
               "{f}((V4){{{n}, 0, 0, 0}}, (V4){{0, 0, 0, {x}}})[2]"),
    "int128": ("unsigned __int128 {f}(unsigned __int128 a)", "unsigned n = (unsigned)(a >> 64), x = (unsigned)a;",
               "((unsigned __int128)r << 64)",
               "(unsigned)({f}((unsigned __int128)({n}) << 64 | ({x})) >> 64)"),
    "many": ("unsigned {f}(int a, long b, int c, int d, int e, int g, double p, double q, double s, double t, double u, "
             "double v, double w, double y, double z, unsigned n, unsigned x)",
             "if (a + b + c + d + e + g != 21 || p + q + s + t + u + v + w + y + z != 45) x = 0;", "r",
             "{f}(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8, 9, {n}, {x})"),
}
CXX_SHAPES = {
    "inline": ("inline unsigned {f}(unsigned n, unsigned x)", "", "r", "{f}({n}, {x})"),
    "static": ("static unsigned {f}(unsigned n, unsigned x)", "", "r", "{f}({n}, {x})"),
    "template": ("template <class T> NOINLINE T {f}(unsigned n, T x_)", "unsigned x = (unsigned)x_;", "(T)r",
                 "(unsigned){f}<unsigned long>({n}, {x})"),
    "deduced": ("template <class... Ts> NOINLINE unsigned {f}(Ts... all)",
                "unsigned values[] = {(unsigned)all...}; unsigned n = values[0], x = values[1];", "r",
                "{f}({n}, {x}, 'c')"),
    "member": ("unsigned {f}m::call(unsigned n, unsigned x)", "if (self != this) x = 0;", "r",
               "{f}m::object.call({n}, {x})"),
    "memberpointer": ("unsigned {f}m::call(unsigned n, unsigned x)", "if (self != this) x = 0;", "r",
                      "({f}m::object.*{f}m::pointer)({n}, {x})"),
    "virtual": ("unsigned {f}v::call(unsigned n, unsigned x)", "x += bias;", "r", "{f}v::pointer->call({n}, {x})"),
    "lambda": ("unsigned {f}(unsigned n, unsigned x)", "", "r", "{f}({n}, {x})"),
    "object": ("Object {f}(Object a, unsigned n)", "unsigned x = a.x;", "Object(r)", "{f}(Object({x}), {n}).x"),
}
# Shapes whose text is in the header, so that both C++ files have it.
IN_HEADER = {"inline", "static", "template", "deduced"}

PRELUDE = """#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline))
#define KEEP(v) __asm__ volatile("" : "+r"(v) : : "memory")
typedef unsigned V4 __attribute__((vector_size(16)));
struct Small { unsigned n, x; };
struct Mixed { double d; unsigned x; };
struct Large { long pad; unsigned x; char tail[40]; };
"""
CXX_PRELUDE = """#ifndef __clang__ // g++ has this for C only
#define __builtin_complex makeComplex
__attribute__((always_inline)) static inline _Complex double makeComplex(double a, double b) {
  _Complex double c; __real__ c = a; __imag__ c = b; return c;
}
__attribute__((always_inline)) static inline _Complex long double makeComplex(long double a, long double b) {
  _Complex long double c; __real__ c = a; __imag__ c = b; return c;
}
#endif
struct Failure { unsigned value; };
struct Object { // is passed by reference, for it has a destructor
  unsigned x;
  Object *self;
  explicit Object(unsigned v) : x(v), self(this) {}
  Object(const Object &o) : x(o.self == &o ? o.x : 0), self(this) {}
  ~Object() { self = nullptr; }
};
struct Other { virtual unsigned other() { return 0; } };
extern volatile unsigned sink;
"""


class Function:
    def __init__(self, number, shape, language):
        self.number, self.shape, self.language = number, shape, language
        self.name = f"fn{number}"
        self.actions = []
        self.start, self.factor, self.end = 0, 1, 0

    @property
    def parts(self):
        return (C_SHAPES | CXX_SHAPES)[self.shape]

    def call(self, n, x):
        return self.parts[3].format(f=self.name, n=n, x=x)


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.functions = self._make_functions()
        self.depth = 6
        while True:
            self._choose_roots()
            self.threads = []
            sums = [self._run_roots(self.static_roots, None), self._run_roots(self.roots[0], None)]
            main = self.threads[0] + self.threads[1]
            self.threads = [main]
            sums += [self._run_roots(roots, f) for f, roots in zip(self.starts, self.roots[1:])]
            events = sum(map(len, self.threads))
            if 300 <= events <= 40000:
                break
            self.depth += 1 if events < 300 else -1
        total = 0
        for s in sums:
            total = (total * 31 + s) & MASK
        self.output = f"{total}\n"
        self.status = total & 63

    # === making it up ===

    def _make_functions(self):
        r = self.random
        shapes = [(s, "c") for s in C_SHAPES] + [(s, "cpp") for s in C_SHAPES] + [(s, "cpp") for s in CXX_SHAPES]
        shapes += [r.choice(shapes) for _ in range(8)]
        r.shuffle(shapes)
        functions = [Function(i, *s) for i, s in enumerate(shapes)]
        self.starts = [Function(len(functions) + i, "thread", "cpp") for i in range(3)]
        for f in functions:
            f.start, f.end, f.factor = r.getrandbits(32), r.getrandbits(32), r.getrandbits(31) * 2 + 1
            # C can only call functions that C can declare.
            reachable = [g for g in functions if f.language == "cpp" or g.shape in C_SHAPES]
            pick = lambda: r.choice(reachable)
            kinds = ["call", "call", "either", "loop"]
            if f.language == "cpp":
                kinds += ["catch", "catchall", "rethrow", "throw", "guard", "swap"]
            for _ in range(r.randint(1, 3)):
                kind = r.choice(kinds)
                f.actions.append((kind, r.randrange(24), pick(), pick(), r.getrandbits(32)))
        return functions

    def _choose_roots(self):
        r = self.random
        self.roots = [[(r.choice(self.functions), r.getrandbits(32)) for _ in range(k)] for k in (6, 4, 4, 2)]
        self.static_roots = [(r.choice(self.functions), r.getrandbits(32)) for _ in range(2)]

    # === the model ===

    def _run_roots(self, roots, start):
        """A thread's root calls, each in its own try block."""
        steps = []
        self.threads.append(steps)
        if start:
            steps.append((CALL, start.name))
        total = 0
        for function, x in roots:
            try:
                total = (total * 7 + self._run(function, self.depth, x, steps)) & MASK
            except Thrown as t:
                total = (total ^ (t.value if t.is_int else 99)) & MASK
        if start:
            steps.append((RETURN, start.name))
        return total

    def _run(self, f, n, x, steps):
        names = [f.name, f.name + "$"] if f.shape == "lambda" else [f.name]
        steps += [(CALL, name) for name in names]
        try:
            result = self._body(f, n, x, steps)
        except Thrown:
            steps += [(EXCEPTION, name) for name in reversed(names)]
            raise
        steps += [(RETURN, name) for name in reversed(names)]
        return result

    def _body(self, f, n, x, steps):
        if f.shape == "virtual":
            x = (x + f.number) & MASK
        r = (x * f.factor + f.start) & MASK
        if n == 0:
            return r
        run = lambda g, v: self._run(g, n - 1, v & MASK, steps)
        guards = []
        try:
            for kind, shift, g, h, constant in f.actions:
                bit = r >> shift & 1
                if kind == "call":
                    if bit:
                        r = r + run(g, r ^ constant)
                elif kind == "either":
                    r = r * 3 + run(g if bit else h, r ^ constant)
                elif kind == "loop":
                    for i in range(2):
                        r = (r + run(g, r + i)) & MASK
                elif kind == "throw":
                    if r >> shift & 3 == 1:
                        raise Thrown(r & 255, True)
                    if r >> shift & 3 == 2 and n < 3:
                        raise Thrown(r, False)
                elif kind == "catch":
                    try:
                        r = r + run(g, r ^ constant)
                    except Thrown as t:
                        if not t.is_int:
                            raise
                        r = r * 5 + t.value
                elif kind == "catchall":
                    try:
                        r = r + run(g, r ^ constant)
                    except Thrown:
                        r = r ^ constant
                elif kind == "rethrow":
                    try:
                        r = r + run(g, r ^ constant)
                    except Thrown:
                        if bit:
                            raise
                        r = r + 1
                elif kind == "swap":
                    try:
                        r = r + run(g, r ^ constant)
                    except Thrown as t:
                        if not t.is_int:
                            raise
                        raise Thrown(constant, False) from None
                elif kind == "guard":
                    guards.append((h, constant))
                r &= MASK
        finally:
            for h, constant in reversed(guards):
                self._run(h, 0, constant, steps)
        return r ^ f.end

    # === the text ===

    def _statements(self, f):
        """The body according to the model, between `r` set from `x` and `r` returned."""
        out = [f"unsigned r = x * {f.factor}u + {f.start}u;", "KEEP(r);", "if (n != 0) {"]
        for i, (kind, shift, g, h, constant) in enumerate(f.actions):
            call = g.call("n - 1", f"(r ^ {constant}u)")
            bit = f"(r >> {shift} & 1)"
            out += {
                "call": [f"if {bit} r += {call};"],
                "either": [f"r = r * 3 + ({bit} ? {call} : {h.call('n - 1', f'(r ^ {constant}u)')});"],
                "loop": [f"for (unsigned i = 0; i < 2; ++i) r += {g.call('n - 1', '(r + i)')};"],
                "throw": [f"if ((r >> {shift} & 3) == 1) throw (int)(r & 255);",
                          f"if ((r >> {shift} & 3) == 2 && n < 3) throw Failure{{r}};"],
                "catch": [f"try {{ r += {call}; }} catch (int e) {{ r = r * 5 + (unsigned)e; }}"],
                "catchall": [f"try {{ r += {call}; }} catch (...) {{ r ^= {constant}u; }}"],
                "rethrow": [f"{{ unsigned b = {bit};",
                            f"try {{ r += {call}; }} catch (...) {{ if (b) throw; r += 1; }} }}"],
                "swap": [f"try {{ r += {call}; }} catch (int) {{ throw Failure{{{constant}u}}; }}"],
                "guard": [f"struct Guard{i} {{ ~Guard{i}() {{ sink = {h.call('0', f'{constant}u')}; }} }} guard{i};"],
            }[kind]
            out.append("KEEP(r);")
        if any(a[0] == "guard" for a in f.actions):
            # The result is fixed before the destructors run.
            out += [f"r ^= {f.end}u; KEEP(r); return {self._result(f)};", "}"]
            return out + ["KEEP(r);", f"return {self._result(f)};"]
        return out + [f"r ^= {f.end}u;", "}", "KEEP(r);", f"return {self._result(f)};"]

    @staticmethod
    def _result(f):
        return "r" if f.shape == "lambda" else f.parts[2]

    def _definition(self, f):
        head, unpack, _, _ = f.parts
        statements = "\n  ".join(self._statements(f))
        if f.shape == "lambda":
            statements = ("unsigned captured = x; auto body = [&captured](unsigned n) NOINLINE -> unsigned {\n"
                          f"  unsigned x = captured;\n  {statements}\n  }};\n"
                          "  unsigned result = body(n); KEEP(result); return result;")
        linkage = 'extern "C" ' if f.language == "cpp" and f.shape in C_SHAPES else ""
        attribute = "" if f.shape in ("member", "memberpointer", "virtual", "template", "deduced") else "NOINLINE "
        unpack = unpack and "  " + unpack + "\n"
        return f"{linkage}{attribute}{head.format(f=f.name)} {{\n{unpack}  {statements}\n}}\n"

    def _declaration(self, f):
        head = f.parts[0].format(f=f.name) + ";"
        if f.shape == "pointer":
            head += f"\nextern unsigned (*volatile {f.name}_pointer)(unsigned, unsigned);"
        elif f.shape in ("member", "memberpointer"):
            return (f"struct {f.name}m {{ {f.name}m *self = this; NOINLINE unsigned call(unsigned, unsigned);\n"
                    f"  static {f.name}m object; static unsigned ({f.name}m::*volatile pointer)(unsigned, unsigned); }};")
        elif f.shape == "virtual":
            return (f"struct {f.name}base {{ virtual unsigned call(unsigned, unsigned) = 0; }};\n"
                    f"struct {f.name}v : Other, {f.name}base {{ unsigned bias = {f.number};\n"
                    f"  NOINLINE unsigned call(unsigned, unsigned) override; static {f.name}base *volatile pointer; }};")
        return head

    def _variables(self, f):
        n = f.name
        return {
            "pointer": f"unsigned (*volatile {n}_pointer)(unsigned, unsigned) = {n};\n",
            "member": f"{n}m {n}m::object; unsigned ({n}m::*volatile {n}m::pointer)(unsigned, unsigned);\n",
            "memberpointer": f"{n}m {n}m::object; unsigned ({n}m::*volatile {n}m::pointer)(unsigned, unsigned) = "
                             f"&{n}m::call;\n",
            "virtual": f"static {n}v {n}object; {n}base *volatile {n}v::pointer = &{n}object;\n",
        }.get(f.shape, "")

    def _root_calls(self, roots):
        out = []
        for f, x in roots:
            out.append(f"  try {{ unsigned v = {f.call(f'{self.depth}u', f'{x}u')}; total = total * 7 + v; }}\n"
                       "  catch (int e) { total ^= (unsigned)e; } catch (const Failure &) { total ^= 99; }\n")
        return "".join(out)

    def files(self):
        """{name: text}"""
        c = [f for f in self.functions if f.shape in C_SHAPES]
        cxx = [f for f in self.functions if f.shape in CXX_SHAPES]
        header = PRELUDE + '#ifdef __cplusplus\nextern "C" {\n#endif\n'
        header += "".join(self._declaration(f) + "\n" for f in c)
        header += "#ifdef __cplusplus\n}\n" + CXX_PRELUDE + "".join(self._declaration(f) + "\n" for f in cxx)
        header += "".join(self._definition(f) for f in cxx if f.shape in IN_HEADER) + "#endif\n"
        texts = {name: '#include "shared.h"\n' for name in ("main.cpp", "more.cpp", "part.c")}
        for i, f in enumerate(f for f in self.functions if f.shape not in IN_HEADER):
            name = "part.c" if f.language == "c" else ("main.cpp", "more.cpp")[i % 2]
            texts[name] += self._definition(f) + self._variables(f)
        main = "volatile unsigned sink;\nstatic unsigned results[4];\n"
        main += "static unsigned atStart() {\n  unsigned total = 0;\n" + self._root_calls(self.static_roots)
        main += "  return total;\n}\n"
        # The objects that the calls use need no code to be initialised, so the order of the files does not matter.
        main += "static unsigned early = atStart();\n"
        for i, (f, roots) in enumerate(zip(self.starts, self.roots[1:])):
            main += f'extern "C" void *{f.name}(void *) {{\n  unsigned total = 0;\n{self._root_calls(roots)}'
            main += f"  results[{i + 1}] = total;\n  return nullptr;\n}}\n"
        main += "int main() {\n  pthread_t threads[3];\n"
        main += "".join(f"  pthread_create(&threads[{i}], nullptr, {f.name}, nullptr);\n"
                        for i, f in enumerate(self.starts))
        main += "  unsigned total = 0;\n" + self._root_calls(self.roots[0]) + "  results[0] = total;\n"
        main += "  for (pthread_t t : threads) pthread_join(t, nullptr);\n  total = early;\n"
        main += "  for (unsigned r : results) total = total * 31 + r;\n"
        main += '  printf("%u\\n", total);\n  return total & 63;\n}\n'
        return {"shared.h": header, **{n: t + (main if n == "main.cpp" else "") for n, t in texts.items()}}
