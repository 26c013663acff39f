#!/usr/bin/env python3
"""Writes a C++ program with a planted cause, or one of the same shape without it.

Usage: planted.py KIND SEED [without] > program.cpp

KIND is one of `KINDS`. Sizes, rates, numbers of threads and noise depend on SEED. The last line of the program's output is a
JSON object: `planted_ns` is what the cause cost, as the program's own clock says, `total_ns` the time in requests or in the run.
"""
import os
import random
import sys

KINDS = ["slow-calls", "lock", "batch-lock", "io-in-lock", "never-ended", "hot-code", "repeated-calls", "slower-over-time",
         "slower-with-argument", "one-thread-works", "no-core", "polling", "woken-for-nothing", "exceptions", "start-up", "crash"]

HEAD = r"""
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <string>
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
static volatile uint64_t sink;
static double roundsPerNs;
INSIDE void rounds(uint64_t count) {
  uint64_t x = sink;
  for (uint64_t i = 0; i < count; ++i)
    x = x * 6364136223846793005u + 1442695040888963407u;
  sink = x;
}
// Work that takes that long on a core of its own, and the same amount of work if it has to share it.
INSIDE void burn(uint64_t ns) { rounds(uint64_t(double(ns) * roundsPerNs)); }
HIDDEN void calibrate() {
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const uint64_t from = now();
    rounds(100000);
    best = std::min(best, double(now() - from));
  }
  roundsPerNs = 100000 / best;
}
INSIDE uint64_t next(uint64_t &state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
static std::atomic<uint64_t> plantedNs{0}, totalNs{0};
static uint64_t beganNs;
HIDDEN void tell(uint64_t planted, uint64_t total) {
  printf("\n{\"planted_ns\":%lu,\"total_ns\":%lu}\n", (unsigned long)planted, (unsigned long)total);
  fflush(stdout);
}
#define LEAF __asm__ volatile("")
"""


class Shape:
    """Phases of a request and the threads that serve them; what is random about them."""

    def __init__(self, kind, seed):
        self.r = random.Random(f"{kind} {seed}")
        self.phases = self.r.sample(["parse", "lookup", "render", "encode", "reply", "account"], self.r.randrange(3, 6))
        self.us = self.r.randrange(6, 25)  # of a phase

    def phase(self, name, factor=1.0):
        base = int(self.us * 1000 * self.r.uniform(0.7, 1.3) * factor)
        return f"KEEP void {name}(uint64_t &state) {{ burn({base} + next(state) % {max(base // 4, 1)}); LEAF; }}\n"

    def code(self, factors={}):
        return "".join(self.phase(name, factors.get(name, 1.0)) for name in self.phases)

    def calls(self, names=None):
        return " ".join(f"{name}(state);" for name in (self.phases if names is None else names))


def served(shape, body, threads, calls, extra="", before="", after="", argument="", value="", main="", around=""):
    """A program of `threads` threads that call handle() `calls` times in total."""
    return f"""
{extra}
KEEP void handle({argument + ", " if argument else ""}uint64_t &state) {{
  {body}
}}
KEEP void serve(uint64_t seed) {{
  uint64_t state = seed;
  for (int i = 0; i < {calls // threads}; ++i) {{
    {before}
    const uint64_t from = now();
    {around or f"handle({value + ', ' if value else ''}state);"}
    totalNs += now() - from;
    {after}
  }}
}}
int main() {{
  calibrate();
  beganNs = now();
  {main}
  std::vector<std::thread> servers;
  for (uint64_t i = 0; i < {threads}; ++i)
    servers.emplace_back(serve, {shape.r.randrange(1, 2**62)} + i);
  for (std::thread &server : servers)
    server.join();
  tell(plantedNs, totalNs);
  return 0;
}}
"""


def slow_calls(s, planted):
    every, extra = s.r.randrange(60, 200), s.r.randrange(8, 30)
    extraNs = int(s.us * 1000 * len(s.phases) * extra)
    how = s.r.choice(["own", "callee", "sleep"])
    act = {"own": f"burn({extraNs});", "callee": f"rebuild({extraNs});", "sleep": f"usleep({extraNs // 1000});"}[how]
    extraCode = s.code() + "KEEP void rebuild(uint64_t ns) { burn(ns); LEAF; }\n"
    slow = f"if (next(state) % {every} == 0) {{ const uint64_t t = now(); {act} plantedNs += now() - t; }}" if planted else ""
    return served(s, f"{s.calls(s.phases[:1])} {slow} {s.calls(s.phases[1:])}", s.r.choice([1, 2]), s.r.randrange(3000, 6000), s.code() and extraCode)


