// Rows that the server refused, kept for whoever finds out why.
#ifndef ADATRACE_FLEET_REFUSED_BLOCKS_H
#define ADATRACE_FLEET_REFUSED_BLOCKS_H

#include "loader.h"

#include <cstdint>
#include <string>

namespace ada::cli {

class RefusedBlocks {
public:
  /// `mostBytes`: the oldest ones go if there would be more; 0: any number.
  explicit RefusedBlocks(std::string directory, std::uint64_t mostBytes = 0)
      : directory_(std::move(directory)), mostBytes_(mostBytes) {}

  const std::string &directory() const { return directory_; }
  /// Writes SESSION-TABLE-NUMBER.rowbinary as it was to be sent, and a .json beside it that says of what it is, for
  /// which columns, and what the server answered. The same block again replaces both. Both are on the disk
  /// when this returns. Errors: E_IO; E_FULL if it alone is more than there may be.
  Expected<void> keep(const std::string &unit, const RefusedBlock &block);
  /// Of all of its files.
  std::uint64_t bytes() const;

private:
  void makeRoom(std::uint64_t bytes);

  std::string directory_;
  std::uint64_t mostBytes_;
};

} // namespace ada::cli
#endif // ADATRACE_FLEET_REFUSED_BLOCKS_H
