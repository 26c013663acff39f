// What people call processes and threads: docs/reference/commands.md#what-processes-and-threads-are-called.
//
// A trace says which program a process executed, and the system's name of each thread. Neither is what a table should
// show: the names of processes are those of directories, and a thread has the name of the one that began it unless the
// program gave it another. Here it is decided what is shown, for all commands, exports and the viewer.
#pragma once

#include "ada/trace/model.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::model {

/// "git": the last component of the path of what it executed, or of its first argument. Empty if neither is known.
std::string programOf(std::string_view executable, std::string_view firstArgument = {});
inline std::string programOf(const Process &process) { return programOf(process.executable); }

/// What a process's label is made from.
struct ProcessFacts {
  std::string name;    ///< as Process::name
  std::string program; ///< empty if it is not known: then the name is the label
};
/// The labels of all processes of a trace.
std::vector<std::string> processLabels(std::span<const ProcessFacts> processes);

/// For sinks, which may get processes and threads without labels.
std::string nameForPeople(const Process &process);
std::string nameForPeople(const Thread &thread);

/// Makes the labels of a process's threads, one after the other in the order in which they began.
class ThreadLabels {
public:
  /// `mainName`: the name of the thread that has the process's number; empty if the trace has no such thread.
  /// `programs`: names of the program, with or without a path, after which the system may have named it.
  ThreadLabels(std::optional<uint64_t> pid, std::string_view mainName, std::span<const std::string_view> programs);

  /// Calls outermost() for a thread that has no name of its own: the function's name as people read it, or empty.
  template <class Outermost> std::string next(uint64_t tid, std::string_view name, Outermost &&outermost) {
    const bool isMain = pid_ == tid && !hadMain_; // fibers have the same number
    hadMain_ |= isMain;
    if (isOwn(name, isMain))
      return std::string(name);
    return isMain ? "main" : numbered(outermost());
  }

private:
  bool isOwn(std::string_view name, bool isMain) const;
  std::string numbered(std::string_view function);

  std::optional<uint64_t> pid_;
  std::string mainName_;
  std::vector<std::string> programs_;
  bool hadMain_ = false;
  std::map<std::string, unsigned, std::less<>> used_; ///< how many threads are called by a function
};

/// The first of the names, demangled and outermost first, that is not a function of a standard library, which calls a
/// thread's function.
std::string_view outermostOf(std::span<const std::string_view> names);
/// How many functions outermostOf() should get.
inline constexpr size_t kOutermostSearched = 8;

} // namespace ada::model
