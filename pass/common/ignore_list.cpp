// Reads ignore lists, one line after the other.
#include "ignore_list.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ada::pass {

std::string IgnoreList::add(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return "can't open file '" + path + "': " + std::strerror(errno);
  bool isOurs = true;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#')
      continue;
    line = line.substr(first, last + 1 - first);
    if (line.front() == '[' && line.back() == ']') {
      isOurs = select::anyGlob(line.substr(1, line.size() - 2),
                               [](TextPiece section) { return select::Glob(section).matches(TextPiece("ada")); });
      continue;
    }
    const size_t colon = line.find(':');
    const std::string glob =
        colon == std::string::npos ? "" : line.substr(colon + 1, line.find('=', colon) - colon - 1);
    if (glob.empty())
      return "error parsing file '" + path + "': malformed line " + std::to_string(number) + ": '" + line + "'";
    const std::string kind = line.substr(0, colon);
    if (const char *fault = select::Glob(glob).fault())
      return "error parsing file '" + path + "': line " + std::to_string(number) + ": '" + glob + "' " + fault;
    if (isOurs && kind == "fun")
      functions_.push_back(glob);
    else if (isOurs && kind == "src")
      sources_.push_back(glob);
  }
  return "";
}

bool IgnoreList::match(const FunctionNames &names) const {
  const auto any = [](const std::vector<std::string> &globs, const std::string &text) {
    for (const std::string &glob : globs)
      if (select::Glob(glob).matches(TextPiece(text)))
        return true;
    return false;
  };
  return any(functions_, names.symbol()) || any(functions_, names.full()) || any(sources_, names.file());
}

} // namespace ada::pass
