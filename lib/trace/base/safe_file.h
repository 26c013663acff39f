// Opens and removes files in places that another user may have prepared: a user's session that root recovers.
//
// No part of a path may be a symbolic link, so a link that is put there between check and use is found, too;
// callers make the path they are given canonical once. Only regular files with one name are written to:
// opening a FIFO or a device does not wait, and a file that has a second name may belong to another user.
// Files that root makes belong to the owner of the directory.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/file_descriptor.h"

#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace ada {

/// `path` without symbolic links, "." and "..". E_IO if there is nothing of that name.
Expected<std::string> canonicalPath(const std::string &path);

/// As open(2). Errors: E_IO, E_UNSAFE (a symbolic link on the way).
Expected<FileDescriptor> openWithoutLinks(const std::string &path, int flags, mode_t mode = 0);
/// All bytes of a regular file, or its first `most`, and what stat() says about it. Errors: E_IO, E_UNSAFE.
Expected<std::string> readWithoutLinks(const std::string &path, uint64_t most = UINT64_MAX,
                                       struct stat *about = nullptr);
/// For writing; `flags` without O_TRUNC. Errors: E_UNSAFE also if it is not a regular file, or has several names.
Expected<FileDescriptor> openForWriting(const std::string &path, int flags, mode_t mode = 0);

/// Removes a file or link; nothing if there is none. `only`: only if it is this file.
Expected<void> removeFile(const std::string &path, const struct stat *only = nullptr);
/// Makes sure that writing to `path` writes to no other name: a file that is reached by a symbolic link, or has several
/// names, is replaced by a copy, and the other name stays as it is. Nothing if there is no such file.
/// E_UNSAFE if it is not a regular file, or does not belong to the directory's owner, who must not see its bytes then.
Expected<void> makeOwnFile(const std::string &path);
/// The same for a directory that is reached by a symbolic link:
/// the link is replaced by a directory with copies of the regular files in it.
Expected<void> makeOwnDirectory(const std::string &path);
/// Removes a directory if it is empty.
void removeEmptyDirectory(const std::string &path);
/// Makes a directory (0700) that may be there already.
Expected<void> makeDirectory(const std::string &path);
/// Atomically replaces the file `path` by one with these bytes (0600): a reader sees the old file or the new one.
Expected<void> replaceFile(const std::string &path, const std::string &bytes);

} // namespace ada
