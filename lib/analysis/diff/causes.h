// One reason why calls of a function take longer, or less long, than before.
#pragma once

#include <string>
#include <vector>

namespace ada::analysis {

enum class CauseKind {
  Calls,       ///< a callee is called more often, or less; or, of the total, the function itself
  Callee,      ///< a callee that was not called before, or is no longer called
  Own,         ///< the code of the function itself, or of a callee, is slower or faster
  Waiting,     ///< off-CPU by itself
  Preempted,   ///< off-CPU although it had work to do
  Argument,    ///< called with other arguments
  Exception,   ///< left by an exception more often, or less
  Recorder,    ///< held up by the recorder
  Unknown,     ///< scheduling records are missing
  Smaller,     ///< what is too little for a row of its own
  Unexplained, ///< differences that are no more than noise
};

struct Cause {
  CauseKind kind = CauseKind::Unexplained;
  std::vector<std::string> path; ///< from the function's callee down to where it happens; empty: the function itself
  std::string what;              ///< the rest, for people: "called 6.0 times instead of 3.0"
  double explainsNs = 0;         ///< part of the statistic's change; may be negative
};

} // namespace ada::analysis
