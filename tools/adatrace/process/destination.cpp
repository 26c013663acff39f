// Makes the session of a running process.
#include "destination.h"

#include "session_place.h"

#include "base/format.h"
#include "control/process_files.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

std::optional<Destination> destinationFor(pid_t pid, const std::string &session, const std::string &output,
                                          std::string &problem) {
  std::error_code error;
  const std::string wanted = session.empty() ? output : session;
  if (control::reachable(pid, "/") != "/") {
    if (!wanted.empty() && !wanted.starts_with('/')) {
      problem = fmt::format("process {} has other mounts than this shell, so '{}' must be an absolute path there", pid,
                            wanted);
      return std::nullopt;
    }
    Destination there;
    there.session = !session.empty() ? session
                                     : (output.empty() ? std::string("/tmp/ada-traces") : output) + "/" +
                                           fmt::format("session_of_{}_{}", pid, ::getpid());
    there.shown = control::reachable(pid, there.session);
    return there;
  }
  Destination made;
  if (!session.empty()) {
    made.isOurs = makePrivateDirectories(session, error);
    if (error) {
      problem = fmt::format("can't create the session directory {}: {}", session, error.message());
      return std::nullopt;
    }
    made.session = fs::absolute(session, error).string();
  } else {
    const std::optional<std::string> path = makeSession(output.empty() ? std::string(kDefaultOutput) : output, problem);
    if (!path)
      return std::nullopt;
    made.isOurs = true;
    made.session = fs::absolute(*path, error).string();
  }
  made.shown = made.session;
  const std::optional<control::ProcessFacts> process = control::factsOf(pid);
  if (made.isOurs && process && process->owner != ::geteuid() &&
      ::chown(made.session.c_str(), process->owner, static_cast<gid_t>(-1)) != 0) {
    problem = fmt::format("can't give {} to the user of process {}: {}", made.session, pid,
                          std::generic_category().message(errno));
    return std::nullopt;
  }
  return made;
}

} // namespace ada::cli
