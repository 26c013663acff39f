#!/usr/bin/env python3
"""Writes a C++ program whose function handle() is slow now and then, for a known reason.

Usage: planted_cause.py KIND SEED > program.cpp

KIND is one of the keys of CAUSES; `none` plants nothing. Sizes, rates, numbers of threads and noise depend on SEED. The
program prints how many calls it made slow, and how much longer they take, as JSON on its last line.
"""
import random
import sys

HEAD = r"""
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#define KEEP __attribute__((noinline))
#define HIDDEN __attribute__((noinline, no_instrument_function, annotate("ada_never")))

#define INSIDE static inline __attribute__((always_inline))
INSIDE uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000 + uint64_t(t.tv_nsec);
}
INSIDE void spinNs(uint64_t ns) {
  const uint64_t until = now() + ns;
  while (now() < until)
    ;
}
INSIDE uint64_t next(uint64_t &state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
HIDDEN void pin() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof(one), &one);
}
static std::mutex table;
static std::atomic<bool> stop{false};
static std::atomic<uint64_t> planted{0}, plantedNs{0};

KEEP void parse(uint64_t ns) { spinNs(ns); __asm__ volatile(""); }
KEEP void work(uint64_t ns) { spinNs(ns); __asm__ volatile(""); }
"""


def noise(r):
    "Nanoseconds of an ordinary call, as a C++ expression of the generator's state."
    base = r.randrange(4000, 30000)
    spread = r.randrange(1, base // 2)
    return f"({base} + next(state) % {spread})"


def program(kind, seed):
    r = random.Random(f"{kind} {seed}")
    calls = r.randrange(1500, 5000)
    every = r.randrange(80, 160)  # one call in that many is slow
    extra = r.randrange(300_000, 1_500_000)
    threads = r.choice([1, 1, 2])
    limit = r.randrange(500, 900)
    slow = f"next(state) % {every} == 0"
    mark = f"planted++, plantedNs += {extra};"
    pieces = {"globals": "", "body": "", "argument": "uint64_t size", "call": "next(state) % 400", "background": "",
              "before": ""}
    if kind == "own":
        pieces["body"] = f"if ({slow}) {{ {mark} spinNs({extra}); }}"
    elif kind == "callee":
        pieces["globals"] = f"KEEP void rebuild() {{ spinNs({extra}); __asm__ volatile(\"\"); }}"
        pieces["body"] = f"if ({slow}) {{ {mark} rebuild(); }}"
    elif kind == "argument":
        pieces["body"] = f"if (size >= {limit}) {{ {mark} work({extra}); }}"
        pieces["call"] = f"({slow} ? {limit} + next(state) % 90 : next(state) % {limit})"
    elif kind == "first":
        pieces["globals"] = f"static thread_local bool isWarm = false;"
        pieces["body"] = f"if (!isWarm) {{ isWarm = true; {mark} work({extra}); }}"
    elif kind == "lock":
        hold = extra * 2
        pieces["globals"] = (f"KEEP void compact() {{ std::lock_guard<std::mutex> hold(table); timespec t = {{0, {hold}}}; "
                             "nanosleep(&t, nullptr); }\n"
                             "KEEP void sweep() { while (!stop) { compact(); usleep(%d); } }" % (r.randrange(8, 15) * hold // 1000))
        pieces["body"] = "{ std::lock_guard<std::mutex> hold(table); __asm__ volatile(\"\"); }"
        pieces["background"] = "std::thread background(sweep);"
        pieces["before"] = "usleep(20);"
    elif kind == "flush":
        # Every so often another thread makes all memory of the table busy, and holds its lock.
        period = extra * r.randrange(6, 12)
        pieces["globals"] = (f"KEEP void flush() {{ std::lock_guard<std::mutex> hold(table); spinNs({extra * 2}); }}\n"
                             f"KEEP void flusher() {{ while (!stop) {{ usleep({period // 1000}); flush(); }} }}")
        pieces["body"] = "{ std::lock_guard<std::mutex> hold(table); __asm__ volatile(\"\"); }"
        pieces["background"] = "std::thread background(flusher);"
    elif kind == "preempted":
        # Another thread on the same processor takes it away for milliseconds, now and then.
        pieces["globals"] = (f"KEEP void hog() {{ pin(); while (!stop) {{ usleep({extra * 10 // 1000}); spinNs({extra * 4}); }} }}\n")
        pieces["background"] = "pin(); std::thread background(hog);"
    elif kind == "two":
        pieces["globals"] = f"KEEP void rebuild() {{ spinNs({extra}); __asm__ volatile(\"\"); }}"
        pieces["body"] = (f"if ({slow}) {{ {mark} rebuild(); }}\n"
                          f"  if (next(state) % {every} == 1) {{ planted++, plantedNs += {extra}; spinNs({extra}); }}")
    elif kind == "exception":
        pieces["globals"] = f"KEEP void fail() {{ spinNs({extra}); throw std::runtime_error(\"full\"); }}"
        pieces["body"] = f"if ({slow}) {{ {mark} fail(); }}"
    elif kind == "sleep":
        pieces["body"] = f"if ({slow}) {{ {mark} usleep({extra // 1000}); }}"
    elif kind != "none":
        sys.exit(f"planted_cause.py: no kind {kind}")
    catch = "try { handle(ARG); } catch (const std::exception &) {}" if kind == "exception" else "handle(ARG);"
    body = f"""
{pieces["globals"]}
KEEP void handle({pieces["argument"]}, uint64_t &state) {{
  parse({noise(r)});
  {pieces["body"]}
  work({noise(r)});
}}
KEEP void serve(uint64_t seed) {{
  uint64_t state = seed;
  for (int i = 0; i < {calls // threads}; ++i) {{
    {pieces["before"]}
    {catch.replace("ARG", pieces["call"] + ", state")}
  }}
}}
int main() {{
  {pieces["background"]}
  std::vector<std::thread> servers;
  for (uint64_t i = 0; i < {threads}; ++i)
    servers.emplace_back(serve, {r.randrange(1, 2**62)} + i);
  for (std::thread &server : servers)
    server.join();
  stop = true;
  {"background.join();" if pieces["background"] else ""}
  printf("{{\\"planted\\":%lu,\\"planted_ns\\":%lu}}\\n", (unsigned long)planted, (unsigned long)plantedNs);
  return 0;
}}
"""
    return HEAD + body


if __name__ == "__main__":
    print(program(sys.argv[1], int(sys.argv[2])))
