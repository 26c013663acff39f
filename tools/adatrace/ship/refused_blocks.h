// Rows that the server refused, kept for whoever finds out why.
#ifndef ADATRACE_SHIP_REFUSED_BLOCKS_H
#define ADATRACE_SHIP_REFUSED_BLOCKS_H

#include "fleet/loader.h"

#include <string>

namespace ada::cli {

class RefusedBlocks {
public:
  explicit RefusedBlocks(std::string directory) : directory_(std::move(directory)) {}

  const std::string &directory() const { return directory_; }
  /// Writes SESSION-TABLE-NUMBER.rowbinary as it was to be sent, and a .json beside it that says of what it is, for
  /// which columns, and what the server answered. The same block again replaces both. Errors: E_IO.
  Expected<void> keep(const std::string &unit, const RefusedBlock &block);

private:
  std::string directory_;
};

} // namespace ada::cli
#endif // ADATRACE_SHIP_REFUSED_BLOCKS_H
