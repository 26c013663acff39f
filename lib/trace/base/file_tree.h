// Files and directories by path, in the file system or in an archive: "run.adatrace/pid_1/manifest.json".
//
// A path whose beginning is an archive (tar, see trace/base/archive.h) goes on in it, as if the archive were a
// directory. These functions and FileBytes::open() are the only ones that know; whoever opens files of a session by
// them reads archives, too. A path that is not in an archive costs what it cost before: archives are looked for after
// the system has said that a part of the path is not a directory, or that it is a file where a directory may be one.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/archive.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada {

class FileBytes;

/// An archive that is mapped. It stays so as long as anybody holds it.
struct OpenArchive {
  std::shared_ptr<const FileBytes> file;
  Archive archive;
};

/// A place in an archive; `name` is empty for the archive itself.
struct ArchivePlace {
  std::shared_ptr<const OpenArchive> in;
  std::string name;
};

/// Where in an archive a path leads. Nothing if no part of it is an archive. Errors: E_IO, E_BAD_ARCHIVE.
/// The archive that was used last stays open, and those that are in use are not opened again, unless they have changed.
/// Any thread may call it.
std::optional<Expected<ArchivePlace>> archivePlaceOf(const std::string &path);
/// Whether the file itself is an archive, readable or not.
bool isArchiveFile(const std::string &path);

/// The last name in a path, also if it ends in "/" or is ".".
std::string lastNameOf(const std::string &path);

enum class FileKind : uint8_t { None, File, Directory };
/// What is there; an archive is a directory. Links are followed.
FileKind fileKind(const std::string &path);
/// Whether anything is there: as fileKind(), but does not look whether it is an archive.
bool fileExists(const std::string &path);
/// The size of a file; nothing if it is not one. A file that is compressed in an archive has the size that it has
/// there.
std::optional<uint64_t> fileBytes(const std::string &path);
/// Files and directories in a directory, in no particular order; nothing if it can't be read.
std::vector<Archive::Entry> directoryEntries(const std::string &path);
/// Visits the regular files below a directory, with their paths in it; links are not followed.
void eachFileBelow(const std::string &path, const std::function<void(const std::string &name)> &visit);

} // namespace ada
