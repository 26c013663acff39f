// Ends the reading for an answer that nobody waits for any more.
#pragma once

#include "ada/trace/error.h"

#include <functional>
#include <utility>

namespace ada::view {

/// While it lives, what this thread reads from a TraceView ends with E_STOPPED soon after `isOver` returns true.
/// `isOver` is asked often, and also by threads that help with the answer: see helper().
class StopScope {
public:
  explicit StopScope(std::function<bool()> isOver) : isOver_(std::move(isOver)), before_(current) {
    current = &isOver_;
  }
  StopScope(const StopScope &) = delete;
  ~StopScope() { current = before_; }

  /// For a scope of another thread that helps this one.
  static std::function<bool()> helper() { return current ? *current : std::function<bool()>(); }
  static bool isOver() { return current && *current && (*current)(); }
  static Error stopped() { return {.code = "E_STOPPED", .message = "nobody waits for the answer any more"}; }

private:
  static inline thread_local const std::function<bool()> *current = nullptr;
  std::function<bool()> isOver_;
  const std::function<bool()> *before_;
};

} // namespace ada::view
