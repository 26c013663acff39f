// Sessions on their way into a database: what load and ship have in common.
#ifndef ADATRACE_FLEET_SESSION_LOADS_H
#define ADATRACE_FLEET_SESSION_LOADS_H

#include "loader.h"
#include "options/command_line.h"
#include "options/filter_options.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ada::cli {

/// Options of both commands.
struct LoadOptions {
  std::string to, credentials;
  std::vector<std::string> labels, threads;
  FilterArguments filter;
  std::uint64_t retryForNs = 60'000'000'000, blockRows = 200'000;
  std::uint64_t stepNs = 0, slowest = 0, connections = 2;
  std::string sample;
  bool spans = false, points = false, quiet = false;
  std::string progress = "auto";

  // What settle() makes of them.
  std::vector<std::pair<std::string, std::string>> labelPairs; ///< by name
  double share = 0;                                            ///< that `sample` means
  std::string plan;                                            ///< what chooses calls, and the labels
  std::vector<Option> choices;                                 ///< options that are part of the plan
};

/// Declares them, but --quiet and --progress.
void declareLoadOptions(CommandLine &line, LoadOptions &options);
/// Checks them. False after a complaint in the name of `command`.
bool settle(LoadOptions &options, const char *command);

/// What is loaded by one call: a whole session, or one process of it.
enum class LoadUnit { Session, Process };

/// How that went.
struct Loaded {
  int code = 0; ///< an exit status; what went wrong was said
  bool isInterrupted = false;
  bool wasThere = false;
  std::uint64_t calls = 0, spans = 0, sums = 0, skippedRows = 0, refusedRows = 0;
  std::uint64_t sentBytes = 0, ns = 0;
  std::string name; ///< of what was loaded, for people
};

class SessionLoads {
public:
  /// `trouble`: is told of a server that does not answer, is overloaded or full, instead of people.
  SessionLoads(const LoadOptions &options, const char *command, std::function<void(const std::string &)> trouble = {})
      : options_(options), command_(command), trouble_(std::move(trouble)) {}

  /// Finds the servers; asks none. An exit status: kOk, or another one after a complaint.
  int begin();
  std::vector<Server> &servers() { return servers_; }
  /// Sees to it that every server has the tables, by `prepare`. Likewise.
  int prepare(const std::function<Expected<void>(Server &)> &prepare);
  /// `replaces`: what was loaded of it with another plan goes. `refused`: see LoadRequest.
  Loaded load(const std::string &path, LoadUnit unit, bool replaces,
              const std::function<Expected<void>(const RefusedBlock &)> &refused = {});

private:
  int complainOf(const Error &error) const;
  Patience patience(std::function<void()> clear) const;

  const LoadOptions &options_;
  const char *command_;
  std::function<void(const std::string &)> trouble_;
  std::vector<Server> servers_;
};

} // namespace ada::cli
#endif // ADATRACE_FLEET_SESSION_LOADS_H
