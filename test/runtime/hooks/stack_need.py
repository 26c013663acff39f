"""stack_need.py RUNTIME: what code of the runtime that must not meet the end of a stack needs of it, at most, according
to the machine code (x86-64, GNU objdump; of GCC, since clang keeps callees in registers). A line for each place: its need, what it has, and its name; then the chain of
calls. Exits with status 1 if one needs more than it has, or if a function that programs call does not align its stack.
See runtime/os/linux/signals_blocked.h."""
import re
import sys

from adatest import run

# What is called through pointers, by the caller; None: a function that ada_run_on_stack() runs has a line of its own.
POINTERS = {
    "ada_run_on_stack": [],
    "ada::runtime::(anonymous namespace)::prepare": ["ada::runtime::(anonymous namespace)::lockForFork"],
    "ada::runtime::(anonymous namespace)::parent": ["ada::runtime::(anonymous namespace)::parentAfterFork"],
    "ada::runtime::(anonymous namespace)::child": ["ada::runtime::(anonymous namespace)::childAfterFork"],
    "ada::runtime::readKernelClockQuickly": ["the kernel"],
}
# fork() calls these, too, while signals are blocked; prepare() has touched the stack.
IN_FORK = ["ada::runtime::(anonymous namespace)::parent", "ada::runtime::(anonymous namespace)::child"]
# Functions that call themselves, and how many may be active: alternatives in a glob, parentheses in brackets.
DEPTH = {"ada::select::Glob::compile": 10, "ada::select::endOfBrackets": 2}
# What docs/reference/reliability.md says that hooks need; what the functions of trampolines.S push before these calls,
# with return addresses; and what that is without: the allocator of a program with many thread-specific values, and the
# first event of a function with the contents of arguments.
MOST_OF_HOOK = 1280
HOOKS = {"ada_record_slow": 88, "ada_record_detail": 216}
RARE = ["touchStack<8192ul>", "ArgumentContents::of("]
# What trampolines.S and libc call, besides exported functions.
EVENTS = ["threadExit", "prepare", "parent", "child", "quickExit", "fatalSignal(int, siginfo_t*, void*)"]
CALLED_BACK = ["ada_record_slow", "ada_record_detail", "ada_at_exit", *(f"ada::runtime::(anonymous namespace)::{e}" for e in EVENTS)]
# What a function of libc, or of the kernel's in the process, is assumed to need. glibc's need less than half of it.
OUTSIDE = 256
RED_ZONE = 128


class Function:
    def __init__(self, name):
        self.name = re.sub(r" \[clone.*", "", name)
        self.lines = []  # (address, mnemonic, operands)
        self.own = 0     # how far it moves the stack pointer
        self.calls = []  # (index of the line, position of the stack pointer, address or name)

    def isNamed(self, name):
        return self.name == name or self.name.startswith(name + "(")


def objdump(*arguments):
    return run("objdump", *arguments).splitlines()


def read(runtime):
    """The functions by address, and the names of imported functions by the address of their slot."""
    slots, functions, current = {}, {}, None
    for line in objdump("-R", runtime):
        if found := re.match(r"([0-9a-f]{16}) R_X86_64_GLOB_DAT +([\w.]+)", line):
            slots[int(found[1], 16)] = found[2]
    for line in objdump("-dwC", "--no-show-raw-insn", runtime):
        if found := re.match(r"([0-9a-f]{16}) <(.*)>:$", line):
            current = functions[int(found[1], 16)] = Function(found[2])
        elif found := re.match(r" +([0-9a-f]+):\t(?:(?:addr32|data16|bnd|notrack|lock|rep\w*|cs) )*(\S+)(?: +(.*))?$", line):
            current.lines.append((int(found[1], 16), found[2], found[3] or ""))
    return functions, slots


def jumpTarget(operands):
    found = re.match(r"([0-9a-f]+) <", operands)
    return int(found[1], 16) if found else None


