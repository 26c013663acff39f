// Times calls of the functions in workload.c and prints the samples as JSON.
//
//   cost [BURSTS]             one thread: rdtsc pairs, plain calls, recorded calls, calls while switched off
//   threads COUNT [BURSTS]    recorded calls in COUNT threads at once
//   churn COUNT               COUNT threads, one after another, ten calls each
//   sustain COUNT SECONDS     COUNT threads call without a pause for SECONDS
//   backlog COUNT BURSTS      COUNT threads make BURSTS bursts each while the tracer's own threads are kept off-CPU;
//                             then those get all cores: shown is how long they take for the backlog (AdaTrace,
//                             buffer=700M)
//
// A sample is the nanoseconds per call in one burst of calls. Bursts are short enough for every tracer's buffer.
// Between them the buffers are emptied, untimed, so that the samples show the way into the buffer and not the disk. The
// kinds take turns, so that a change of the clock frequency affects all of them. `sustain` is the opposite: it times
// the whole way to the file, measured from outside by the events that are in the file.
//
// Google Benchmark, which times the other programs here, does not fit. It finishes one kind before it begins the next,
// and in between the clock of a shared machine changes by more than the kinds differ. Buffers must be emptied, and the
// tracer switched on and off, untimed, after every burst. And uftrace would trace Google Benchmark's code, too.
#include "harness.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr unsigned kBurst = 20000;  // calls; 40,000 events are 640 KB in AdaTrace's ring
constexpr unsigned kFibonacci = 18; // 8,361 calls
constexpr unsigned kFibonacciCalls = 8361;

using Clock = std::chrono::steady_clock;
using Samples = std::vector<double>;

double nanoseconds(Clock::duration duration) { return std::chrono::duration<double, std::nano>(duration).count(); }

template <typename Body> void burst(Samples &samples, unsigned calls, Body body) {
  const Clock::time_point begin = Clock::now();
  body();
  samples.push_back(nanoseconds(Clock::now() - begin) / calls);
}

void readClockTwice() {
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
}

template <auto function> void repeat() {
  for (unsigned i = 0; i < kBurst; ++i)
    function();
}

template <auto function> void repeatFour() {
  for (unsigned i = 0; i < kBurst; ++i)
    function(i, 2, 3, 4);
}

void print(const char *name, const Samples &samples, bool &first) {
  std::printf("%s\"%s\": [", first ? "{" : ",\n ", name);
  first = false;
  for (size_t i = 0; i < samples.size(); ++i)
    std::printf("%s%.3f", i ? ", " : "", samples[i]);
  std::printf("]");
}

void cost(unsigned bursts) {
  Samples clock, plain, on, off, plainFour, onFour, plainTree, onTree, offTree;
  for (unsigned i = 0; i < bursts; ++i) {
    burst(clock, kBurst, repeat<readClockTwice>);
    burst(plain, kBurst, repeat<plain_empty>);
    burst(plainFour, kBurst, repeatFour<plain_four>);
    burst(plainTree, kFibonacciCalls, [] { plain_fibonacci(kFibonacci); });
    start();
    burst(on, kBurst, repeat<traced_empty>);
    flush();
    burst(onFour, kBurst, repeatFour<traced_four>);
    flush();
    burst(onTree, kFibonacciCalls, [] { traced_fibonacci(kFibonacci); });
    flush();
    if (kCanSwitchOff) {
      stop();
      burst(off, kBurst, repeat<traced_empty>);
      burst(offTree, kFibonacciCalls, [] { traced_fibonacci(kFibonacci); });
    }
  }
  bool first = true;
  print("two rdtsc", clock, first);
  print("plain empty", plain, first);
  print("plain four", plainFour, first);
  print("plain fibonacci", plainTree, first);
  print("on empty", on, first);
  print("on four", onFour, first);
  print("on fibonacci", onTree, first);
  if (kCanSwitchOff) {
    print("off empty", off, first);
    print("off fibonacci", offTree, first);
  }
  std::printf("}\n");
}

