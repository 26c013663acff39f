// Signals that ask this program to end, for commands that finish something first: ^C, SIGTERM, SIGHUP.
#pragma once

#include <csignal>
#include <iterator>

namespace ada::cli {

/// While it lives, these signals only set a flag. At most one at a time.
class EndSignals {
public:
  EndSignals() {
    asked = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { asked = 1; };
    for (size_t i = 0; i < std::size(kSignals); ++i)
      sigaction(kSignals[i], &action, &before_[i]);
  }
  EndSignals(const EndSignals &) = delete;
  ~EndSignals() {
    for (size_t i = 0; i < std::size(kSignals); ++i)
      sigaction(kSignals[i], &before_[i], nullptr);
  }

  bool wasAsked() const { return asked != 0; }

private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  static inline volatile std::sig_atomic_t asked = 0;
  struct sigaction before_[std::size(kSignals)];
};

} // namespace ada::cli
