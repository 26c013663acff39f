// Locations and names of sessions.
#pragma once

#include "trace/base/file_bytes.h"
#include "trace/base/kept_files.h"

#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ada::cli {

/// The directory in which sessions are created and searched.
inline constexpr const char *kDefaultOutput = "ada-traces";

/// Makes a directory and its missing parents, accessible only to the user. True if it did not exist before.
bool makePrivateDirectories(const std::string &path, std::error_code &error);

/// Makes `output` and in it session_YYYYMMDD_HHMMSS (UTC), with _2, _3, … appended if that exists. Returns
/// nothing, with a sentence in `problem`, if it can't.
std::optional<std::string> makeSession(const std::string &output, std::string &problem);

/// The same in a directory that exists: `make` makes a directory, and returns an errno number or 0.
std::optional<std::string> makeSessionBy(const std::function<int(const std::string &)> &make, const std::string &output,
                                         std::string &problem);

/// The process directories of a session: pid_N, and after an exec pid_N_2, ….
std::vector<std::string> processDirectories(const std::string &session);

/// N of a directory pid_N or pid_N_M; nothing for other names.
std::optional<unsigned> processId(const std::string &directory);

/// The path, or if it is empty the newest session under ./ada-traces. If there is none, ends the command, and names one
/// that `record --output` has made nearby. `other`: what can be named besides a session, like "a process".
std::string sessionOrNewest(const std::string &path, const char *other = nullptr);

} // namespace ada::cli
