// Chooses the way by which an order reaches a process.
#include "live/control/control.h"

#include "live/control/mapped_ring.h"
#include "live/control/waiting_process.h"

namespace ada::control {

using What = Answer::What;

namespace {

// What can be ordered of a process that has recorded nothing.
Answer giveToWaiting(const ProcessFacts &process, const std::string &order, const std::string &options,
                     uint64_t leaseNs) {
  const std::string who = named(process.pid);
  Answer answer;
  std::optional<WaitingProcess> waiting = WaitingProcess::find(process, answer);
  if (!waiting)
    return answer;
  if (waiting->state() != WaitingBlock::Waits)
    return {What::NotRecording, who + " runs untraced: its ADA_OPTIONS are wrong, it is set-user-ID, it could not "
                                      "begin to record, or it is about to end"};
  if (order == "start") {
    if (waiting->isEnabled())
      return {What::NoAnswer, who + " records as soon as it calls a function that is selected"};
    return waiting->give(options.empty() ? order : order + " " + options, leaseNs, kPatience);
  }
  if (order == "stop") {
    if (!waiting->isEnabled())
      return {};
    answer = waiting->give(order, 0, std::chrono::milliseconds(0));
    return answer.what == What::NoAnswer ? Answer() : answer;
  }
  return {What::NotRecording,
          who + " has recorded nothing yet: `adatrace start " + std::to_string(process.pid) + "` makes it record"};
}

} // namespace

Answer give(pid_t pid, const std::string &order, const std::string &startOptions, uint64_t leaseNs) {
  const std::optional<ProcessFacts> process = factsOf(pid);
  if (!process)
    return {What::NoProcess, "there is no " + named(pid)};
  Answer answer;
  if (const auto ring = MappedRing::ofProcess(*process, answer))
    return ring->give(startOptions.empty() ? order : order + " " + startOptions, pid, leaseNs);
  return answer.what == What::NotTraced ? giveToWaiting(*process, order, startOptions, leaseNs) : answer;
}

Answer giveByRing(const std::string &ringPath, const std::string &directory, const std::string &order) {
  if (const auto ring = MappedRing::ofDirectory(ringPath, directory))
    return ring->give(order, static_cast<pid_t>(ring->header().pid));
  return {What::NotRecording, ringPath + " is not the ring file of a program that is recording into " + directory};
}

} // namespace ada::control
