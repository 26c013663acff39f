// Looks at every process that may be looked at.
#include "live/control/traced_processes.h"

#include "formats/native/directories.h"
#include "live/control/mapped_ring.h"
#include "live/control/waiting_process.h"

#include <filesystem>
#include <functional>

namespace ada::control {

namespace {

namespace fs = std::filesystem;

std::vector<pid_t> findProcesses(const std::function<bool(const ProcessFacts &)> &mayBe,
                                 const std::function<bool(const MappedRing *, pid_t)> &isMeant) {
  std::vector<pid_t> found;
  for (const pid_t pid : allProcesses()) {
    const std::optional<ProcessFacts> process = factsOf(pid);
    if (!process || process->isOver() || pid == getpid() || (geteuid() != 0 && process->owner != geteuid()) ||
        !mayBe(*process))
      continue;
    Answer answer;
    const std::optional<MappedRing> ring = MappedRing::ofProcess(*process, answer);
    if ((ring || (answer.what == Answer::What::NotTraced && WaitingProcess::find(*process, answer))) &&
        isMeant(ring ? &*ring : nullptr, pid))
      found.push_back(pid);
  }
  return found;
}

} // namespace

std::vector<pid_t> tracedProcesses() {
  return findProcesses([](const ProcessFacts &) { return true; }, [](const MappedRing *, pid_t) { return true; });
}

std::vector<pid_t> tracedProcesses(const std::string &name) {
  const auto hasName = [&](const ProcessFacts &process) {
    std::error_code error;
    return process.name == name || fs::read_symlink(placeOf(process.pid) + "/exe", error).filename() == name;
  };
  return findProcesses(hasName, [](const MappedRing *, pid_t) { return true; });
}

std::vector<pid_t> tracedProcessesOf(const std::string &session) {
  const auto isOfSession = [&](const MappedRing *ring, pid_t pid) {
    std::error_code error;
    return ring && fs::equivalent(atf::parentPath(reachable(pid, ring->directory())), session, error);
  };
  return findProcesses([](const ProcessFacts &) { return true; }, isOfSession);
}

} // namespace ada::control
