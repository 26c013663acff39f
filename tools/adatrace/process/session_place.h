// Where sessions lie and how they are named.
#ifndef ADATRACE_SESSION_PLACE_H
#define ADATRACE_SESSION_PLACE_H

#include "base/file_bytes.h"
#include "base/kept_files.h"

#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ada::cli {

/// The directory in which sessions are made and looked for.
inline constexpr const char *kDefaultOutput = "ada-traces";

/// Makes a directory and what is missing above it, for its user alone. True if it was not there.
bool makePrivateDirectories(const std::string &path, std::error_code &error);

/// Makes `output` and in it session_YYYYMMDD_HHMMSS (local time), with _2, _3, …
/// appended if that exists. Nothing and a sentence in `problem` if it can't.
std::optional<std::string> makeSession(const std::string &output, std::string &problem);

/// The process directories of a session: pid_N, and pid_N_2, … after an exec.
std::vector<std::string> processDirectories(const std::string &session);

/// N of a directory pid_N or pid_N_M, if it is one.
std::optional<unsigned> processId(const std::string &directory);

/// The path, or if it is empty the newest session under ./ada-traces; nothing, after saying so, if there is none.
std::optional<std::string> sessionOrNewest(const std::string &path);

} // namespace ada::cli
#endif // ADATRACE_SESSION_PLACE_H
