// Sessions that are in a database, as the analyses see those that are files.
#ifndef ADATRACE_FLEET_LOADED_SESSIONS_H
#define ADATRACE_FLEET_LOADED_SESSIONS_H

#include "server.h"

#include "analysis/call_paths.h"
#include "analysis/report.h"

#include <string>
#include <vector>

namespace ada::cli {

/// Errors: E_USAGE, E_SCHEMA and those of servers. `credentials`: a file, or empty.
Expected<Server> openDatabase(const std::string &address, const std::string &credentials);
inline bool isDatabase(std::string_view text) { return text.starts_with("clickhouse"); }

/// The sessions that are there as a whole and have NAME=VALUE for a label, or host=NAME, or session=NAME; empty: all of
/// them. Errors: E_USAGE if there are none; those of servers.
Expected<std::vector<std::string>> sessionsWith(Server &server, const std::string &label);
/// "column IN (1, 2)" of numbers for a query.
std::string isOneOf(std::string_view column, const std::vector<std::string> &numbers);

/// One for each session. A function's durations are just enough to give its median and 99th percentile.
Expected<std::vector<analysis::Report>> reportsOf(Server &server, const std::vector<std::string> &sessions);

/// All of their call paths together, in one tree. Errors: E_USAGE if the sessions have no calls, only sums of them.
Expected<analysis::CallPaths> callPathsOf(Server &server, const std::vector<std::string> &sessions);

} // namespace ada::cli
#endif // ADATRACE_FLEET_LOADED_SESSIONS_H
