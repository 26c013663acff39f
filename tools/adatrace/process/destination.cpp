// Makes the session of a running process.
#include "destination.h"

#include "session_place.h"

#include "live/control/process_files.h"
#include "trace/base/format.h"
#include "trace/base/safe_file.h"
#include "user_rights.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

using control::ProcessFacts;

std::optional<std::string> makeSessionDirectory(const std::string &session, std::string &problem, bool &isNew) {
  std::error_code error;
  isNew = makePrivateDirectories(session, error);
  if (!error)
    return session;
  problem = fmt::format("can't create the session directory {}: {}", session, error.message());
  return std::nullopt;
}

// A session in `output`, or the given one.
std::optional<Destination> make(const std::string &session, const std::string &output, std::string &problem) {
  bool isNew = true;
  const auto path = session.empty() ? makeSession(output, problem) : makeSessionDirectory(session, problem, isNew);
  std::error_code error;
  return path ? std::optional(Destination{.session = fs::absolute(*path, error).string(), .shown = {}, .isOurs = isNew})
              : std::nullopt;
}

// Whether the process, too, can make files in it.
bool isUsable(const std::string &path, const ProcessFacts &process) {
  const UserRights rights(process);
  return rights && ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0;
}

// For the process of another user: by that user, or else by root for that user.
std::optional<Destination> makeFor(const ProcessFacts &process, const std::string &session, const std::string &output,
                                   std::string &problem) {
  std::optional<Destination> made;
  if (const UserRights rights(process); rights)
    made = make(session, output, problem);
  else
    problem = fmt::format("can't make a session for the user of process {}: {}", process.pid,
                          std::generic_category().message(errno));
  std::error_code error;
  if (const std::string given = fs::absolute(session.empty() ? output : session, error); !made && !error) {
    const auto byRoot = [&](const std::string &path) { return makeForUser(path, process); };
    std::string ignored; // the user's own reason is the better one
    if (session.empty()) {
      if (const auto path = makeSessionBy(byRoot, given, ignored))
        made = Destination{.session = *path, .shown = {}, .isOurs = true};
    } else if (const int number = byRoot(given); number == 0 || number == EEXIST)
      made = Destination{.session = given, .shown = {}, .isOurs = number == 0};
  }
  if (!made || isUsable(made->session, process))
    return made;
  problem = fmt::format("the user of process {} can't make files in {}", process.pid, made->session);
  removeIfEmpty(*made);
  return std::nullopt;
}

} // namespace

void removeIfEmpty(const Destination &place) {
  if (place.isOurs)
    removeEmptyDirectory(place.session); // through no link: it may be another user's
}

std::optional<Destination> destinationFor(pid_t pid, const std::string &session, const std::string &output,
                                          std::string &problem) {
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
  const std::string place = output.empty() ? std::string(kDefaultOutput) : output;
  const std::optional<ProcessFacts> process = control::factsOf(pid);
  const bool isOthers = process && process->owner != ::geteuid();
  std::optional<Destination> made =
      isOthers ? makeFor(*process, session, place, problem) : make(session, place, problem);
  // A directory of ours that the user can't reach: root's home, or sessions of root's own programs.
  if (!made && isOthers && wanted.empty()) {
    std::error_code error;
    removeEmptyDirectory(fs::absolute(place, error).string()); // if it is new
    made = makeFor(*process, "", "/tmp", problem);
  }
  if (made)
    made->shown = made->session;
  return made;
}

} // namespace ada::cli
