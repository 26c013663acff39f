// How long to wait for a server that does not answer, is overloaded or full.
#pragma once

#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include "ada/trace/error.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace ada::cli {

struct Patience {
  uint64_t forNs = 0; ///< give up after this long without success
  std::function<bool()> isInterrupted;
  std::function<void(const std::string &)> say; ///< reports to the user what happens while it takes long
  bool tellsOfWaiting = true;                   ///< waiting is reported, too

  static constexpr uint64_t kFirstWaitNs = 100'000'000, kLongestWaitNs = 5'000'000'000;

  static bool mayPass(const Error &error) {
    return error.code == "E_SERVER_DOWN" || error.code == "E_SERVER_BUSY" || error.code == "E_SERVER_FULL";
  }
  static Error interrupted() { return {.code = "E_INTERRUPTED", .message = "interrupted"}; }

  /// Returns false if the user interrupts.
  bool wait(uint64_t ns) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
    while (std::chrono::steady_clock::now() < end && !isInterrupted())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !isInterrupted();
  }
  /// Calls `attempt` until it succeeds, fails permanently, or has failed for too long. `between` is called after each
  /// wait; its error ends the attempts.
  template <class Try, class Between> auto retry(Try &&attempt, Between &&between) const -> decltype(attempt()) {
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t waitNs = kFirstWaitNs;; waitNs = std::min(2 * waitNs, kLongestWaitNs)) {
      auto done = attempt();
      if (done || !mayPass(done.error()) || std::chrono::steady_clock::now() - start >= std::chrono::nanoseconds(forNs))
        return done;
      if (waitNs == kFirstWaitNs && tellsOfWaiting)
        say(done.error().text() + "; trying again for " + formatDuration(forNs));
      if (!wait(waitNs))
        return interrupted();
      ADA_TRY(between());
    }
  }
  template <class Try> auto retry(Try &&attempt) const -> decltype(attempt()) {
    return retry(attempt, [] { return Expected<void>(); });
  }
};

} // namespace ada::cli
