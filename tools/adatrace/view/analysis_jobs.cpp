// Runs analyses of single calls in the background.
#include "analysis_jobs.h"

#include "analysis/view/bounded_source.h"
#include "trace/base/json.h"
#include "trace/base/text.h"

#include <algorithm>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ada::cli {

struct AnalysisJobs::Job {
  Work work;
  uint64_t mostEvents = 0;
  std::chrono::seconds mostTime{};
  std::atomic<Clock::time_point> asked; // last
  std::atomic<double> progress = 0;
  bool isRunning = false, isDone = false;
  HttpReply reply;

  bool isForgotten() const { return Clock::now() - asked.load() > kPatience; }
};

AnalysisJobs::~AnalysisJobs() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  isNew_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

HttpReply AnalysisJobs::ask(const std::string &key, uint64_t mostEvents, std::chrono::seconds mostTime, Work work) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Job> &known = jobs_[key];
  if (!known) {
    known = std::make_shared<Job>();
    known->work = std::move(work), known->mostEvents = mostEvents, known->mostTime = mostTime;
  }
  const std::shared_ptr<Job> job = known;
  job->asked = Clock::now();
  if (!job->isDone) {
    if (workers_.empty())
      for (size_t i = 0; i < kWorkers; ++i)
        workers_.emplace_back([this] { this->work(); });
    isNew_.notify_one();
    isDone_.wait_for(lock, kMoment, [&] { return job->isDone || stop_; });
    job->asked = Clock::now();
  }
  if (job->isDone)
    return job->reply;
  JsonMembers json;
  json.text("state", "running").json("progress", std::to_string(job->progress.load()));
  return {200, json.object()};
}

// The job that was asked for last, because a person waits for that one.
std::shared_ptr<AnalysisJobs::Job> AnalysisJobs::next() {
  std::shared_ptr<Job> newest;
  for (const auto &[key, job] : jobs_)
    if (!job->isDone && !job->isRunning && !job->isForgotten() && (!newest || job->asked.load() > newest->asked.load()))
      newest = job;
  return newest;
}

// Except for the answers that were asked for last.
void AnalysisJobs::forgetOld() {
  std::erase_if(jobs_, [](const auto &one) {
    return !one.second->isDone && !one.second->isRunning && one.second->isForgotten();
  });
  while (jobs_.size() > kKept) {
    auto oldest = jobs_.end();
    for (auto at = jobs_.begin(); at != jobs_.end(); ++at)
      if (at->second->isDone && (oldest == jobs_.end() || at->second->asked.load() < oldest->second->asked.load()))
        oldest = at;
    if (oldest == jobs_.end())
      return;
    jobs_.erase(oldest);
  }
}

void AnalysisJobs::work() {
  // Pictures come first. Threads that an analysis starts inherit this.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 5);
  std::unique_lock lock(mutex_);
  while (!stop_) {
    forgetOld();
    const std::shared_ptr<Job> job = next();
    if (!job) {
      isNew_.wait(lock);
      continue;
    }
    job->isRunning = true;
    lock.unlock();
    const auto end = Clock::now() + job->mostTime;
    view::AnalysisLimits limits;
    limits.mostEvents = job->mostEvents;
    limits.isOver = [&] { return stop_ || job->isForgotten() || Clock::now() > end; };
    limits.tell = [&](double progress) { job->progress = progress; };
    const auto result = job->work(limits);
    lock.lock();
    job->isRunning = false;
    const bool isStopped = !result && view::isStopped(result.error());
    if (isStopped && Clock::now() <= end)
      continue; // nobody asks for it: forgetOld()
    JsonMembers json;
    if (isStopped)
      json.text("state", "too_long");
    else if (!result)
      json.text("error", oneLine(result.error().text()));
    job->reply = result ? HttpReply{200, *result} : HttpReply{isStopped ? 200 : 410, json.object()};
    job->isDone = true;
    job->work = nullptr;
    isDone_.notify_all();
  }
}

} // namespace ada::cli
