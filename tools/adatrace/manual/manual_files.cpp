// Writes the manual and the completions.
#include "manual_files.h"

#include "completions.h"
#include "roff.h"
#include "terminal/terminal.h"
#include "topics.h"

#include <filesystem>
#include <fstream>

namespace ada::cli {

namespace fs = std::filesystem;

// What was written, or a complaint.
static bool write(const fs::path &path, const std::string &text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  return file || fail(kCantRead, "{} can't be written", path.string()) == kOk;
}

int writeManual(const std::string &directory) {
  const fs::path share = directory;
  std::vector<std::string> names;
  for (const Topic &topic : topics()) {
    names.push_back(topic.name);
    const Page &page = topic.page;
    if (!write(share / fmt::format("man/man{0}/{1}.{0}", page.section, page.name), roffOf(page)))
      return kCantRead;
  }
  const std::vector<CommandText> commands = allCommands();
  const bool isWritten = write(share / "bash-completion/completions/adatrace", bashCompletion(commands, names)) &&
                         write(share / "zsh/site-functions/_adatrace", zshCompletion(commands, names)) &&
                         write(share / "fish/vendor_completions.d/adatrace.fish", fishCompletion(commands, names));
  return isWritten ? kOk : kCantRead;
}

} // namespace ada::cli
