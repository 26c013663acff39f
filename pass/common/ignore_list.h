// Ignore lists: LLVM's special case list format, for compilers that have no reader of it.
//
//     # comment
//     fun:*log*          the functions of these names, mangled or demangled
//     src:*/generated/*  the functions of these files
//     [other]            entries of other tools follow; those of [ada] and [*] are ours
#pragma once

#include "globs.h"

namespace ada::pass {

class IgnoreList {
public:
  /// Adds the entries of the file PATH. Returns what is wrong, or "".
  std::string add(const std::string &path);
  bool match(const FunctionNames &names) const;

private:
  std::vector<std::string> functions_, sources_;
};

} // namespace ada::pass
