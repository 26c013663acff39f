// A session that is being recorded: where it is, and whether any process still records into it.
#include "live_session.h"

#include "chosen_processes.h"
#include "exit_codes.h"
#include "recover_process.h"
#include "session_place.h"
#include "terminal/terminal.h"

#include "ada/trace/manifest.h"
#include "live/control/status.h"

#include <algorithm>
#include <filesystem>

namespace ada::cli {

using control::Status;

namespace {

std::string optionOf(const Status &status, std::string_view name) {
  for (const auto &[option, value] : status.options)
    if (option == name)
      return value;
  return "";
}
bool isSet(const Status &status, std::string_view name) {
  const std::string value = optionOf(status, name);
  return !value.empty() && value != "0" && value != "none";
}

} // namespace

LiveSession LiveSession::ofProcess(uint32_t pid) {
  control::Answer answer;
  const Status status = control::statusOf(static_cast<pid_t>(pid), answer);
  if (!answer)
    stop(exitCodeOf(answer.what), "{}", answer.why);
  if (status.state == Status::State::Waiting)
    stop(kCantRead,
         "process {} does not record (waiting); begin with `adatrace start {}` or `adatrace record --pid={}`", pid, pid,
         pid);
  if (status.state == Status::State::Stopped)
    stop(kCantRead, "process {} does not record (stopped); `adatrace start {}` continues", pid, pid);
  if (status.state != Status::State::Recording)
    stop(kCantRead, "process {} does not record ({})", pid, stateName(status.state));
  if (isSet(status, "flight"))
    stop(kCantRead,
         "process {} is a flight recorder: its trace is in memory until it is dumped (`adatrace trigger {}`)", pid,
         pid);
  LiveSession session;
  session.path_ = status.session;
  session.process_ = pid;
  session.pid_ = processId(status.directory); // in a container it has another number
  return session;
}

LiveSession LiveSession::at(const std::string &path) {
  LiveSession session;
  session.path_ = sessionOrNewest(path);
  return session;
}

LiveSession LiveSession::named(const std::string &target) {
  std::error_code error;
  if (const std::optional<pid_t> pid = processNumber(target); pid && !std::filesystem::exists(target, error))
    return ofProcess(static_cast<uint32_t>(*pid));
  return at(target);
}

std::string LiveSession::name() const { return pid_ ? fmt::format("{}/pid_{}", path_, *pid_) : path_; }

bool LiveSession::has(const std::string &name) const { return !pid_ || processId(name) == pid_; }

std::vector<std::string> LiveSession::directories() const {
  std::vector<std::string> found = processDirectories(path_);
  if (found.empty())
    return {path_};
  std::erase_if(found, [&](const std::string &directory) { return !has(directory); });
  return found;
}

bool LiveSession::isLive() const {
  return std::ranges::any_of(directories(), [](const std::string &directory) {
    const auto manifest = Manifest::read(directory + "/manifest.json");
    return (!manifest || manifest->exit.how != "stopped") && stateOf(directory) == ProcessState::Running;
  });
}

void LiveSession::needEverything(const char *command) const {
  for (const std::string &directory : directories()) {
    const std::optional<unsigned> pid = processId(directory);
    if (!pid || stateOf(directory) != ProcessState::Running)
      continue;
    control::Answer answer;
    const Status status = control::statusOf(static_cast<pid_t>(process_ ? process_ : *pid), answer);
    std::error_code error; // another process may have that number
    if (answer && std::filesystem::equivalent(status.directory, directory, error) &&
        (isSet(status, "max_size") || isSet(status, "max_time")))
      stop(
          kCantRead,
          "{}: process {} keeps only its newest events ({}), so it can't be followed; `adatrace top {}` shows what its "
          "functions cost",
          command, *pid, isSet(status, "max_size") ? "max_size" : "max_time", *pid);
  }
}

} // namespace ada::cli
