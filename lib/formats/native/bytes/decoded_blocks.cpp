// Few files keep what they have decoded: a list of the newest, which is one for all readers of the program.
#include "formats/native/bytes/decoded_blocks.h"

#include <array>
#include <mutex>
#include <utility>

namespace ada::atf {

void DecodedBlocks::keep(const std::shared_ptr<DecodedBlocks> &file) {
  static std::mutex mutex;
  static std::array<std::weak_ptr<DecodedBlocks>, 64> files;
  static size_t next = 0;
  if (file->areKept_.exchange(true))
    return;
  std::shared_ptr<DecodedBlocks> oldest;
  {
    const std::lock_guard lock(mutex);
    oldest = std::exchange(files[next++ % files.size()], file).lock();
  }
  if (!oldest)
    return;
  oldest->areKept_ = false; // first, so that what it keeps from now on is noted again
  oldest->letGo();
}

} // namespace ada::atf
