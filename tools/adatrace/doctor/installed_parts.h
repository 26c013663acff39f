// Where the plugins, the runtime and the headers are, and which compilers there are.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace ada::cli {

/// The installed parts, which are found relative to the tool, wherever it was moved.
struct InstalledParts {
  std::filesystem::path plugins, libraries, include;
  std::set<unsigned> majors; ///< major versions of LLVM with a plugin

  /// Nothing if no plugin was found.
  static std::optional<InstalledParts> find();
};

/// The major version of the first `clang` in PATH, from the name of Debian's directory for it.
std::optional<unsigned> defaultClang();

/// All compilers `clang-N` in PATH, by N.
std::map<unsigned, std::filesystem::path> clangs();

} // namespace ada::cli
