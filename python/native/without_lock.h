// Long work without Python's global lock, which Ctrl-C ends.
#pragma once

#include "analysis/query/stoppable_source.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace ada::python {

using query::StopFlag;

/// An Error of the library on its way to Python, where it becomes adatrace.Error.
struct Failure : std::exception {
  explicit Failure(Error what) : error(std::move(what)) {}
  const char *what() const noexcept override { return error.message.c_str(); }
  Error error;
};

/// Calls work(flag), which returns an Expected, in a thread of its own, and returns the value or throws a Failure.
/// Other Python threads run meanwhile. If a signal's handler raises an exception, as that of Ctrl-C does, the flag is
/// set, onStop(flag) is called until `work` has returned, and then the exception is thrown.
template <class Work, class OnStop> auto withoutLock(const Work &work, const OnStop &onStop) {
  constexpr auto kLook = std::chrono::milliseconds(50); // how long Ctrl-C may take to be seen
  const StopFlag flag = std::make_shared<std::atomic<bool>>(false);
  std::optional<decltype(work(flag))> result;
  std::exception_ptr thrown;
  {
    const pybind11::gil_scoped_release unlocked;
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
    std::thread worker([&] {
      try {
        result.emplace(work(flag));
      } catch (...) {
        thrown = std::current_exception(); // no memory
      }
      const std::lock_guard lock(mutex);
      hasEnded = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kLook, [&] { return hasEnded; })) {
      if (*flag) {
        onStop(flag);
        continue;
      }
      lock.unlock();
      {
        const pybind11::gil_scoped_acquire locked;
        *flag = PyErr_CheckSignals() != 0;
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (*flag)
    throw pybind11::error_already_set();
  if (thrown)
    std::rethrow_exception(thrown);
  if (!*result)
    throw Failure(result->error());
  if constexpr (!std::is_same_v<decltype(work(flag)), Expected<void>>)
    return *std::move(*result);
}

template <class Work> auto withoutLock(const Work &work) {
  return withoutLock(work, [](const StopFlag &) {});
}

} // namespace ada::python
