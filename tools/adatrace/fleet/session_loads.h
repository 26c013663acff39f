// Loads sessions into a database: the code that load and ship share.
#pragma once

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
  uint64_t retryForNs = 60'000'000'000, blockRows = 200'000;
  uint64_t stepNs = 0, slowest = 0, connections = 2;
  std::string sample;
  bool spans = false, points = false, quiet = false;
  When progress = When::Auto;

  // Set by settle() and declareLoadOptions().
  std::vector<std::pair<std::string, std::string>> labelPairs; ///< by name
  double share = 0;                                            ///< `sample` as a number
  std::string plan;                                            ///< the options that choose calls, and the labels
  std::vector<Option> choices;                                 ///< options that are part of the plan
};

/// Declares the options except --quiet and --progress.
void declareLoadOptions(CommandLine &line, LoadOptions &options);
/// Checks the options. Returns false after a complaint in the name of `command`.
void settle(LoadOptions &options, const char *command);

/// What one call loads: a whole session, or one of its processes.
enum class LoadUnit { Session, Process };

/// The result of a load.
struct Loaded {
  int code = 0; ///< an exit status; problems have already been reported
  bool isInterrupted = false;
  bool wasThere = false;
  uint64_t calls = 0, spans = 0, sums = 0, skippedRows = 0, refusedRows = 0;
  uint64_t sentBytes = 0, ns = 0;
  std::string name; ///< name of the session or process, for people
};

class SessionLoads {
public:
  /// If a server does not answer, is overloaded or full, `trouble` is called instead of telling the user.
  SessionLoads(const LoadOptions &options, const char *command, std::function<void(const std::string &)> trouble = {})
      : options_(options), command_(command), trouble_(std::move(trouble)) {}

  /// Finds the servers without contacting them; wrong addresses or credentials end the command.
  void begin();
  std::vector<Server> &servers() { return servers_; }
  /// What is wrong with a session, or can't be loaded, is said in this way from now on.
  void tellThrough(std::function<void(const std::string &)> say) { say_ = std::move(say); }
  /// Calls `prepare` for every server, to make or check its tables. Returns an exit status.
  int prepare(const std::function<Expected<void>(Server &)> &prepare);
  /// `replaces`: delete rows that were loaded with another plan. `refused`: see LoadRequest.
  Loaded load(const std::string &path, LoadUnit unit, bool replaces,
              const std::function<Expected<void>(const RefusedBlock &)> &refused = {});

private:
  int complainOf(const Error &error) const;
  Patience patience(std::function<void()> clear) const;

  const LoadOptions &options_;
  const char *command_;
  std::function<void(const std::string &)> trouble_, say_ = complain;
  std::vector<Server> servers_;
};

} // namespace ada::cli
