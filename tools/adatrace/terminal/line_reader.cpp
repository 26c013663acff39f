// Reads lines that a person types.
#include "line_reader.h"

#include "terminal.h"

#include <cstdlib>
#include <dlfcn.h>
#include <iostream>

namespace ada::cli {

void LineReader::load() {
  wasLoaded_ = true;
  void *const library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  readline_ = reinterpret_cast<char *(*)(const char *)>(dlsym(library, "readline"));
  addHistory_ = reinterpret_cast<int (*)(const char *)>(dlsym(library, "add_history"));
}

std::optional<std::string> LineReader::read(const char *prompt) {
  if (!wasLoaded_)
    load();
  std::string text;
  if (readline_) {
    char *const line = readline_(prompt);
    if (!line)
      return std::nullopt;
    text = line;
    std::free(line); // NOLINT(cppcoreguidelines-no-malloc): readline's contract
    return text;
  }
  drawLive(prompt);
  return std::getline(std::cin, text) ? std::optional(text) : std::nullopt;
}

void LineReader::remember(const std::string &text) {
  if (addHistory_)
    addHistory_(text.c_str());
}

} // namespace ada::cli
