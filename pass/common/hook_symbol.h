// The symbols by which objects call the hooks.
#pragma once

#include <string>

namespace ada::pass {

/// The symbol by which objects call the hook NAME. The runtime exports hooks with "exit" in their name under two names
/// (include/ada/abi.h), because builds check that libraries have no undefined symbol with that word.
inline std::string hookSymbol(std::string name) {
  if (const size_t at = name.find("exit"); at != std::string::npos)
    name.replace(at, 4, "leave");
  return name;
}

} // namespace ada::pass
