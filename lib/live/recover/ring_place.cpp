// Finds the ring file of a process directory.
#include "live/recover/ring_place.h"

#include "live/recover/leftovers.h"
#include "live/recover/manifest_update.h"
#include "live/recover/ring_directory.h"
#include "shared/manifest_keys.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/same_file.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::recover {

namespace {

bool exists(const std::string &path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::string linkedRing(const std::string &directory) {
  const std::string link = directory + "/ring";
  char target[PATH_MAX];
  const ssize_t length = ::readlink(link.c_str(), target, sizeof target);
  if (length <= 0)
    return link;
  std::string path(target, static_cast<size_t>(length));
  if (target[0] != '/')
    path = directory + "/" + path;
  return exists(path) || errno != ENOENT ? path : std::string(); // out of reach is not gone
}

enum class Owner { This, Another, Gone, None };

// Whose the ring file says it is: this directory's, another's, that of one that does not exist, or nobody's, because
// its process was killed before it began to record.
Owner ownerOf(const std::string &path, const std::string &directory) {
  const FileDescriptor fd(openOrdinary(path, O_RDONLY | O_NOFOLLOW));
  const std::optional<ada_ring_header> header = headerIn(fd.get());
  if (!header)
    return Owner::None;
  struct stat ours = {}, its = {};
  if (::stat(directoryIn(fd.get(), *header).c_str(), &its) != 0 || ::stat(directory.c_str(), &ours) != 0)
    return Owner::Gone;
  return isSameFile(ours, its) ? Owner::This : Owner::Another;
}

// The ring of a process that was killed before it wrote its first manifest. A ring of nobody's with the process's
// number must be that of a process that was killed while it began, as this one was: the newest, because numbers come
// again.
std::string unnamedRing(const std::string &directory) {
  std::string found;
  auto newest = std::filesystem::file_time_type::min();
  const auto pid = atf::processNumber(atf::baseName(directory));
  for (const std::string &place : usualRingPlaces()) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(place, error), end; pid && !error && at != end; at.increment(error)) {
      if (processOfRing(at->path().filename().string()) != pid)
        continue;
      const Owner owner = ownerOf(at->path().string(), directory);
      if (owner == Owner::This)
        return at->path().string();
      const auto changed = std::filesystem::last_write_time(at->path(), error);
      if (owner == Owner::None && changed >= newest)
        found = at->path().string(), newest = changed;
    }
  }
  return found;
}

// Whether the process, which has ended its trace in this directory, has left the directory for good, though its ring
// may live on: it records into the next part (option rotate), or was stopped and began again in another session.
bool hasLeft(const std::string &directory, const Manifest &manifest, const std::string &ring) {
  return manifest.part.number > 0 ||
         (manifest.exit.how == manifest::kStopped && ownerOf(ring, directory) == Owner::Another);
}

} // namespace

std::string ringIn(const Manifest &manifest) {
  for (const auto &[name, value] : manifest.recorder)
    if (name == manifest::kRing)
      return value;
  return {};
}

RingPlace findRing(const std::string &directory, const Manifest &manifest) {
  if (exists(directory + "/ring"))
    return {linkedRing(directory), true};
  std::string path = ringIn(manifest);
  if (path.empty() && !isFinal(manifest))
    path = unnamedRing(directory);
  if (path.empty() || !exists(path) || (isFinal(manifest) && hasLeft(directory, manifest, path)))
    path.clear();
  return {path, false};
}

} // namespace ada::recover