void threads(unsigned count, unsigned bursts) {
  std::vector<Samples> samples(count);
  start();
  for (unsigned i = 0; i < bursts; ++i) {
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> workers;
    for (unsigned worker = 0; worker < count; ++worker)
      workers.emplace_back([&, worker] {
        traced_empty(); // a thread's first event is not measured here
        ready.fetch_add(1);
        while (ready.load() < count)
          std::this_thread::yield();
        burst(samples[worker], kBurst, repeat<traced_empty>);
      });
    for (std::thread &worker : workers)
      worker.join();
    flush();
  }
  Samples all;
  for (const Samples &part : samples)
    all.insert(all.end(), part.begin(), part.end());
  bool first = true;
  print("on empty", all, first);
  std::printf("}\n");
}

void churn(unsigned count) {
  Samples plain, traced;
  start();
  for (unsigned i = 0; i < count; ++i) {
    burst(plain, 1, [] {
      std::thread([] {
        for (int n = 0; n < 10; ++n)
          plain_empty();
      }).join();
    });
    burst(traced, 1, [] {
      std::thread([] {
        for (int n = 0; n < 10; ++n)
          traced_empty();
      }).join();
    });
  }
  flush();
  bool first = true;
  print("plain thread", plain, first);
  print("traced thread", traced, first);
  std::printf("}\n");
}

void sustain(unsigned count, double seconds) {
  std::atomic<unsigned long> bursts{0};
  std::atomic<bool> enough{false};
  start();
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> workers;
  for (unsigned worker = 0; worker < count; ++worker)
    workers.emplace_back([&] {
      while (!enough.load(std::memory_order_relaxed)) {
        repeat<traced_empty>();
        bursts.fetch_add(1, std::memory_order_relaxed);
      }
    });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  enough = true;
  for (std::thread &worker : workers)
    worker.join();
  flush();
  const double spent = nanoseconds(Clock::now() - begin);
  std::printf("{\"calls\": %lu, \"nanoseconds\": %.0f}\n", bursts.load() * kBurst, spent);
}

// All threads of the process except the calling one: those of a tracer, as long as the program has no others.
void letOthersIdle() {
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    const sched_param none = {};
    if (const int id = std::atoi(task.path().filename().c_str()); id != getpid())
      (void)sched_setscheduler(id, SCHED_IDLE, &none);
  }
}

void backlog(unsigned count, unsigned bursts) {
  start();
  traced_empty();
  flush(); // now the tracer's threads exist
  letOthersIdle();
  std::vector<std::thread> workers;
  for (unsigned worker = 0; worker < count; ++worker)
    workers.emplace_back([&] {
      for (unsigned i = 0; i < bursts; ++i)
        repeat<traced_empty>();
    });
  for (std::thread &worker : workers)
    worker.join();
  const Clock::time_point begin = Clock::now();
  flush();
  const double spent = nanoseconds(Clock::now() - begin);
  std::printf("{\"calls\": %lu, \"nanoseconds\": %.0f}\n", static_cast<unsigned long>(count) * bursts * kBurst + 1,
              spent);
}

} // namespace

int main(int argc, char **argv) {
  const auto number = [&](int i, double otherwise) { return argc > i ? std::atof(argv[i]) : otherwise; };
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "cost")
    cost(static_cast<unsigned>(number(2, 100)));
  else if (what == "threads")
    threads(static_cast<unsigned>(number(2, 2)), static_cast<unsigned>(number(3, 50)));
  else if (what == "churn")
    churn(static_cast<unsigned>(number(2, 1000)));
  else if (what == "backlog")
    backlog(static_cast<unsigned>(number(2, 2)), static_cast<unsigned>(number(3, 100)));
  else if (what == "sustain")
    sustain(static_cast<unsigned>(number(2, 1)), number(3, 5));
  else
    return std::fprintf(stderr,
                        "usage: %s cost [BURSTS] | threads COUNT [BURSTS] | churn COUNT | sustain COUNT SECONDS | "
                        "backlog COUNT BURSTS\n",
                        argv[0]),
           2;
  return 0;
}
