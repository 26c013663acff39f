#!/usr/bin/env python3
"""Writes a C++ program that does the same in each run, or that with one change.

Usage: changed_program.py SEED > program.cpp

`program` is the version before, `program CHANGE` the one after: `more` (a function takes 20 % longer), `huge` (one takes
50 times as long), `lock` (a lock goes, which a thread held for long), `gone` (a function goes that was called often).
Functions, their sizes and how they call each other, threads, and whether work is a loop or lasts until a time, depend on
SEED. Parts of the program never do exactly the same: a background thread, a function that is called by chance, sizes.
"""
import random
import sys

HEAD = r"""
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#define KEEP __attribute__((noinline))
#define INSIDE static inline __attribute__((always_inline))
INSIDE uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000 + uint64_t(t.tv_nsec);
}
INSIDE uint64_t next(uint64_t &state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
INSIDE void spinNs(uint64_t ns) {
  const uint64_t until = now() + ns;
  while (now() < until)
    ;
}
INSIDE void loopNs(uint64_t ns, uint64_t &state) { // about that long
  for (uint64_t i = 0; i < ns; ++i)
    next(state);
  __asm__ volatile("" : : "r"(state));
}
static std::mutex table;
static std::atomic<bool> stop{false};
static bool isMore, isHuge, isFree, isGone;
"""


def program(seed):
    r = random.Random(f"change {seed}")
    threads = r.choice([1, 1, 2, 3])
    calls = r.randrange(400, 1600) // threads
    work = r.choice(["loopNs({}, state)", "spinNs({})"])
    functions = r.randrange(4, 14)
    text, order = HEAD, []
    more, huge = r.sample(range(functions), 2)
    for number in range(functions):
        own = int(2 ** r.uniform(9, 15.5))  # 0.5 to 45 us
        if number == more:
            own = max(own, 8000)
        if number == huge:
            own = min(own, 3000)
        cost = f"{own} + next(state) % {max(2, int(own * r.uniform(0.02, 0.8)))}"
        times = "* (isMore ? 1.2 : 1)" if number == more else "* (isHuge ? 50 : 1)" if number == huge else ""
        inside = ""
        if order and r.random() < 0.5:  # one of the others is called from here instead
            callee = order.pop(r.randrange(len(order)))
            inside = f"  {callee[0]}(state);\n" if r.random() < 0.7 else f"  for (int i = 0; i < {r.randrange(2, 4)}; ++i)\n    {callee[0]}(state);\n"
        text += f"KEEP void step{number}(uint64_t &state) {{\n  {work.format(f'uint64_t(({cost}) {times})')};\n{inside}  __asm__ volatile(\"\");\n}}\n"
        order.append((f"step{number}", number))
    held = r.randrange(200_000, 800_000)
    text += f"""
KEEP void log(uint64_t &state) {{ {work.format(r.randrange(300, 3000))}; }}
KEEP void retry(uint64_t &state) {{ {work.format(r.randrange(2000, 20000))}; }}
KEEP void guarded(uint64_t &state) {{
  if (!isFree) {{
    std::lock_guard<std::mutex> hold(table);
    {work.format(r.randrange(200, 900))};
  }} else
    {work.format(r.randrange(200, 900))};
}}
KEEP void compact(uint64_t &state) {{
  std::lock_guard<std::mutex> hold(table);
  usleep({held // 1000});
}}
KEEP void sweep() {{
  uint64_t state = 7;
  while (!stop) {{
    compact(state);
    usleep({r.randrange(300, 3000)});
  }}
}}
KEEP void handle(uint64_t &state) {{
"""
    for name, _ in order:
        text += f"  {name}(state);\n"
    text += f"""  if (!isGone)
    for (int i = 0; i < {r.randrange(1, 5)}; ++i)
      log(state);
  if (now() % {r.choice([20, 200, 1000])} == 0)
    retry(state);
  guarded(state);
}}
KEEP void serve(uint64_t seed) {{
  uint64_t state = seed;
  std::vector<char> memory({r.randrange(1, 40)} << 16);
  memset(memory.data(), 1, memory.size());
  for (int i = 0; i < {calls}; ++i)
    handle(state);
}}
int main(int argc, char **argv) {{
  const char *change = argc > 1 ? argv[1] : "";
  isMore = !strcmp(change, "more"), isHuge = !strcmp(change, "huge"), isFree = !strcmp(change, "lock"), isGone = !strcmp(change, "gone");
  std::thread background(sweep);
  std::vector<std::thread> servers;
  for (uint64_t i = 0; i < {threads}; ++i)
    servers.emplace_back(serve, {r.randrange(1, 2**62)} + i);
  for (std::thread &server : servers)
    server.join();
  stop = true;
  background.join();
  return 0;
}}
"""
    return text, {"more": f"step{more}", "huge": f"step{huge}", "lock": "guarded", "gone": "log"}


if __name__ == "__main__":
    print(program(int(sys.argv[1]))[0])