def locked(s, planted, io):
    """Requests of several threads that need one lock.

    The lock is the only cause: it is held for longer than the rest of a request takes, so threads beyond the first two wait for the
    lock, not for a core. And it is held in several functions, none of which is hot code: without the cause, nothing stands out.
    """
    threads = s.r.randrange(3 if io else 2, 9) if planted else 2
    free, held = s.phases, []
    extra = s.code()
    if io:
        extra += ("static int file = open(\"journal\", O_CREAT | O_WRONLY | O_TRUNC, 0600);\n"
                  "static char page[4096];\n")
        work = f"burn({s.us * 500}); if (write(file, page, {s.r.randrange(500, 4000)}) < 0) abort(); {'fsync' if s.r.random() < 0.7 else 'fdatasync'}(file);"
    else:
        first = (len(s.phases) - 1) // 2
        free, held = s.phases[:first], s.phases[first:]
        work = f"burn({int(s.us * 1000 * s.r.uniform(1, 2))}); {s.calls(held)}"
    lock = s.r.choice(["std::mutex", "pthread"])
    if lock == "std::mutex":
        extra += f"static std::mutex locks[{threads}];\n"
        take, give = "locks[which].lock();", "locks[which].unlock();"
    else:
        extra += f"static pthread_mutex_t locks[{threads}];\n"
        take, give = "pthread_mutex_lock(&locks[which]);", "pthread_mutex_unlock(&locks[which]);"
    # Without the cause: each thread has a lock of its own, or the I/O is done after the lock is released.
    which = "0" if planted else "self"
    extra += ("static thread_local int self; static std::atomic<int> selves;\n"
              f"KEEP void store(uint64_t &state) {{ const int which = {which}; const uint64_t t = now(); {take} plantedNs += now() - t;\n"
              f"  {work} {give} }}\n")
    calls = s.r.randrange(2000, 4000) if not io else s.r.randrange(500, 900)
    text = served(s, f"{s.calls(free[:2])} store(state); {s.calls(free[2:])}", threads, calls, extra)
    return text.replace("uint64_t state = seed;", f"uint64_t state = seed; self = selves++ % {threads};")


def batch_lock(s, planted):
    """A lock in a program without requests: a few long calls on each thread."""
    threads, steps = s.r.randrange(2, 5), s.r.randrange(40, 90)
    kind, take, give = s.r.choice([("std::mutex", "locks[which].lock()", "locks[which].unlock()"),
                                   ("pthread_mutex_t", "pthread_mutex_lock(&locks[which])", "pthread_mutex_unlock(&locks[which])")])
    which = "0" if planted else "self"
    held, free = s.us * 1000 * s.r.randrange(20, 60), s.us * 1000 * s.r.randrange(5, 20)
    return f"""
static {kind} locks[{threads}];
static std::atomic<uint64_t> waitedNs[{threads}];
KEEP void merge(int self) {{
  const int which = {which};
  for (int i = 0; i < {steps}; ++i) {{
    burn({free});
    const uint64_t from = now();
    {take};
    waitedNs[self] += now() - from;
    burn({held});
    {give};
  }}
}}
int main() {{
  calibrate();
  beganNs = now();
  std::vector<std::thread> all;
  for (int i = 0; i < {threads}; ++i)
    all.emplace_back(merge, i);
  for (std::thread &one : all)
    one.join();
  uint64_t longest = 0;
  for (const std::atomic<uint64_t> &ns : waitedNs)
    longest = ns > longest ? ns.load() : longest;
  tell(longest, now() - beganNs);
  return 0;
}}
"""


