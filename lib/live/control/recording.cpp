// Begins a recording by the way that the process allows, and keeps its lease.
#include "live/control/recording.h"

#include "live/control/mapped_ring.h"
#include "live/control/waiting_process.h"
#include "trace/base/boot_time.h"

#include <algorithm>

namespace ada::control {

using What = Answer::What;

// How to reach the process: first by its memory, and by its ring once it has one.
struct Recording::Ways {
  ProcessFacts process;
  std::optional<MappedRing> ring;
  std::optional<WaitingProcess> waiting;

  bool findRing() {
    Answer ignored;
    ring = MappedRing::ofProcess(process, ignored);
    return ring.has_value();
  }
};

Recording::Recording(std::unique_ptr<Ways> ways) : ways_(std::move(ways)) {}
Recording::Recording(Recording &&) noexcept = default;
Recording::~Recording() = default;

std::optional<Recording> Recording::begin(pid_t pid, const std::string &options, Answer &answer) {
  const std::optional<ProcessFacts> process = factsOf(pid);
  const std::string who = named(pid);
  if (!process) {
    answer = {What::NoProcess, "there is no " + who};
    return std::nullopt;
  }
  auto ways = std::make_unique<Ways>();
  ways->process = *process;
  const uint64_t lease = bootTimeNs() + kLeaseNs;
  const std::string order = options.empty() ? "start" : "start " + options;
  if (ways->findRing()) {
    if (__atomic_load_n(&ways->ring->header().state, __ATOMIC_ACQUIRE) == ADA_RING_RECORDING)
      answer = {What::Refused, who + " is recording into " + reachable(pid, ways->ring->directory()) +
                                   "; `adatrace stop " + std::to_string(pid) + "` ends that"};
    else
      answer = ways->ring->give(order, pid, lease);
  } else if (ways->waiting = WaitingProcess::find(*process, answer); ways->waiting) {
    if (ways->waiting->state() != WaitingBlock::Waits)
      answer = {What::NotRecording, who + " runs untraced, or is about to end"};
    else if (ways->waiting->isEnabled())
      answer = {What::NotRecording, who + " records as soon as it calls a function that is selected"};
    else
      answer = ways->waiting->give(order, lease, std::chrono::milliseconds(100));
    if (answer)
      ways->findRing();
    else if (answer.what != What::NoAnswer)
      return std::nullopt;
  }
  if (!ways->waiting && !answer)
    return std::nullopt;
  return Recording(std::move(ways));
}

bool Recording::hasBegun(Answer &answer) {
  answer = {};
  if (ways_->ring)
    return true;
  answer = ways_->waiting->wait(std::chrono::milliseconds(0));
  const bool waits = answer.what == What::NoAnswer;
  if (waits)
    answer = {};
  return !waits && answer && ways_->findRing();
}

void Recording::extend(uint64_t untilNs) {
  const uint64_t lease = std::min(untilNs, bootTimeNs() + kLeaseNs);
  if (ways_->ring)
    __atomic_store_n(&ways_->ring->orders().lease_ns, lease, __ATOMIC_RELAXED);
  else
    ways_->waiting->extend(lease);
}

bool Recording::isOver() const {
  const std::optional<ProcessFacts> facts = factsOf(ways_->process.pid);
  return !facts || facts->isOver() || (ways_->ring && !ways_->ring->hasDrain());
}

bool Recording::calledExec() const {
  return ways_->ring && __atomic_load_n(&ways_->ring->header().state, __ATOMIC_ACQUIRE) == ADA_RING_EXEC;
}

Answer Recording::stop() {
  if (!ways_->ring && ways_->waiting->withdraw())
    return {};
  if (!ways_->ring && (!ways_->waiting->wait(kPatience) || !ways_->findRing()))
    return {};
  return ways_->ring->give("stop", ways_->process.pid);
}

std::string Recording::directory() const {
  return ways_->ring ? reachable(ways_->process.pid, ways_->ring->directory()) : std::string();
}

uint64_t Recording::startedNs() const {
  return ways_->ring ? __atomic_load_n(&ways_->ring->header().started_ns, __ATOMIC_ACQUIRE) : 0;
}

} // namespace ada::control