def moved(name, operands, depth, frame):
    """The stack pointer's new depth and the depth that %rbp stands for, after an instruction."""
    amount = re.match(r"\$(-?0x[0-9a-f]+),%rsp$", operands)
    if name == "push":
        return depth + 8, frame
    if name == "pop":
        return depth - 8, frame
    if name in ("sub", "add") and amount:
        return depth + int(amount[1], 16) * (1 if name == "sub" else -1), frame
    if name == "and" and (mask := re.match(r"\$0x([0-9a-f]+),%rsp$", operands)):
        return depth + (1 << 64) - int(mask[1], 16), frame
    if name == "mov" and operands == "%rsp,%rbp":
        return depth, depth
    if name == "mov" and operands == "%rbp,%rsp":
        return frame, frame
    if name == "leave":
        return frame - 8, frame
    if name == "lea" and (found := re.match(r"(-?0x[0-9a-f]+)\(%(rbp|rsp)\),%rsp$", operands)):
        return (frame if found[2] == "rbp" else depth) - int(found[1], 16), frame
    if name == "lea" and re.match(r"-0x8\(%r10\),%rsp$", operands):
        return -8, frame  # as on entry
    if name not in ("cmp", "test") and operands.endswith(",%rsp") and operands != "%rdi,%rsp":  # ada_run_on_stack
        sys.exit(f"unknown: {name} {operands}")
    return depth, frame


def callees(f, operands, functions, slots):
    """The callees of a call: addresses, names of imported functions, or "*"."""
    if (to := jumpTarget(operands)) is not None:
        return [to]
    if slot := re.search(r"# ([0-9a-f]+)", operands):
        return [slots.get(int(slot[1], 16), "*")]
    return ["*"]


def measure(f, functions, slots):
    """Follows the function's jumps."""
    at = {address: i for i, (address, _, _) in enumerate(f.lines)}
    seen, work = {}, [(0, 0, None)]
    while work:
        i, depth, frame = work.pop()
        while i < len(f.lines) and depth > seen.get(i, -1):
            seen[i] = depth
            _, name, operands = f.lines[i]
            depth, frame = moved(name, operands, depth, frame)
            red = re.search(r"(?<![0-9a-fx])-0x([0-9a-f]+)\(%rsp", operands)
            f.own = max(f.own, depth, depth + int(red[1], 16) if red and int(red[1], 16) <= RED_ZONE else 0)
            to = jumpTarget(operands)
            isSwitch = name == "jmp" and operands.startswith("*%")
            if isSwitch:  # to anywhere below
                work += [(j, depth, frame) for j in range(i + 1, len(f.lines)) if j not in seen]
            elif name == "call" or (name == "jmp" and to not in at):
                for callee in callees(f, operands, functions, slots):
                    f.calls.append((i, depth + (8 if name == "call" else 0), callee))
            if name in ("ret", "ud2", "hlt") or (name == "jmp" and to not in at):
                break
            if name.startswith("j") and name != "jmp" and to in at:
                work.append((at[to], depth, frame))
            i = at[to] if name == "jmp" else i + 1


def reachable(f, start):
    """The lines that may run after the one with this index."""
    at = {address: i for i, (address, _, _) in enumerate(f.lines)}
    seen, work = set(), [start + 1]
    while work:
        i = work.pop()
        while i < len(f.lines) and i not in seen:
            seen.add(i)
            _, name, operands = f.lines[i]
            to = at.get(jumpTarget(operands))
            if name == "jmp" and operands.startswith("*%"):
                work += range(i + 1, len(f.lines))
            if name in ("ret", "ud2", "hlt") or (name == "jmp" and to is None):
                break
            if name.startswith("j") and to is not None:
                work.append(to)
                if name == "jmp":
                    break
            i += 1
    return seen


