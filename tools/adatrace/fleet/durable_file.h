// Writes small files atomically, even if the machine loses power.
#pragma once

#include "ada/trace/error.h"

#include <string>
#include <string_view>

namespace ada::cli {

/// Replaces the file, which only its owner can read. If this is interrupted at any point, either the old file or the
/// new one exists. The new file is on disk when this returns. Errors: E_IO; then the old file stays.
Expected<void> writeDurably(const std::string &path, std::string_view bytes);

} // namespace ada::cli
