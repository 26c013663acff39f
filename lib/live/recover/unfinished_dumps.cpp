// Finds dumps that nobody will finish.
#include "live/recover/unfinished_dumps.h"

#include "trace/base/format.h"
#include "trace/base/temporary_directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ada::recover {

namespace fs = std::filesystem;

namespace {

// The process in the name of an unfinished dump.
std::optional<uint32_t> dumpingProcess(std::string_view name) {
  constexpr std::string_view kMark = ".part-";
  const size_t at = name.rfind(kMark);
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  const std::string_view digits = name.substr(at + kMark.size());
  uint32_t pid = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  const bool isNumber = problem == std::errc() && end == digits.data() + digits.size();
  return isNumber && pid > 0 ? std::optional(pid) : std::nullopt;
}

// Whether the directory is this user's and has nothing in it but the process's own directory.
bool isDump(const fs::path &path, uint32_t pid) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
    return false;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path().filename() != fmt::format("pid_{}", pid) || !fs::is_directory(at->symlink_status(error)))
      return false;
  return !error;
}

bool isRunning(uint32_t pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH; }

} // namespace

void removeUnfinishedDumps(const std::string &parent, std::optional<uint64_t> dead, time_t now) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end; at.increment(ignored))
    if (const auto pid = dumpingProcess(at->path().filename().string());
        pid && isDump(at->path(), *pid) &&
        (pid == dead ||
         (!isRunning(*pid) && TemporaryDirectory::isAbandoned(false, lastChange(at->path().string()), now))))
      found.push_back(at->path());
  for (const fs::path &path : found)
    fs::remove_all(path, ignored);
}

} // namespace ada::recover
