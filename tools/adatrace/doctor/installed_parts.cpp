// Where the plugins, the runtime and the headers are, and which compilers there are.
#include "installed_parts.h"

#include "trace/base/text.h"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

// N, of PREFIX N SUFFIX.
std::optional<unsigned> numberIn(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return std::nullopt;
  unsigned number = 0;
  const char *end = name.data() + name.size() - suffix.size();
  const auto [next, error] = std::from_chars(name.data() + prefix.size(), end, number);
  return error == std::errc() && next == end ? std::optional(number) : std::nullopt;
}

std::vector<fs::path> searchPath() {
  const char *path = std::getenv("PATH");
  const std::vector<std::string_view> directories = partsOf(path ? path : "", ':');
  return {directories.begin(), directories.end()};
}

} // namespace

std::optional<InstalledParts> InstalledParts::find() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return std::nullopt;
  // An installation, and the build tree.
  for (const InstalledParts &relative :
       {InstalledParts{ADA_PLUGINDIR_FROM_BINDIR, ADA_LIBDIR_FROM_BINDIR, ADA_INCLUDEDIR_FROM_BINDIR, {}},
        InstalledParts{"../lib", "../lib", "../include", {}}}) {
    const auto beside = [&](const fs::path &path) { return (tool.parent_path() / path).lexically_normal(); };
    InstalledParts place = {beside(relative.plugins), beside(relative.libraries), beside(relative.include), {}};
    for (fs::directory_iterator at(place.plugins, error), end; !error && at != end; at.increment(error))
      if (const auto major = numberIn(at->path().filename().string(), "libAdaTrace-", ".so"))
        place.majors.insert(*major);
    if (!place.majors.empty())
      return place;
  }
  return std::nullopt;
}

std::optional<unsigned> defaultClang() {
  for (const fs::path &directory : searchPath()) {
    std::error_code error;
    const fs::path clang = fs::canonical(directory / "clang", error);
    if (error)
      continue;
    for (const fs::path &part : clang)
      if (const std::string name = part.string(); name.starts_with("llvm-"))
        return static_cast<unsigned>(std::atoi(name.c_str() + 5));
    return numberIn(clang.filename().string(), "clang-", "");
  }
  return std::nullopt;
}

std::map<unsigned, fs::path> clangs() {
  std::map<unsigned, fs::path> found;
  std::error_code error;
  for (const fs::path &directory : searchPath())
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
      if (const auto major = numberIn(at->path().filename().string(), "clang-", ""))
        found.try_emplace(*major, at->path());
  return found;
}

} // namespace ada::cli
