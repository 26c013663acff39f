// The options with which rustc compiles traced programs.
#pragma once

#include "installed_parts.h"

#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

/// The major version of the LLVM in the rustc that cargo would run: $RUSTC, or the first one in PATH. Nothing if there
/// is none.
std::optional<unsigned> llvmOfRustc();

struct RustOptions {
  bool compile = true, link = true, staticRuntime = false;
};

/// One word each.
std::vector<std::string> rustFlags(const InstalledParts &place, unsigned major, const RustOptions &options);

/// What to say if there is no plugin for the LLVM of rustc.
std::string missingRust(const InstalledParts &place, std::optional<unsigned> major);

} // namespace ada::cli
