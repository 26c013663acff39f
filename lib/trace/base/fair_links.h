// Opens what others may have prepared: a symbolic link may not lead a reader to what the link's maker could not read.
//
// A session of another user may have a link instead of a file, to something that only the reader can read: its bytes
// would get into an answer, a converted trace or an archive that the reader gives away. So a link is followed only if
// root or this user made it, or if its maker also owns what is opened. The kernel's fs.protected_symlinks does the same
// in sticky directories.
#pragma once

#include "trace/base/file_descriptor.h"

#include <fcntl.h>
#include <string>

namespace ada {

constexpr unsigned kMaxLinks = 40; ///< in one path, as in the kernel
/// The target of a symbolic link that was opened with O_PATH | O_NOFOLLOW; empty if it can't be read.
std::string targetOf(const FileDescriptor &link);

/// As open(2) without O_CREAT; O_CLOEXEC is added. ELOOP also for a link that is not to be followed. A device is not
/// opened, whoever names it, because that alone may do something: rewind a tape, start a watchdog. Its descriptor has
/// O_PATH, so fstat() says what it is.
int openFairly(const std::string &path, int flags);
/// As open(2) without O_CREAT, for a path that others may have written into a file: opens what is a regular file
/// or a directory, and never anything else, whatever is put there meanwhile. O_CLOEXEC is added. EINVAL otherwise.
int openOrdinary(const std::string &path, int flags, int directory = AT_FDCWD);

} // namespace ada
