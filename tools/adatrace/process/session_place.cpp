// Locations and names of sessions.
#include "session_place.h"
#include "terminal/terminal.h"

#include "ada/trace/session.h"
#include "trace/base/format.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <sys/stat.h>
#include <tuple>

namespace ada::cli {

namespace fs = std::filesystem;

// `text` as a number, if all of it is one.
static std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool makePrivateDirectories(const std::string &path, std::error_code &error) {
  const mode_t before = ::umask(077);
  const bool made = fs::create_directories(path, error);
  ::umask(before);
  return made;
}

std::optional<std::string> makeSession(const std::string &output, std::string &problem) {
  std::error_code error;
  makePrivateDirectories(output, error);
  if (error) {
    problem = fmt::format("can't create the directory {}: {}", output, error.message());
    return std::nullopt;
  }
  return makeSessionBy([](const std::string &path) { return ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno; }, output,
                       problem);
}

std::optional<std::string> makeSessionBy(const std::function<int(const std::string &)> &make, const std::string &output,
                                         std::string &problem) {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {}; // like the runtime, which can't find out local time
  gmtime_r(&now, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "session_%Y%m%d_%H%M%S", &utc);
  for (unsigned n = 1;; ++n) {
    const std::string path =
        output + (output.ends_with('/') ? "" : "/") + stamp + (n == 1 ? "" : fmt::format("_{}", n));
    const int number = make(path);
    if (number == 0)
      return path;
    if (number != EEXIST) {
      problem = fmt::format("can't create the session directory {}: {}", path, std::strerror(number));
      return std::nullopt;
    }
  }
}

std::optional<unsigned> processId(const std::string &directory) {
  const std::string name = fs::path(directory).filename().string();
  if (!name.starts_with("pid_"))
    return std::nullopt;
  const size_t second = name.find('_', 4);
  if (second != std::string::npos && !number(std::string_view(name).substr(second + 1)))
    return std::nullopt;
  return number(std::string_view(name).substr(4, second == std::string::npos ? second : second - 4));
}

std::vector<std::string> processDirectories(const std::string &session) {
  std::vector<std::pair<unsigned, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator at(session, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    // Links are not followed: an operation on a session must not affect another session.
    if (const auto pid = processId(at->path().string()); pid && fs::is_directory(at->symlink_status(ignored)))
      found.emplace_back(*pid, at->path().string());
  }
  // In numeric order: pid_7_2 before pid_7_10.
  std::ranges::sort(found, {}, [](const auto &one) { return std::tuple(one.first, one.second.size(), one.second); });
  std::vector<std::string> directories;
  for (auto &[pid, path] : found)
    directories.push_back(std::move(path));
  return directories;
}

// The latest session in the working directory or in a directory there; empty if there is none.
static std::string sessionNearby() {
  std::error_code error;
  std::vector<std::string> directories = {"."};
  for (fs::directory_iterator at(".", error), end; !error && at != end; at.increment(error))
    if (std::error_code ignored; fs::is_directory(at->symlink_status(ignored)))
      directories.push_back(at->path().filename().string());
  std::string latest;
  for (const std::string &directory : directories)
    if (const Expected<std::string> session = atf::newestSession(directory))
      if (latest.empty() || fs::path(*session).filename() > fs::path(latest).filename())
        latest = *session;
  return latest.starts_with("./") ? latest.substr(2) : latest;
}

std::string sessionOrNewest(const std::string &path, const char *other) {
  if (!path.empty())
    return path;
  if (Expected<std::string> newest = atf::newestSession(kDefaultOutput))
    return *newest;
  const std::string near = sessionNearby();
  if (!near.empty())
    stop(kCantRead, "there is no session under ./{}; name one, such as {}", kDefaultOutput, near);
  stop(kCantRead, "there is no session under ./{}; name one, or {}", kDefaultOutput,
       other ? other : "record one with `adatrace record PROGRAM`");
}

} // namespace ada::cli
