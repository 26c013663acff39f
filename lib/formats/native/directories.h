// The directories of a recording: their names and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::atf {

/// "thread_3" and 3.
struct NumberedDirectory {
  std::string name;
  uint64_t number = 0;
};

bool isDirectory(const std::string &path);
bool exists(const std::string &path);
std::string joinPath(std::string_view directory, std::string_view name);
/// The last component; trailing slashes are ignored.
std::string_view baseName(std::string_view path);
/// Everything before it; "." if there is nothing.
std::string parentPath(std::string_view path);

/// The N of "thread_N", if the name is exactly that and N is decimal.
std::optional<uint64_t> threadNumber(std::string_view name);
/// The N of "pid_N" or "pid_N_M".
std::optional<uint64_t> processNumber(std::string_view name);

/// The index file in a thread's directory: index.atf, or index.atp if only that exists.
std::string indexPathIn(const std::string &threadDirectory);

/// The detail file in a thread's directory: detail.atf or detail.atp, whichever exists. If both exist, detail.atf; if
/// neither does, the one that goes with the index file.
std::string detailPathIn(const std::string &threadDirectory);

/// Directories thread_<decimal> in numeric order.
std::vector<NumberedDirectory> threadDirectories(const std::string &directory);
/// Directories that start with `prefix`, in natural order (numbers by value).
std::vector<std::string> directoriesNamed(const std::string &directory, std::string_view prefix);

} // namespace ada::atf
