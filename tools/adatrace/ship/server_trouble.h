// Decides what to report about a server that does not answer: when the trouble begins, once an hour, and when it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ada::cli {

class ServerTrouble {
public:
  static constexpr uint64_t kAgainNs = uint64_t{3600} * 1'000'000'000;
  static constexpr uint64_t kFirstPauseNs = 1'000'000'000, kLongestPauseNs = 60'000'000'000;

  /// `what` went wrong at `nowNs`, on any monotonic clock. Returns a line to print, if there is one.
  std::optional<std::string> failed(const std::string &what, uint64_t nowNs);
  /// The server did what it was asked. Returns a line in the same way.
  std::optional<std::string> worked(uint64_t nowNs);
  /// How long to leave the server alone: doubles with each failure, up to a minute.
  uint64_t pauseNs() const { return pauseNs_; }

private:
  std::optional<uint64_t> sinceNs_;
  uint64_t saidNs_ = 0, pauseNs_ = kFirstPauseNs;
};

} // namespace ada::cli
