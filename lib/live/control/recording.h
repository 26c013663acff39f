// A recording of a running process that lasts no longer than its controller wants it.
//
//   Answer answer;
//   auto recording = Recording::begin(4711, "session=/tmp/s:format=packed", answer);
//   while (…) recording->extend(until);     // at least every few seconds
//   recording->stop();
//
// If the controller is killed, or forgets it, the process stops recording by itself after kLease.
#pragma once

#include "live/control/control.h"

#include <memory>
#include <optional>

namespace ada::control {

class Recording {
public:
  static constexpr uint64_t kLeaseNs = 5'000'000'000;

  /// `options`: as in ADA_OPTIONS; a process that has recorded before takes `session` only. Nothing if it does not take
  /// the order. With NoAnswer it has been left to a process that makes no traced call.
  static std::optional<Recording> begin(pid_t pid, const std::string &options, Answer &answer);
  /// Whether it has begun. `answer` is not Done if it never will.
  bool hasBegun(Answer &answer);
  /// The process may go on until that time, but not longer than kLease from now.
  void extend(uint64_t untilNs);
  /// Whether it is over because the process has ended or called exec.
  bool isOver() const;
  bool calledExec() const;
  /// Ends it, or takes back what has not begun.
  Answer stop();

  /// The process's directory, as we see it; empty if it has not begun.
  std::string directory() const;
  uint64_t startedNs() const; ///< on CLOCK_BOOTTIME

  Recording(Recording &&other) noexcept;
  ~Recording();

private:
  struct Ways;
  explicit Recording(std::unique_ptr<Ways> ways);
  std::unique_ptr<Ways> ways_;
};

} // namespace ada::control
