// How processor time grows with the size of the work: the same on a busy machine, and with sanitizers.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

/// This thread's processor time in `work()`, in seconds: the least of three times, because caches of others disturb.
template <typename Work> double processorSeconds(Work &&work) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < 3; ++i) {
    timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    least = std::min(least, static_cast<double>(end.tv_sec - begin.tv_sec) +
                                static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9);
  }
  return least;
}

/// What a work four times as large costs, in times of the small one: about 4 if it grows with its size, 16 if with its
/// square.
template <typename Work> double costOfFourTimes(size_t small, Work &&work) {
  const double one = processorSeconds([&] { work(small); });
  return processorSeconds([&] { work(4 * small); }) / one;
}
