//===- trace_input.h - opening what a subcommand reads --------------------===//
#ifndef ADATRACE_TRACE_INPUT_H
#define ADATRACE_TRACE_INPUT_H

#include "ada/trace/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ada::cli {

/// The positional argument and the options that tree, report and dump share.
struct InputOptions {
  std::string path; ///< empty: the newest session under ./ada-traces
  std::vector<std::string> threads;
  std::string from, to;
  bool detail = false; ///< open the detail files too
};

void declareSessionArgument(CLI::App &app, std::string &path);
/// The argument, --thread, --from and --to.
void declareInput(CLI::App &app, InputOptions &options);

/// A readable thread that was not filtered out.
struct InputThread {
  const atf::ProcessTrace *process = nullptr;
  const atf::ThreadTrace *thread = nullptr;
  size_t processNumber = 0; ///< position in Session::processes()
  const atf::IndexReader &events() const { return *thread->index; }
  /// "thread 3 (tid 4711, worker)", with "pid 42 " before it if asked for.
  std::string label(bool withProcess) const;
};

/// An opened session with everything said about it that its reader must know.
class TraceInput {
public:
  /// Opens it, warns on standard error about what is damaged, and selects the
  /// threads. Nothing if that fails; `exitCode` is what to return then.
  static std::optional<TraceInput> open(const InputOptions &options,
                                        int &exitCode);

  const atf::Session &session() const { return *opened; }
  const std::vector<InputThread> &threads() const { return selected; }
  bool severalProcesses() const { return opened->processes().size() > 1; }
  uint64_t eventCount() const;

  /// The range of --from and --to in absolute nanoseconds, [from, to); 0 to 2^64-1 if
  /// not given.
  uint64_t fromNs() const { return from; }
  uint64_t toNs() const { return to; }
  bool isInRange(uint64_t ns) const {
    return ns >= from && (ns < to || to == ~uint64_t(0));
  }
  /// Time of the first event of the session.
  uint64_t startNs() const { return start; }

  /// kOk, or kProblemsFound if a part of the input could not be used.
  int exitCode() const { return code; }

private:
  TraceInput() = default;
  bool select(const InputOptions &options, int &exitCode);
  void warnAndCheck();
  void warnAboutDetail(const InputThread &input);

  std::optional<atf::Session> opened;
  std::vector<InputThread> selected;
  uint64_t from = 0, to = ~uint64_t(0), start = 0;
  int code = 0;
};

/// Opens the session that `path` names (see InputOptions::path); nothing and a message on
/// standard error if that fails.
std::optional<atf::Session> openSession(const std::string &path,
                                        const atf::OpenOptions &options);

} // namespace ada::cli
#endif // ADATRACE_TRACE_INPUT_H
