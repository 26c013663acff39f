// The constant data that the plugin adds to an object: ada_function entries, enable bytes, the image.
//
// Hooks are placed after inlining, so all hooks of a function are in its own body. Entry and byte are private, in the
// function's comdat group or in one of their own, as in pass/llvm/site_table.h. They are written as text at the end of
// the unit. The code refers to variables that GCC never defines, whose names are local labels of the assembler.
#pragma once

#include "gcc_headers.h"

#include <cstdint>
#include <deque>
#include <map>

namespace ada::pass {

/// What the hooks of one function refer to, and what its entry says.
struct Site {
  tree entry;  // a variable: the ada_function
  tree enable; // its byte
  unsigned number;
  std::string symbol, group;
  std::string name, pretty, shown, file, signature, types;
  bool isWrapper = false; // of a library function, which is what the entry describes
  unsigned line = 0, flags = 0, carried = 0;
};

class SiteTable {
public:
  /// Makes the entry of FUNCTION.
  Site &add(tree function);
  /// Writes what was added, and registers it: the image with its constructor and destructor. Writes nothing if no
  /// function was added.
  void write(FILE *file);
  /// Names a function without hooks in the object, and the reason.
  void leaveOut(const std::string &symbol, const char *reason) { leftOut_.emplace_back(symbol, reason); }

private:
  std::vector<std::pair<std::string, std::string>> leftOut_;
  std::deque<Site> sites_;
  std::map<std::string, unsigned> strings_;

  unsigned string(const std::string &text);
};

} // namespace ada::pass
