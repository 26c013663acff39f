// Runs analyses of single calls in the background, each for as long as a page asks for it, and keeps their answers.
#pragma once

#include "http_server.h"

#include "ada/trace/error.h"
#include "analysis/view/call_analysis.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ada::cli {

class AnalysisJobs {
public:
  /// Returns the answer as JSON. E_STOPPED if limits.isOver() became true.
  using Work = std::function<Expected<std::string>(const view::AnalysisLimits &limits)>;

  AnalysisJobs() = default;
  ~AnalysisJobs();

  /// The answer of the work named `key`, or {"state": "running", "progress": 0…1}: it waits a moment for the answer.
  /// Work that nobody asks for any more is stopped after kPatience. After `mostTime` the answer is
  /// {"state": "too_long"}.
  HttpReply ask(const std::string &key, uint64_t mostEvents, std::chrono::seconds mostTime, Work work);

private:
  using Clock = std::chrono::steady_clock;
  struct Job;
  static constexpr std::chrono::milliseconds kMoment{300}, kPatience{2000};
  static constexpr size_t kWorkers = 2, kKept = 64;

  void work();
  std::shared_ptr<Job> next();
  void forgetOld();

  std::mutex mutex_;
  std::condition_variable isNew_, isDone_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::vector<std::thread> workers_; // started when there is something to do
  std::atomic<bool> stop_ = false;
};

} // namespace ada::cli