def never_ended(s, planted):
    threads = 2
    calls, hang = s.r.randrange(300, 900), s.r.randrange(600, 1500)
    how = s.r.choice(["cycle", "cycle", "lost", "kept"])
    at = calls // threads // 2
    extra = s.code() + "static std::mutex first, second; static std::condition_variable changed; static bool isReady; static std::atomic<uint64_t> hangsNs{0};\nstatic thread_local int self; static std::atomic<int> selves, seen;\n"
    if how == "cycle":
        extra += ("KEEP void transfer(bool isOther) { std::lock_guard<std::mutex> a(isOther ? second : first); ++seen; while (seen < 2) usleep(50);\n"
                  "  hangsNs = now(); std::lock_guard<std::mutex> b(isOther ? first : second); LEAF; }\n")
        stuck = "transfer(self == 1);"
    elif how == "lost":
        extra += "KEEP void await() { std::unique_lock<std::mutex> hold(first); hangsNs = now(); while (!isReady) changed.wait(hold); LEAF; }\n"
        stuck = "if (self == 0) await();"
    else:
        extra += "KEEP void update() { first.lock(); ++seen; LEAF; }\nKEEP void read() { while (seen < 1) usleep(50); hangsNs = now(); std::lock_guard<std::mutex> hold(first); LEAF; }\n"
        stuck = "if (self == 0) update(); else read();"
    extra += (f"HIDDEN void watch() {{ while (!hangsNs) usleep(1000); usleep({hang}000); tell(now() - hangsNs, now() - beganNs); kill(getpid(), SIGKILL); }}\n")
    stuck = f"if (count++ == {at}) {{ {stuck} }}" if planted else ""
    text = served(s, f"{s.calls(s.phases[:2])} {stuck} {s.calls(s.phases[2:])}", threads, calls, extra,
                  main="std::thread(watch).detach();" if planted else "")
    return text.replace("uint64_t state = seed;", "uint64_t state = seed; self = selves++;").replace(
        "KEEP void handle(", "static thread_local int count;\nKEEP void handle(", 1)


def hot_code(s, planted):
    s.phases = s.r.sample(["parse", "lookup", "render", "encode", "reply", "account"], s.r.randrange(4, 7))
    hot = s.r.choice(s.phases)
    factor = s.r.uniform(6, 20) if planted else 1
    extra = s.code({hot: factor})
    calls = s.calls().replace(f"{hot}(state);", f"{{ const uint64_t t = now(); {hot}(state); plantedNs += now() - t; }}")
    return served(s, calls, s.r.choice([1, 2]), s.r.randrange(2000, 5000), extra)


def repeated_calls(s, planted):
    times = s.r.randrange(8, 60)
    cost = int(s.us * 1000 * s.r.uniform(0.3, 1))
    extra = s.code() + f"KEEP uint64_t priceOf(uint64_t item) {{ burn({cost}); LEAF; return item * 3; }}\n"
    item, times = ("item", times) if planted else ("item", 1)
    body = (f"{s.calls(s.phases[:1])} const uint64_t item = next(state) % 100000; uint64_t sum = 0; const uint64_t t = now();\n"
            f"  for (int k = 0; k < {times}; ++k) sum += priceOf({item});\n"
            f"  plantedNs += (now() - t) / {times} * {times - 1}; sink = sum; {s.calls(s.phases[1:])}")
    return served(s, body, s.r.choice([1, 2]), s.r.randrange(800, 1600), extra)


def slower_over_time(s, planted):
    calls, threads = s.r.randrange(2000, 5000), s.r.choice([1, 2])
    each = s.us * 1000
    grown = s.r.uniform(4, 20)
    body = f"{s.calls(s.phases[:1])} find(state, count++); {s.calls(s.phases[1:])}"
    cost = f"uint64_t({each * grown / (calls // threads):.3f} * double(count))" if planted else "0"
    extra = s.code() + ("static thread_local uint64_t count;\n"
                        f"KEEP void find(uint64_t &state, uint64_t count) {{ burn({each} + next(state) % {each // 3}); const uint64_t t = now(); burn({cost}); plantedNs += now() - t; LEAF; }}\n")
    return served(s, body, threads, calls, extra)


