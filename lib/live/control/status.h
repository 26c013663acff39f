// How the recording of a process stands.
#pragma once

#include "live/control/control.h"
#include "trace/base/table.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ada::control {

/// A process, or several that are alike.
struct Status {
  enum class State {
    Recording,
    Stopped,  ///< it has recorded, and an order stopped it
    Waiting,  ///< it has recorded nothing yet
    Finished, ///< its trace is complete, and it is about to end
    Untraced, ///< it could not begin to record, or must not
    Unknown,
  };

  pid_t pid = 0; ///< of the first
  uint64_t count = 1;
  std::string name;
  State state = State::Unknown;
  std::string session, directory; ///< of the trace; empty while it has none
  std::optional<uint64_t> events, lost, bytes, threads;
  std::optional<uint64_t> recordingNs, stoppedNs; ///< for how long it has been in that state
  std::optional<uint64_t> functions, functionsOn;
  std::string version;                                      ///< of its runtime
  std::vector<std::pair<std::string, std::string>> options; ///< all, with their values
  std::string problem;                                      ///< why something above is not known
};

const char *stateName(Status::State state);

/// Asks a process. If `answer` is not Done, nothing is known of it.
Status statusOf(pid_t pid, Answer &answer);

/// The session that a process means when it names a directory: of its own, or one that its flight recorder has written.
/// As we see it.
std::string sessionOf(pid_t pid, const std::string &directory);

/// Adds up those that have the same name, state and session; their times are those of the first.
std::vector<Status> foldedStatus(const std::vector<Status> &all);

/// The columns of `adatrace status`; with a fact for folded rows.
inline constexpr Facts kStatusIsFolded = 1;
Columns<Status> statusColumns();

} // namespace ada::control
