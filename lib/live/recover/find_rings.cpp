// Finds ring files of processes that are gone.
#include "live/recover/leftovers.h"

#include "formats/native/directories.h"
#include "live/recover/manifest_update.h"
#include "live/recover/recording_lock.h"
#include "live/recover/ring_directory.h"
#include "live/recover/ring_place.h"
#include "shared/ring/ring_places.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/same_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::recover {

namespace {

// Whether the ring of a dead process can still be used.
RingFile::State stateOfDead(const std::string &directory, const struct stat &ring) {
  struct stat info;
  if (directory.empty() || ::lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return RingFile::State::SessionGone;
  if (::stat((directory + "/ring").c_str(), &info) == 0)
    return isSameFile(info, ring) ? RingFile::State::Unfinished : RingFile::State::SessionGone;
  const Manifest manifest = readableManifest(directory);
  const bool isNamed = ::stat(ringIn(manifest).c_str(), &info) == 0 && isSameFile(info, ring);
  return isNamed || !isFinal(manifest) ? RingFile::State::Unfinished : RingFile::State::SessionGone;
}

// Checks that a flight recorder's directory is next to its ring: the ring's owner may have written any path into the
// ring.
bool isBeside(const std::string &place, const std::string &ring, const struct stat &file) {
  struct stat info, one, other;
  return !place.empty() && ::lstat(place.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == file.st_uid &&
         ::stat(atf::parentPath(place).c_str(), &one) == 0 && ::stat(atf::parentPath(ring).c_str(), &other) == 0 &&
         isSameFile(one, other);
}

std::optional<RingFile> examine(const std::string &path, uint32_t pid, bool &isUnreadable) {
  const FileDescriptor fd(openOrdinary(path, O_RDONLY | O_NOFOLLOW));
  if (!fd) {
    isUnreadable = errno == EACCES || errno == EPERM;
    return std::nullopt;
  }
  ada_ring_header header = {};
  struct stat info = {};
  const bool isRegular = ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (isRegular)
    (void)!::pread(fd.get(), &header, sizeof header, 0);
  // The magic number is written last: a process that was killed before that has recorded nothing.
  if (!isRegular || (header.magic != ADA_RING_MAGIC && header.magic != 0))
    return std::nullopt;
  const bool hasBegun = header.magic == ADA_RING_MAGIC;
  if (!hasBegun)
    header.pid = pid;
  RingFile ring;
  ring.path = path;
  ring.pid = header.pid;
  ring.bytes = static_cast<uint64_t>(info.st_blocks) * 512;
  ring.changedNs =
      static_cast<uint64_t>(info.st_mtim.tv_sec) * 1000000000u + static_cast<uint64_t>(info.st_mtim.tv_nsec);
  ring.directory = hasBegun ? directoryIn(fd.get(), header) : "";
  const RecordingLock lock(path, RecordingLock::For::Question);
  ring.isFlight = hasBegun && header.flight && isBeside(flightPlace(ring.directory), path, info);
  ring.state = isRecording(header, path, lock.owner()) ? RingFile::State::Recording : stateOfDead(ring.directory, info);
  if (ring.isFlight && ring.state == RingFile::State::Unfinished && header.state == ADA_RING_EXEC)
    ring.state = RingFile::State::Answered;
  return ring;
}

} // namespace

std::vector<std::string> usualRingPlaces() { return {std::begin(ring::kPlaces), std::end(ring::kPlaces)}; }

std::vector<RingFile> findRings(const std::vector<std::string> &directories, uint64_t *unreadable) {
  std::vector<RingFile> rings;
  if (unreadable)
    *unreadable = 0;
  for (const std::string &directory : directories) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
      const auto pid = processOfRing(at->path().filename().string());
      bool isUnreadable = false;
      if (auto ring = pid ? examine(at->path().string(), *pid, isUnreadable) : std::nullopt)
        rings.push_back(std::move(*ring));
      if (unreadable)
        *unreadable += isUnreadable;
    }
  }
  std::sort(rings.begin(), rings.end(), [](const RingFile &a, const RingFile &b) { return a.path < b.path; });
  return rings;
}

Expected<void> removeRing(const RingFile &ring) {
  bool isUnreadable = false;
  const auto now = examine(ring.path, ring.pid, isUnreadable);
  if (!now || now->state == RingFile::State::Recording)
    return Error{
        .code = "E_RUNNING", .message = "is not (or is no longer) the ring file of a dead process", .file = ring.path};
  if (::unlink(ring.path.c_str()) != 0)
    return systemError(ring.path, "cannot be removed", errno);
  if (now->state == RingFile::State::Answered)
    removeFlight(now->directory);
  return {};
}

} // namespace ada::recover