def slower_with_argument(s, planted):
    most = s.r.randrange(50, 2000)
    each = s.us * 1000
    grown = s.r.uniform(4, 20)
    cost = f"uint64_t({each * grown / most:.3f} * double(size))" if planted else "0"
    extra = s.code() + f"KEEP void sort(uint64_t size, uint64_t &state) {{ burn({each} + next(state) % {each // 3}); const uint64_t t = now(); burn({cost}); plantedNs += now() - t; LEAF; }}\n"
    body = f"{s.calls(s.phases[:1])} sort(next(state) % {most}, state); {s.calls(s.phases[1:])}"
    return served(s, body, s.r.choice([1, 2]), s.r.randrange(2000, 4000), extra)


def one_thread_works(s, planted):
    threads = 2
    calls = s.r.randrange(1000, 2500)
    share = s.r.uniform(0.05, 0.3) if planted else 1
    text = f"""
{s.code()}
static std::atomic<uint64_t> endsNs[{threads}];
KEEP void step(uint64_t &state) {{ {s.calls()} }}
KEEP void part(int which, int count) {{
  uint64_t state = {s.r.randrange(1, 2**62)} + which;
  for (int i = 0; i < count; ++i)
    step(state);
  endsNs[which] = now();
}}
int main() {{
  calibrate();
  const uint64_t from = now();
  std::vector<std::thread> all;
  for (int i = 0; i < {threads}; ++i)
    all.emplace_back(part, i, i == {s.r.randrange(threads)} ? {calls} : {int(calls * share)});
  for (std::thread &one : all)
    one.join();
  const uint64_t a = endsNs[0], b = endsNs[1], to = now();
  tell((a < b ? b - a : a - b) / 2, to - from);
  return 0;
}}
"""
    return text


