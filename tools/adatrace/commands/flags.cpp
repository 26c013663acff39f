// adatrace flags: prints compiler options for building by hand.
#include "command.h"
#include "doctor/installed_parts.h"
#include "doctor/rust.h"

#include <filesystem>
#include <optional>
#include <set>

namespace ada::cli {

namespace flags_command {
namespace {

struct Options {
  unsigned llvm = 0, gcc = 0;
  bool compile = false, link = false, staticRuntime = false, rust = false;
};

std::string joined(const std::set<unsigned> &majors) {
  std::string text;
  for (const unsigned major : majors)
    text += (text.empty() ? "" : ", ") + std::to_string(major);
  return text;
}

int run(const Options &options, const Invocation &) {
  const std::optional<InstalledParts> place = InstalledParts::find();
  if (!place)
    return fail(kCantRead, "flags: the plugin (libAdaTrace-N.so) was not found next to this tool; is it installed?");
  const bool both = options.compile == options.link;
  if (options.rust) {
    const std::optional<unsigned> major = options.llvm ? options.llvm : llvmOfRustc();
    if (!major || !place->majors.contains(*major))
      return fail(kWrongUsage, "flags: {}", missingRust(*place, major));
    std::string text;
    for (const std::string &flag : rustFlags(*place, *major,
                                             {.compile = both || options.compile,
                                              .link = both || options.link,
                                              .staticRuntime = options.staticRuntime}))
      text += (text.empty() ? "" : " ") + flag;
    Output().print("{}\n", text);
    return kOk;
  }
  // GCC takes no '-' in the name of a plugin.
  const std::string ofGcc = fmt::format("{}/AdaTraceGcc{}.so", place->plugins.string(), options.gcc);
  if (options.gcc && !std::filesystem::exists(ofGcc))
    return fail(kWrongUsage, "flags: there is no plugin for GCC {} in {}", options.gcc, place->plugins.string());
  unsigned major = options.llvm;
  if (major && !place->majors.contains(major))
    return fail(kWrongUsage, "flags: there is no plugin for LLVM {} in {}, only for {}", major, place->plugins.string(),
                joined(place->majors));
  if (!major) {
    const std::optional<unsigned> clang = defaultClang();
    major = clang && place->majors.contains(*clang) ? *clang : *place->majors.rbegin();
  }
  const std::string libraries = place->libraries.string();
  std::string text;
  if (both || options.compile)
    text += (options.gcc ? "-fplugin=" + ofGcc
                         : fmt::format("-fpass-plugin={}/libAdaTrace-{}.so", place->plugins.string(), major)) +
            " -idirafter " + place->include.string();
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
  line.option("--gcc", options.gcc, "Options for this major version of GCC instead of clang").type("N");
  line.flag("--rust", options.rust,
            "Options for rustc instead of clang, for the variable RUSTFLAGS; `adatrace cargo` sets it")
      .excludes("--gcc");
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
