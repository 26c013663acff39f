// Finds files by path, in the file system or in an archive.
#include "trace/base/file_tree.h"

#include "trace/base/file_bytes.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/same_file.h"
#include "trace/base/tar_format.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace ada {

namespace fs = std::filesystem;

namespace {

// Archives that are in use, by what identifies the file and its contents.
class OpenArchives {
public:
  // Null if the file is not an archive.
  Expected<std::shared_ptr<const OpenArchive>> open(const std::string &path, const struct stat &info) {
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(known_, [](const Known &one) { return one.archive.expired(); });
      const auto found = std::ranges::find_if(known_, [&](const Known &one) { return one.isOf(path, info); });
      if (found != known_.end())
        if (auto archive = found->archive.lock())
          return last_ = std::move(archive);
    }
    if (!isArchiveFile(path))
      return std::shared_ptr<const OpenArchive>();
    auto file = std::make_shared<FileBytes>(ADA_TRY(FileBytes::open(path)));
    auto parsed = ADA_TRY(Archive::parse(file->bytes(), path, file->holes()));
    const std::lock_guard lock(mutex_);
    last_ = std::make_shared<const OpenArchive>(OpenArchive{std::move(file), std::move(parsed)});
    known_.push_back({path, info, last_});
    return last_;
  }

private:
  struct Known {
    std::string path; // the name in messages
    struct stat info;
    std::weak_ptr<const OpenArchive> archive;
    bool isOf(const std::string &place, const struct stat &now) const {
      return path == place && isSameFile(info, now) && info.st_size == now.st_size &&
             info.st_mtim.tv_sec == now.st_mtim.tv_sec && info.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
    }
  };
  std::mutex mutex_;
  std::vector<Known> known_;
  std::shared_ptr<const OpenArchive> last_;
};

OpenArchives &openArchives() {
  static auto *const archives = new OpenArchives; // never destroyed: a source may be, after it
  return *archives;
}

std::string_view withoutSlashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

} // namespace

std::string lastNameOf(const std::string &path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

bool isArchiveFile(const std::string &path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  std::array<std::byte, tar::kBlockBytes> head;
  return file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::pread(file.get(), head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()) && tar::isArchive(head);
}

std::optional<Expected<ArchivePlace>> archivePlaceOf(const std::string &path) {
  // The longest part that the system can look up.
  std::string file(withoutSlashes(path));
  struct stat info;
  while (::stat(file.c_str(), &info) != 0) {
    const size_t slash = file.rfind('/');
    if (errno != ENOTDIR || slash == file.npos || slash == 0)
      return std::nullopt;
    file = withoutSlashes(std::string_view(file).substr(0, slash));
  }
  if (!S_ISREG(info.st_mode))
    return std::nullopt;
  auto archive = openArchives().open(file, info);
  if (!archive)
    return Expected<ArchivePlace>(archive.error());
  if (!*archive)
    return std::nullopt;
  std::string name;
  for (const std::string_view part : partsOf(std::string_view(path).substr(file.size()), '/'))
    if (part != ".")
      name.append(name.empty() ? "" : "/").append(part);
  return Expected<ArchivePlace>(ArchivePlace{*std::move(archive), std::move(name)});
}

// The place in an archive that can be read.
static std::optional<ArchivePlace> readablePlace(const std::string &path) {
  auto place = archivePlaceOf(path);
  return place && *place ? std::optional(**std::move(place)) : std::nullopt;
}

bool fileExists(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 || (errno == ENOTDIR && fileKind(path) != FileKind::None);
}

FileKind fileKind(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode) || (S_ISREG(info.st_mode) && isArchiveFile(path)))
      return FileKind::Directory;
    return FileKind::File;
  }
  if (errno != ENOTDIR)
    return FileKind::None;
  const auto place = readablePlace(path);
  if (!place)
    return FileKind::None;
  if (place->in->archive.isDirectory(place->name))
    return FileKind::Directory;
  return place->in->archive.find(place->name) ? FileKind::File : FileKind::None;
}

std::optional<uint64_t> fileBytes(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? std::optional(static_cast<uint64_t>(info.st_size)) : std::nullopt;
  if (const auto place = errno == ENOTDIR ? readablePlace(path) : std::nullopt)
    if (const Archive::Member *member = place->in->archive.find(place->name); member && !member->isDirectory)
      return member->bytes;
  return std::nullopt;
}

std::vector<Archive::Entry> directoryEntries(const std::string &path) {
  std::vector<Archive::Entry> entries;
  std::error_code error;
  fs::directory_iterator at(path, error);
  if (error == std::errc::not_a_directory) {
    if (const auto place = readablePlace(path))
      return place->in->archive.entries(place->name);
    return entries;
  }
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    entries.push_back({at->path().filename().string(), at->is_directory(ignored)});
  }
  return entries;
}

void eachFileBelow(const std::string &path, const std::function<void(const std::string &)> &visit) {
  std::error_code error;
  if (const auto place = fs::is_directory(path, error) ? std::nullopt : readablePlace(path)) {
    const std::string below = place->name.empty() ? std::string() : place->name + "/";
    for (const auto &[name, member] : place->in->archive.members())
      if (!member.isDirectory && name.starts_with(below))
        visit(name.substr(below.size()));
    return;
  }
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (fs::is_regular_file(at->symlink_status(ignored)))
      visit(at->path().lexically_relative(path).string());
  }
}

} // namespace ada