def no_core(s, planted):
    cores = os.cpu_count()
    threads = cores * s.r.randrange(3, 7) if planted else 1
    work = s.r.randrange(20, 60)
    body = f"{s.calls()} const uint64_t t = now(); timespec c0, c1; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c0); crunch(state); clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c1);\n  const uint64_t took = now() - t, ran = uint64_t(c1.tv_sec - c0.tv_sec) * 1000000000 + uint64_t(c1.tv_nsec) - uint64_t(c0.tv_nsec); plantedNs += took > ran ? took - ran : 0;"
    extra = s.code() + f"KEEP void crunch(uint64_t &state) {{ for (int i = 0; i < 20; ++i) {{ burn({work * 50000} + next(state) % 1000); LEAF; }} }}\n"
    return served(s, body, threads, max(20 * threads // 4, 30), extra)


def polling(s, planted):
    wait, pause = s.r.randrange(300, 2000), s.r.randrange(20, 60)
    wait = max(wait, 8 * (pause + 60))  # for three pauses or more, although each takes some 60 us longer than it asks for
    extra = s.code() + """
static std::mutex mutex; static std::condition_variable changed; static std::deque<std::atomic<bool> *> jobs; static bool isOver;
"""
    extra += f"KEEP void backend() {{ std::unique_lock<std::mutex> hold(mutex); for (;;) {{ while (jobs.empty() && !isOver) changed.wait(hold); if (isOver) return; auto *job = jobs.front(); jobs.pop_front(); hold.unlock(); work(); job->store(true); hold.lock(); }} }}\n"
    extra = extra.replace("KEEP void backend", f"KEEP void work() {{ burn({wait * 1000 // 2}); LEAF; }}\nKEEP void backend", 1)
    ask = "std::atomic<bool> done{false}; { std::lock_guard<std::mutex> hold(mutex); jobs.push_back(&done); } changed.notify_one(); const uint64_t t = now();"
    body = f"{s.calls(s.phases[:1])} {ask} while (!done) usleep({pause}); plantedNs += now() - t; {s.calls(s.phases[1:])}" if planted else \
        f"{s.calls(s.phases[:1])} {s.calls(s.phases[1:])}"
    calls = s.r.randrange(300, 700) * (1 if planted else 20)  # so that the calibration is a small part of the run
    text = served(s, body, 1, calls, extra, main="std::thread back(backend);")
    return text.replace("tell(plantedNs", "{ std::lock_guard<std::mutex> hold(mutex); isOver = true; } changed.notify_all(); back.join();\n  tell(plantedNs")


def woken_for_nothing(s, planted):
    threads, calls = s.r.randrange(12, 30), s.r.randrange(3000, 6000)
    wake = "notify_all" if planted else "notify_one"
    text = f"""
{s.code()}
static std::mutex mutex; static std::condition_variable changed; static std::deque<int> jobs; static bool isOver;
KEEP void handle(int job) {{ uint64_t state = uint64_t(job) + 1; {s.calls(s.phases[:1])} }}
KEEP int take() {{
  std::unique_lock<std::mutex> hold(mutex);
  while (jobs.empty() && !isOver) changed.wait(hold);
  if (jobs.empty()) return -1;
  const int job = jobs.front();
  jobs.pop_front();
  return job;
}}
KEEP void serve() {{
  for (int job; (job = take()) >= 0;) {{ const uint64_t from = now(); handle(job); totalNs += now() - from; }}
}}
int main() {{
  calibrate();
  beganNs = now();
  std::vector<std::thread> servers;
  for (int i = 0; i < {threads}; ++i) servers.emplace_back(serve);
  for (int i = 0; i < {calls}; ++i) {{
    {{ std::lock_guard<std::mutex> hold(mutex); jobs.push_back(i); }}
    changed.{wake}();
    usleep({s.us * 6});
  }}
  {{ std::lock_guard<std::mutex> hold(mutex); isOver = true; }}
  changed.notify_all();
  for (std::thread &server : servers) server.join();
  tell(0, totalNs);
  return 0;
}}
"""
    return text


def exceptions(s, planted):
    often = s.r.randrange(1, 3)
    deep = s.r.randrange(3, 12)
    s.us = s.r.randrange(1, 4)
    fail = 'throw std::runtime_error("not found");' if planted else "return 1;"
    extra = s.code() + f"""
KEEP int check(int depth, uint64_t &state) {{
  if (depth > 0) {{ const int is = check(depth - 1, state); LEAF; return is; }}
  {fail}
}}
"""
    body = f"{s.calls(s.phases[:1])} if (next(state) % {often} == 0) {{ const uint64_t t = now(); try {{ sink = check({deep}, state); }} catch (const std::exception &) {{}} plantedNs += now() - t; }} {s.calls(s.phases[1:])}"
    return served(s, body, s.r.choice([1, 2]), s.r.randrange(3000, 6000), extra)


def start_up(s, planted):
    calls = s.r.randrange(1500, 3000)
    serveNs = calls * s.us * 1000 * len(s.phases)
    init = int(serveNs * (s.r.uniform(0.4, 2) if planted else 0.005))
    extra = s.code() + f"KEEP void loadTables() {{ for (int i = 0; i < 10; ++i) {{ burn({init // 10}); LEAF; }} }}\n"
    text = served(s, s.calls(), 1, calls, extra, main="loadTables(); plantedNs = now() - beganNs;")
    return text.replace("tell(plantedNs, totalNs)", "tell(plantedNs, now() - beganNs)")


def crash(s, planted):
    calls = s.r.randrange(800, 2000)
    at = s.r.randrange(calls // 2, calls)
    how = s.r.choice(["*(volatile int *)0 = 1;", "abort();", "kill(getpid(), SIGKILL);"])
    extra = s.code() + f"static int count;\nKEEP void update(uint64_t &state) {{ burn({s.us * 1000} + next(state) % 100); if (count++ == {at}) {{ {('tell(now() - beganNs, now() - beganNs); ' + how) if planted else ''} }} LEAF; }}\n"
    return served(s, f"{s.calls(s.phases[:1])} update(state); {s.calls(s.phases[1:])}", 1, calls, extra)


MAKERS = {"slow-calls": slow_calls, "lock": lambda s, p: locked(s, p, False), "batch-lock": batch_lock, "io-in-lock": lambda s, p: locked(s, p, True),
          "never-ended": never_ended, "hot-code": hot_code, "repeated-calls": repeated_calls, "slower-over-time": slower_over_time,
          "slower-with-argument": slower_with_argument, "one-thread-works": one_thread_works, "no-core": no_core, "polling": polling,
          "woken-for-nothing": woken_for_nothing, "exceptions": exceptions, "start-up": start_up, "crash": crash}


def program(kind, seed, planted=True):
    return HEAD + MAKERS[kind](Shape(kind, seed), planted)


if __name__ == "__main__":
    print(program(sys.argv[1], sys.argv[2], "without" not in sys.argv[3:]))
