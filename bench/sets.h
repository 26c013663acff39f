// Timed sets of the reading programs, run by Google Benchmark, as the JSON that reading.py reads.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <string>

/// Registers `sets` runs of `work`, which handles `events` events; `before` is not timed. They run in the order in
/// which they were added.
template <class Work, class Before>
benchmark::internal::Benchmark *addSets(const std::string &name, int sets, uint64_t events, Before before, Work work) {
  return benchmark::RegisterBenchmark(name.c_str(),
                                      [=](benchmark::State &state) {
                                        before();
                                        for (auto _ : state)
                                          work();
                                        state.SetItemsProcessed(static_cast<int64_t>(events));
                                      })
      ->Iterations(1)
      ->Repetitions(sets)
      ->UseRealTime();
}
template <class Work> void addSets(const std::string &name, int sets, uint64_t events, Work work) {
  addSets(name, sets, events, [] {}, work);
}

inline void runSets(const char *program) {
  std::string name = program, format = "--benchmark_format=json";
  char *arguments[] = {name.data(), format.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
