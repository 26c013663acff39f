# A session's text for make_session: 2,500 calls of 100 functions, all neighbours different, with durations over five
# powers of ten.
import random

random.seed(3)
print("T: process 42\nT: module 0 /bin/app 00ff\nT: function 0 main main.c:1")
for f in range(1, 101):
    print(f"T: function {f} f{f}")
print("T: thread 0 tid 42 name main\nT: 0 call main")
now = 0
for _ in range(2500):
    f, g, length = random.randint(1, 50), random.randint(51, 100), int(10 ** random.uniform(1, 6))
    print(f"T: {now} call f{f}\nT: {now + 1} call f{g}\nT: {now + length // 2} return f{g}\nT: {now + length} return f{f}")
    now += length + 5
print(f"T: {now} return main")
