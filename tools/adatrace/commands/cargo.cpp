// adatrace cargo: builds Rust programs that are traced.
#include "command.h"
#include "doctor/rust.h"
#include "process/child_process.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

namespace cargo_command {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string include, exclude, calls;
  bool staticRuntime = false;
};

// Cargo passes the words of this variable to rustc, as it does those of RUSTFLAGS, which has no way to write a space.
constexpr const char *kEncoded = "CARGO_ENCODED_RUSTFLAGS";

std::string oldFlags() {
  if (const char *encoded = std::getenv(kEncoded))
    return encoded;
  std::string words;
  for (const char *at = std::getenv("RUSTFLAGS"); at && *at; ++at)
    words += *at == ' ' ? '\x1f' : *at;
  return words;
}

// rustc reads options for LLVM before it loads a plugin: the plugin's are given in the environment.
void addPluginOptions(const Options &options) {
  std::string text;
  if (const char *before = std::getenv("ADA_PASS_OPTIONS"))
    text = before;
  const auto add = [&](const char *name, const std::string &value) {
    if (!value.empty())
      text += fmt::format("{}-ada-{}='{}'", text.empty() ? "" : " ", name, value);
  };
  add("include", options.include);
  add("exclude", options.exclude);
  add("calls", options.calls);
  if (!text.empty())
    setenv("ADA_PASS_OPTIONS", text.c_str(), 1);
}

int run(const Options &options, const Invocation &invocation) {
  if (invocation.program.empty())
    return fail(kWrongUsage, "cargo: give cargo's own command, such as `adatrace cargo build --release`");
  const std::optional<InstalledParts> place = InstalledParts::find();
  if (!place)
    return fail(kCantRead, "cargo: the plugin (libAdaTrace-N.so) was not found next to this tool; is it installed?");
  const std::optional<unsigned> major = llvmOfRustc();
  if (!major || !place->majors.contains(*major))
    return fail(kWrongUsage, "cargo: {}", missingRust(*place, major));
  std::string flags = oldFlags();
  for (const std::string &flag : rustFlags(*place, *major, {.staticRuntime = options.staticRuntime}))
    flags += (flags.empty() ? "" : "\x1f") + flag;
  setenv(kEncoded, flags.c_str(), 1);
  setenv("RUSTC_BOOTSTRAP", "1", 1); // stable rustc takes -Z options then
  addPluginOptions(options);
  std::vector<std::string> argv = {"cargo"};
  argv.insert(argv.end(), invocation.program.begin(), invocation.program.end());
  const Ending ending = runProgram(argv, std::chrono::hours(1), {});
  if (ending.startError)
    return fail(ending.exitCode(), "cargo {}", describe(ending));
  return ending.exitCode();
}

void declare(CommandLine &line, Options &options) {
  // Only for --help: main() removes cargo's arguments before the options are parsed.
  line.option("command", options.command, "Cargo's command, and all its arguments");
  line.option("--include", options.include, "Trace only functions that match").type("GLOBS");
  line.option("--exclude", options.exclude, "Do not trace functions that match").type("GLOBS");
  line.option("--calls", options.calls, "Also trace calls of these functions of libraries that are not traced")
      .type("GLOBS");
  line.flag("--static", options.staticRuntime, "Link the runtime into programs instead of libAdaRuntime.so");
}

} // namespace
} // namespace cargo_command

const Command kCargo = {
    .name = "cargo",
    .summary = "Build a traced Rust program",
    .examples = "adatrace cargo build --release\n"
                "adatrace cargo --exclude='serde*|regex*' build",
    .declare = withOptions<cargo_command::declare, cargo_command::run>,
    .takesProgram = true,
};

} // namespace ada::cli