class Depths:
    def __init__(self, functions, without=()):
        self.functions, self.known, self.without = functions, {}, without

    def of(self, address, path=()):
        """What a call needs from the callee's first instruction on, and the chain of calls."""
        f = self.functions[address]
        if any(part in f.name for part in self.without):
            return 0, []
        times = max([n for name, n in DEPTH.items() if f.isNamed(name)], default=1)
        if address in path:
            return (0, ["…"]) if times > 1 else sys.exit(f"{f.name} calls itself: its need has no bound that is known here")
        if address not in self.known:
            need, chain = self.below(f, f.calls, path + (address,))
            self.known[address] = max(need, f.own) * times, [f"{f.own} {f.name}", *chain]
        return self.known[address]

    def below(self, f, calls, path):
        most = 0, []
        for _, depth, callee in calls:
            for need, chain in self.ofCallee(f, callee, path):
                most = max(most, (depth + need, chain), key=lambda m: m[0])
        return most

    def ofCallee(self, f, callee, path):
        if callee == "*":
            known = [names for caller, names in POINTERS.items() if f.isNamed(caller)]
            return known[0] and [self.ofNamed(name, path) for name in known[0]] if known else sys.exit(
                f"{f.name} calls through a pointer")
        return [self.of(callee, path) if isinstance(callee, int) else (OUTSIDE, [callee])]

    def ofNamed(self, name, path):
        found = [a for a, f in self.functions.items() if f.isNamed(name)]
        return self.of(found[0], path) if found else (OUTSIDE, [name])


def places(functions, depths):
    """(need, has, name, chain) of each place."""
    touches = {a: int(found[1]) for a, f in functions.items() if (found := re.search(r"touchStack<(\d+)ul>", f.name))}
    for address, f in functions.items():
        for i, depth, callee in f.calls:
            if callee in touches:
                after = reachable(f, i)
                need, chain = depths.below(f, [c for c in f.calls if c[0] in after and c[2] not in touches], (address,))
                yield max(0, need - (depth - 8)), touches[callee], f.name, chain
        if (own := re.match(r".*OwnStack<(\d+)ul>::run<.*\(void\*\)", f.name)):
            need, chain = depths.of(address)
            yield need, int(own[1]), f.name, chain
        if f.name in HOOKS:
            need, chain = Depths(functions, RARE).of(address)
            yield need + HOOKS[f.name], MOST_OF_HOOK, f.name, chain
        if any(f.isNamed(name) for name in IN_FORK):
            need, chain = depths.of(address)
            yield need, min(touches.values()), f.name, chain


def exported(runtime):
    return {found[1] for line in objdump("-T", runtime) if (found := re.match(r"\S+ g .*\.text\t.* (\S+)$", line))}


def aligns(f):
    return any(name == "and" and operands == "$0xfffffffffffffff0,%rsp" for _, name, operands in f.lines)


def main(runtime):
    functions, slots = read(runtime)
    for f in functions.values():
        measure(f, functions, slots)
    isWrong = False
    for need, has, name, chain in sorted(places(functions, Depths(functions)), key=lambda p: (p[1], -p[0])):
        print(f"{need} of {has}: {name}")
        print("".join(f"    {step}\n" for step in chain), end="")
        isWrong |= need > has
    names = exported(runtime)
    for f in functions.values():
        # One that only jumps to others leaves that to them.
        isAligned = aligns(f) or (f.own == 0 and not any(name == "call" for _, name, _ in f.lines)
                                  and all(aligns(functions[callee]) for _, _, callee in f.calls if callee in functions))
        isHook = re.match("__ada_(enter|exit|unwind|annotation_begin|annotation_end)$", f.name)  # trampolines.S
        isEntered = f.name in names or any(f.isNamed(name) for name in CALLED_BACK)
        if isEntered and f.calls and not isAligned and not isHook:
            print(f"{f.name} does not align its stack")
            isWrong = True
    sys.exit(isWrong)


main(sys.argv[1])
