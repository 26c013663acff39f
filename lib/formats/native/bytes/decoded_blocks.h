// Bounds the memory that decoded blocks take in a session of many files.
#pragma once

#include <atomic>
#include <memory>

namespace ada::atf {

/// What a reader has decoded and keeps for the next question.
class DecodedBlocks {
public:
  virtual ~DecodedBlocks() = default;

  /// To be called when `file` has kept a block. At most 64 files keep theirs: that of the file which has kept some
  /// longest are let go. Any thread may call it, without holding the file's lock.
  static void keep(const std::shared_ptr<DecodedBlocks> &file);

protected:
  /// Lets all blocks go that nobody uses. Any thread may call it.
  virtual void letGo() noexcept = 0;

private:
  std::atomic<bool> areKept_ = false;
};

} // namespace ada::atf
