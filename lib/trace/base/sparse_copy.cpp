// Copies the data of a file after asking the system where it is.
#include "trace/base/sparse_copy.h"

#include "trace/base/file_bytes.h"
#include "trace/base/try.h"
#include "trace/base/write_all.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ada {

static constexpr size_t kPieceBytes = 1 << 20;

static Expected<void> copyRange(int from, int to, off_t begin, off_t end, const std::string &path) {
  std::vector<char> piece(kPieceBytes);
  while (begin < end) {
    const size_t wanted = std::min(kPieceBytes, static_cast<size_t>(end - begin));
    const ssize_t n = ::pread(from, piece.data(), wanted, begin);
    if (n <= 0)
      return systemError(path, "cannot be read", n < 0 ? errno : EIO);
    if (!writeAllAt(to, piece.data(), static_cast<size_t>(n), static_cast<uint64_t>(begin)))
      return systemError(path, "cannot be copied", errno);
    begin += n;
  }
  return {};
}

Expected<void> copySparse(int from, int to, const std::string &path) {
  struct stat info = {};
  if (::fstat(from, &info) != 0 || ::ftruncate(to, info.st_size) != 0)
    return systemError(path, "cannot be copied", errno);
  for (off_t at = 0; at < info.st_size;) {
    off_t begin = ::lseek(from, at, SEEK_DATA), end = info.st_size;
    if (begin < 0 && errno == ENXIO)
      break;
    if (begin < 0) // a file system that does not report holes
      begin = at;
    else if (const off_t hole = ::lseek(from, begin, SEEK_HOLE); hole >= 0)
      end = std::min(hole, end);
    ADA_TRY(copyRange(from, to, begin, end, path));
    at = end;
  }
  return {};
}

} // namespace ada
