"""Prints a session of random calls for ada-make-session. Usage: random_session.py SEED EVENTS"""
import random
import sys

seed, events = int(sys.argv[1]), int(sys.argv[2])
choose = random.Random(seed)
names = ["main", "f", "g", "std::vector<int>::push_back(int&&)", "ü::naïve()", "h'--;\"x\""]
print("T: process 4711")
for number, name in enumerate(names):
    print(f"T: function {number + 1} {name.replace(' ', '')} src/a.cpp:{number + 1}")
for thread in range(3):
    print(f"T: thread {thread} tid {4711 + thread} name t{thread}")
    now, stack = 1000 + thread, []
    for _ in range(events // 3):
        now += choose.randrange(1, 400)
        if len(stack) < 12 and (not stack or choose.random() < 0.51):
            stack.append(choose.randrange(len(names)) + 1)
            print(f"T: {now} call {stack[-1]}")
        else:
            kind = "exception" if choose.random() < 0.03 else "return"
            end = len(stack) - 1 if choose.random() < 0.98 else choose.randrange(len(stack))  # an outer call's end
            print(f"T: {now} {kind} {stack[end]}")
            del stack[end:]
