// Writes messages, and texts for the system's error numbers (strerror may take locks).
#include "message.h"
#include "os.h"
#include "shared/text/utf8.h"
#include "standard_error.h"

namespace ada::runtime {

void say(const Message &m) { sayLine(Message("AdaTrace: ") << m.c_str()); }

void sayWithCommand(const Message &m, const char *command, const char *path) {
  Message whole = Message("AdaTrace: ") << m.c_str() << command;
  whole.pathForShell(path);
  // A line end follows.
  if (Message line = Message(whole) << '\n'; line.cut())
    return say(m);
  sayLine(whole);
}

// Paths and names in messages may hold anything.
static Message printable(const Message &line) {
  Message safe;
  for (size_t at = 0; at < line.size();) {
    const CodePoint c = decodeUtf8(line.c_str() + at, line.size() - at);
    if (!c.valid || isUnprintable(c.value))
      safe << '?';
    else
      for (size_t i = 0; i < c.size; ++i)
        safe << line.c_str()[at + i];
    at += c.size;
  }
  return safe;
}

void sayLine(Message line) {
  line = printable(line);
  line << '\n';
  if (isStandardErrorOpen())
    sys::write(2, line.c_str(), line.size());
}

const char *errorText(int error) {
  switch (error < 0 ? -error : error) {
  case EACCES:
    return "Permission denied";
  case EPERM:
    return "Operation not permitted";
  case ENOENT:
    return "No such file or directory";
  case ENOTDIR:
    return "Not a directory";
  case EEXIST:
    return "File exists";
  case EROFS:
    return "Read-only file system";
  case ENOSPC:
    return "No space left on device";
  case EDQUOT:
    return "Disk quota exceeded";
  case EFBIG:
    return "File too large";
  case EIO:
    return "Input/output error";
  case ENOMEM:
    return "Cannot allocate memory";
  case EMFILE:
    return "Too many open files";
  case ENFILE:
    return "Too many open files in system";
  case ENAMETOOLONG:
    return "File name too long";
  case EISDIR:
    return "Is a directory";
  case ELOOP:
    return "Too many levels of symbolic links";
  case EAGAIN:
    return "Resource temporarily unavailable";
  case EINVAL:
    return "Invalid argument";
  case ENODEV:
    return "No such device";
  case ENXIO:
    return "No such device or address";
  case ENOTCONN:
    return "Transport endpoint is not connected";
  case ESTALE:
    return "Stale file handle";
  case EOPNOTSUPP:
    return "Operation not supported";
  case ENOSYS:
    return "Function not implemented";
  }
  return "system error";
}

} // namespace ada::runtime
