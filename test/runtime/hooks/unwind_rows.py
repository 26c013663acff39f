"""unwind_rows.py SYMBOLS FRAMES: prints llvm-dwarfdump's rows for each of the symbols (name, address in
hexadecimal)."""
import re
import sys

symbols = sorted((int(a, 16), n) for n, a in (line.split() for line in open(sys.argv[1])))
blocks = re.split(r"\n(?=[0-9a-f]{8,16} )", open(sys.argv[2]).read())
for address, name in symbols:
    print(name)
    for block in blocks:
        found = re.search(r"FDE .*pc=([0-9a-f]+)\.\.\.", block)
        if found and int(found[1], 16) == address:
            for row in re.findall(r"0x[0-9a-f]+: (CFA=.*)", block):
                order = ["RAX", "RDX", "RCX", "RSI", "RDI", "R8", "R9", "R10", "RIP"]
                cfa, _, rest = row.partition(": ")
                registers = dict(r.split("=", 1) for r in rest.split(", ") if r)
                shown = [f"{r}={registers.pop(r)}" for r in order if r in registers]
                print(cfa + ": " + ", ".join(shown + [f"{r}={v}" for r, v in registers.items()]))
