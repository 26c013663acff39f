// Reads sessions from a database into the same structures that the analyses make from files.
#pragma once

#include "server.h"

#include "analysis/report/report.h"
#include "analysis/tree/call_paths.h"

#include <string>
#include <vector>

namespace ada::cli {

/// `credentials`: a file, or empty. Errors: E_USAGE, E_SCHEMA and those of servers.
Expected<Server> openDatabase(const std::string &address, const std::string &credentials);
inline bool isDatabase(std::string_view text) { return text.starts_with("clickhouse"); }

/// The completely loaded sessions that `label` selects: NAME=VALUE, host=NAME, session=NAME, or all of them if it is
/// empty. Errors: E_USAGE if there are none; those of servers.
Expected<std::vector<std::string>> sessionsWith(Server &server, const std::string &label);
/// "column IN (1, 2)" for a query, with these numbers.
std::string isOneOf(std::string_view column, const std::vector<std::string> &numbers);

/// One report for each session. A function's durations only suffice for its median and 99th percentile.
Expected<std::vector<analysis::Report>> reportsOf(Server &server, const std::vector<std::string> &sessions);

/// The call paths of all sessions, in one tree. Errors: E_USAGE if the sessions have only sums and no single calls.
Expected<analysis::CallPaths> callPathsOf(Server &server, const std::vector<std::string> &sessions);

} // namespace ada::cli
