// Compresses the blocks of finished packed files, and changes nothing else of them.
#pragma once

#include "ada/trace/error.h"

#include <cstddef>
#include <span>
#include <string>

namespace ada::packed {

/// Writes the file that `bytes` are (an index or detail file) to `to`, with all blocks compressed: the same events, the
/// same numbers, the same open calls. False, without a file, if it is not finished, is damaged, or would not become
/// smaller. Errors: E_IO.
Expected<bool> recompressIndex(std::span<const std::byte> bytes, const std::string &to);
Expected<bool> recompressDetail(std::span<const std::byte> bytes, const std::string &to);

} // namespace ada::packed
