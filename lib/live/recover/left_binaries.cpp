// Removes what killed processes have left in a session's folder of binaries.
#include "live/recover/leftovers.h"

#include "formats/native/directories.h"
#include "live/recover/recording_lock.h"
#include "shared/manifest_keys.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/safe_file.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

namespace ada::recover {

namespace fs = std::filesystem;

void removeLeftBinaries(const std::string &session) {
  const auto folder = canonicalPath(atf::joinPath(session, manifest::kBinariesFolder));
  if (!folder || atf::baseName(*folder) != manifest::kBinariesFolder)
    return;
  std::error_code error;
  for (fs::directory_iterator at(*folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(".new"))
      continue;
    const auto file = openWithoutLinks(at->path().string(), O_RDONLY | O_NONBLOCK);
    struct stat info;
    // A process that is about to rename its file, which it has closed, finds that it is gone, and keeps its symbols in
    // its manifest.
    if (file && ::fstat(file->get(), &info) == 0 && S_ISREG(info.st_mode) && !isOpenElsewhere(file->get()))
      (void)removeFile(at->path().string(), &info);
  }
}

} // namespace ada::recover
