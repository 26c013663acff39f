// Asks rustc for its LLVM, and writes the options for it.
#include "rust.h"

#include "trace/base/format.h"

#include <cstdio>
#include <cstdlib>

namespace ada::cli {

std::optional<unsigned> llvmOfRustc() {
  const char *rustc = std::getenv("RUSTC");
  setenv("ADA_RUSTC", rustc && *rustc ? rustc : "rustc", 1); // the shell quotes it
  FILE *output = popen("exec \"$ADA_RUSTC\" -vV 2>/dev/null", "r");
  unsetenv("ADA_RUSTC");
  if (!output)
    return std::nullopt;
  std::optional<unsigned> major;
  char line[256];
  while (std::fgets(line, sizeof line, output))
    if (unsigned number; std::sscanf(line, "LLVM version: %u", &number) == 1)
      major = number;
  pclose(output);
  return major;
}

std::vector<std::string> rustFlags(const InstalledParts &place, unsigned major, const RustOptions &options) {
  const std::string libraries = place.libraries.string();
  std::vector<std::string> flags;
  if (options.compile)
    flags.push_back(fmt::format("-Zllvm-plugins={}/libAdaTrace-{}.so", place.plugins.string(), major));
  if (!options.link)
    return flags;
  const auto pass = [&](const std::string &word) { flags.push_back("-Clink-arg=" + word); };
  if (options.staticRuntime) {
    pass(libraries + "/libAdaRuntime.a");
    pass("-Wl,--export-dynamic-symbol=__ada_*");
    pass("-Wl,--export-dynamic-symbol=ada_*");
  } else {
    pass("-L" + libraries);
    pass("-Wl,-rpath," + libraries);
    pass("-lAdaRuntime");
  }
  return flags;
}

std::string missingRust(const InstalledParts &place, std::optional<unsigned> major) {
  if (!major)
    return "no rustc was found in PATH, and RUSTC does not name one";
  std::string majors;
  for (const unsigned other : place.majors)
    majors += (majors.empty() ? "" : ", ") + std::to_string(other);
  return fmt::format("rustc has LLVM {}, and there are plugins in {} only for {}", *major, place.plugins.string(),
                     majors);
}

} // namespace ada::cli
