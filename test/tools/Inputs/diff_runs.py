"""Writes texts for ada-make-session: six noisy runs a1 to a6 and six b1 to b6; in b, `handle` is called twice as
often and `slow` takes 4 % longer."""
import random

random.seed(2)
for side in "ab":
    for run in range(1, 7):
        machine = random.gauss(1, 0.003)
        lines = ["process 7", "function 1 quiet q.c:1", "function 2 slow s.c:2", "function 3 _Z6handlei h.c:3", "thread 0 tid 7 name main"]
        time = 1000
        for i in range(40):
            calls = [("quiet", 1), ("slow", 1.04 if side == "b" else 1)] + [("_Z6handlei", 1)] * (2 if side == "b" else 1)
            for name, factor in calls:
                lines.append(f"{time} call {name}")
                time += round(1000 * machine * factor * random.gauss(1, 0.03))
                lines.append(f"{time} return {name}")
        with open(f"{side}{run}.txt", "w") as out:
            out.writelines(f"T: {line}\n" for line in lines)
