// Saves what a flight recorder keeps in memory as a session on disk.
#include "live/recover/leftovers.h"
#include "live/recover/unfinished_dumps.h"

#include "ada/trace/manifest.h"
#include "formats/native/directories.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/sparse_copy.h"
#include "trace/base/try.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::recover {

namespace fs = std::filesystem;

namespace {

Error failure(const std::string &path, const char *what, int number) { return systemError(path, what, number); }

Expected<void> copyFile(const std::string &from, const std::string &to) {
  const FileDescriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!in)
    return failure(from, "cannot be opened", errno);
  const FileDescriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out)
    return failure(to, "cannot be created", errno);
  return copySparse(in.get(), out.get(), to);
}

Expected<void> copyProcess(const std::string &from, const std::string &to) {
  std::error_code error;
  if (!fs::create_directories(to, error) && error)
    return failure(to, "cannot be created", error.value());
  for (fs::directory_iterator at(from, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string(), target = atf::joinPath(to, name);
    const fs::file_status status = at->symlink_status(error);
    Expected<void> copied;
    if (fs::is_directory(status))
      copied = copyProcess(at->path().string(), target);
    else if (fs::is_regular_file(status))
      copied = copyFile(at->path().string(), target);
    if (!copied)
      return copied;
  }
  return error ? failure(from, "cannot be read", error.value()) : Expected<void>();
}

} // namespace

std::string flightPlace(const std::string &directory) {
  const std::string place = atf::parentPath(directory);
  return atf::baseName(place).starts_with("adatrace-flight-") ? place : std::string();
}

// The path in an option of the recorder, made absolute; empty if the option is not set.
static std::string pathOption(const std::string &directory, std::string_view option) {
  const auto manifest = Manifest::read(atf::joinPath(directory, "manifest.json"));
  if (!manifest)
    return {};
  for (const auto &[name, value] : manifest->options)
    if (name == option && !value.empty())
      return (fs::path(manifest->cwd) / value).string();
  return {};
}

std::string flightSession(const std::string &directory) { return pathOption(directory, "session"); }
std::string flightOutput(const std::string &directory) { return pathOption(directory, "output"); }

Expected<void> checkFlight(const std::string &directory) {
  const std::string place = flightPlace(directory);
  struct stat info = {};
  if (place.empty() || ::lstat(place.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return Error{.code = "E_IO", .message = "is not the directory of a flight recorder in memory", .file = directory};
  if (info.st_uid != ::geteuid()) // only its owner may say where it goes
    return Error{.code = "E_UNSAFE", .message = "belongs to another user, who can save it as a session", .file = place};
  return {};
}

Expected<std::string> saveFlight(const std::string &directory, const std::string &session) {
  ADA_TRY(checkFlight(directory));
  const std::string name(atf::baseName(directory)), temporary = session + ".part-" + name.substr(name.find('_') + 1);
  const mode_t mask = ::umask(077);
  std::error_code error;
  fs::remove_all(temporary, error); // left by a dump that was being copied when the process was killed
  auto copied = copyProcess(directory, atf::joinPath(temporary, name));
  ::umask(mask);
  // As in the runtime, the name must be free or an empty directory's; else a number is added.
  std::string target = session;
  if (copied)
    for (unsigned number = 2; ::rename(temporary.c_str(), target.c_str()) != 0; ++number) {
      if ((errno != ENOTEMPTY && errno != EEXIST) || number == 10000) {
        copied = failure(target, "cannot be created", errno);
        break;
      }
      target = session + '_' + std::to_string(number);
    }
  if (!copied) {
    fs::remove_all(temporary, error);
    return copied.error();
  }
  removeFlight(directory);
  return target;
}

void removeFlight(const std::string &directory) {
  const std::string place = flightPlace(directory);
  if (place.empty())
    return;
  const std::string session = flightSession(directory), output = flightOutput(directory);
  const auto pid = atf::processNumber(atf::baseName(directory));
  for (const std::string &parent : {session.empty() ? std::string() : atf::parentPath(session), output})
    if (!parent.empty())
      removeUnfinishedDumps(parent, pid);
  std::error_code ignored;
  fs::remove_all(place, ignored);
}

} // namespace ada::recover
