// Keeps rows that the server refused, so that the user can find out why.
#pragma once

#include "loader.h"

#include <cstdint>
#include <string>

namespace ada::cli {

class RefusedBlocks {
public:
  /// `mostBytes`: the oldest blocks are deleted to stay below this size; 0: no limit.
  explicit RefusedBlocks(std::string directory, uint64_t mostBytes = 0)
      : directory_(std::move(directory)), mostBytes_(mostBytes) {}

  const std::string &directory() const { return directory_; }
  /// Writes SESSION-TABLE-NUMBER.rowbinary as it was to be sent, and beside it a .json with the block's origin, its
  /// columns and the server's answer. The same block again replaces both files. Both are on disk when this returns.
  /// Errors: E_IO; E_FULL if the block alone exceeds the limit.
  Expected<void> keep(const std::string &unit, const RefusedBlock &block);
  /// The size of all its files.
  uint64_t bytes() const;

private:
  void makeRoom(uint64_t bytes);

  std::string directory_;
  uint64_t mostBytes_;
};

} // namespace ada::cli
