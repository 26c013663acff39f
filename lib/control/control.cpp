// Chooses the way by which an order reaches a process.
#include "control/control.h"

#include "control/mapped_ring.h"

namespace ada::control {

using What = Answer::What;

Answer give(pid_t pid, const std::string &order) {
  const std::optional<ProcessFacts> process = factsOf(pid);
  if (!process)
    return {What::NoProcess, "there is no process " + std::to_string(pid)};
  Answer answer;
  if (const auto ring = MappedRing::ofProcess(*process, answer))
    return ring->give(order, pid);
  return answer;
}

Answer giveByRing(const std::string &ringPath, const std::string &directory, const std::string &order) {
  if (const auto ring = MappedRing::ofDirectory(ringPath, directory))
    return ring->give(order, static_cast<pid_t>(ring->header().pid));
  return {What::NotRecording, ringPath + " is not the ring file of a program that is recording into " + directory};
}

} // namespace ada::control
