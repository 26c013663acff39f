// Decides what to report about a server that does not answer.
#include "server_trouble.h"
#include "trace/base/quantities.h"

#include <algorithm>

namespace ada::cli {

std::optional<std::string> ServerTrouble::failed(const std::string &what, uint64_t nowNs) {
  const bool isFirst = !sinceNs_;
  if (isFirst)
    sinceNs_ = nowNs;
  else
    pauseNs_ = std::min(2 * pauseNs_, kLongestPauseNs);
  if (!isFirst && nowNs - saidNs_ < kAgainNs)
    return std::nullopt;
  saidNs_ = nowNs;
  return isFirst ? what + "; trying again until it does"
                 : what + "; this has lasted " + formatDuration(nowNs - *sinceNs_);
}

std::optional<std::string> ServerTrouble::worked(uint64_t nowNs) {
  pauseNs_ = kFirstPauseNs;
  if (!sinceNs_)
    return std::nullopt;
  const uint64_t ns = nowNs - *sinceNs_;
  sinceNs_.reset();
  return "the server accepts traces again after " + formatDuration(ns);
}

} // namespace ada::cli
