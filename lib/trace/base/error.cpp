// The one-line form of an error.
#include "ada/trace/error.h"

#include "text.h"

namespace ada {

std::string Error::text() const {
  std::string line;
  if (!file.empty())
    line += file + ": ";
  if (offset)
    line += "at byte " + std::to_string(*offset) + ": ";
  if (!field.empty())
    line += field + ": ";
  if (!expected.empty())
    line += "expected " + expected + (found.empty() ? ": " : ", ");
  if (!found.empty())
    line += "found " + found + ": ";
  line += message;
  line += " [" + code + "]";
  return oneLine(line); // names of files, and what was found in them, may contain anything
}

} // namespace ada
