// Gives orders to traced processes on this machine: start, stop, enable, trigger and the like.
//
//   const control::Answer answer = control::give(4711, "enable net::*");
//   if (!answer) complain(answer.why);
//
// The process executes an order within microseconds. Nothing in it is interrupted: no signal, no stop, and no system
// call that returns early.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace ada::control {

/// What became of an order.
struct Answer {
  enum class What {
    Done,
    NoProcess,    ///< no process has that number
    NotReadable,  ///< the system does not let us look into it, or write its memory or ring
    NotTraced,    ///< it was not built with the plugin, or runs untraced
    NotRecording, ///< it has finished recording
    OtherVersion, ///< its runtime has another ABI
    Refused,      ///< it can't do that
    NoAnswer,     ///< it did not answer in time
  } what = What::Done;
  std::string why;       ///< a sentence for people, empty if it was done
  int64_t matched = 0;   ///< how many functions the globs of the order match
  std::string text = {}; ///< what the process says

  explicit operator bool() const { return what == What::Done; }
};

/// How long a process may take to answer.
inline constexpr std::chrono::milliseconds kPatience{2000};

/// Gives a process an order: "start", "stop", "enable GLOBS", "disable GLOBS", "detail GLOBS", "no-detail GLOBS",
/// "trigger", "flush", "snapshot", "mark TEXT", "status". Waits for the answer.
/// `startOptions`: as in ADA_OPTIONS, for "start" to a process that has recorded nothing.
/// `leaseNs`: for "start": when the process stops by itself, on CLOCK_BOOTTIME; 0: it does not.
Answer give(pid_t pid, const std::string &order, const std::string &startOptions = {}, uint64_t leaseNs = 0);

/// The same to the process that records into `directory`, by the path of its ring file, from the manifest there. The
/// path is not trusted: the file must belong to the directory's owner, and name the directory.
Answer giveByRing(const std::string &ringPath, const std::string &directory, const std::string &order);

} // namespace ada::control
