// Adatrace flags: prints compiler options for building by hand.
#include "command.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

namespace ada::cli {

namespace fs = std::filesystem;

namespace flags_command {
namespace {

struct Options {
  unsigned llvm = 0;
  bool compile = false, link = false, staticRuntime = false;
};

// The installed parts, which are found relative to the tool, wherever it was moved.
struct Place {
  fs::path plugins, libraries, include;
  std::set<unsigned> majors; ///< major versions of LLVM with a plugin
};

std::optional<unsigned> majorOf(const std::string &name) {
  constexpr std::string_view kPrefix = "libAdaTrace-", kSuffix = ".so";
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name.size() <= kPrefix.size() + kSuffix.size())
    return std::nullopt;
  unsigned major = 0;
  const char *end = name.data() + name.size() - kSuffix.size();
  const auto [next, error] = std::from_chars(name.data() + kPrefix.size(), end, major);
  return error == std::errc() && next == end ? std::optional(major) : std::nullopt;
}

std::optional<Place> findPlace() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return std::nullopt;
  // An installation, and the build tree.
  for (const Place &relative :
       {Place{ADA_PLUGINDIR_FROM_BINDIR, ADA_LIBDIR_FROM_BINDIR, ADA_INCLUDEDIR_FROM_BINDIR, {}},
        Place{"../lib", "../lib", "../include", {}}}) {
    const auto beside = [&](const fs::path &path) { return (tool.parent_path() / path).lexically_normal(); };
    Place place = {beside(relative.plugins), beside(relative.libraries), beside(relative.include), {}};
    for (fs::directory_iterator at(place.plugins, error), end; !error && at != end; at.increment(error))
      if (const auto major = majorOf(at->path().filename().string()))
        place.majors.insert(*major);
    if (!place.majors.empty())
      return place;
  }
  return std::nullopt;
}

// The major version of the first `clang` in PATH, from the name of Debian's directory for it.
std::optional<unsigned> defaultClang() {
  const char *path = std::getenv("PATH");
  const std::string directories = path ? path : "";
  for (size_t at = 0; at < directories.size();) {
    const size_t end = std::min(directories.find(':', at), directories.size());
    std::error_code error;
    const fs::path clang = fs::canonical(fs::path(directories.substr(at, end - at)) / "clang", error);
    at = end + 1;
    if (error)
      continue;
    for (const fs::path &part : clang)
      if (const std::string name = part.string(); name.starts_with("llvm-"))
        return static_cast<unsigned>(std::atoi(name.c_str() + 5));
    const std::string name = clang.filename().string();
    if (name.starts_with("clang-"))
      return static_cast<unsigned>(std::atoi(name.c_str() + 6));
    return std::nullopt;
  }
  return std::nullopt;
}

std::string joined(const std::set<unsigned> &majors) {
  std::string text;
  for (const unsigned major : majors)
    text += (text.empty() ? "" : ", ") + std::to_string(major);
  return text;
}

int run(const Options &options, const Invocation &) {
  const std::optional<Place> place = findPlace();
  if (!place)
    return fail(kCantRead, "flags: the plugin (libAdaTrace-N.so) was not found next to this tool; is it installed?");
  unsigned major = options.llvm;
  if (major && !place->majors.contains(major))
    return fail(kWrongUsage, "flags: there is no plugin for LLVM {} in {}, only for {}", major, place->plugins.string(),
                joined(place->majors));
  if (!major) {
    const std::optional<unsigned> clang = defaultClang();
    major = clang && place->majors.contains(*clang) ? *clang : *place->majors.rbegin();
  }
  const bool both = options.compile == options.link;
  const std::string libraries = place->libraries.string();
  std::string text;
  if (both || options.compile)
    text += fmt::format("-fpass-plugin={}/libAdaTrace-{}.so -idirafter {}", place->plugins.string(), major,
                        place->include.string());
  if (both || options.link) {
    text += text.empty() ? "" : " ";
    text +=
        options.staticRuntime
            ? fmt::format("{}/libAdaRuntime.a -Wl,--export-dynamic-symbol=__ada_* -Wl,--export-dynamic-symbol=ada_*",
                          libraries)
            : fmt::format("-L{0} -Wl,-rpath,{0} -lAdaRuntime", libraries);
  }
  Output().print("{}\n", text);
  return kOk;
}

void declare(CommandLine &line, Options &options) {
  line.flag("--compile", options.compile, "Only the compiler options");
  line.flag("--link", options.link, "Only the linker options");
  line.flag("--static", options.staticRuntime, "Link the runtime into the program instead of libAdaRuntime.so");
  line.option("--llvm", options.llvm, "LLVM's major version [that of `clang`, otherwise the newest that has a plugin]")
      .type("N");
}

} // namespace
} // namespace flags_command

const Command kFlags = {
    "flags",
    "Print the compiler and linker options for building a traced program",
    "clang -O2 app.c -o app $(adatrace flags)\n"
    "clang++-19 -c -O2 app.cpp $(adatrace flags --compile --llvm=19)",
    withOptions<flags_command::declare, flags_command::run>,
};

} // namespace ada::cli
