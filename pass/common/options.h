// The options of the compiler plugins. docs/reference/pass.md says how each compiler is given them.
//
// A value on the command line overrides one in the environment variable ADA_PASS_OPTIONS; lists are joined.
#pragma once

#include <string>
#include <vector>

namespace ada::pass {

struct PassOptions {
  std::vector<std::string> include;     // globs; empty: everything
  std::vector<std::string> exclude;     // globs
  std::vector<std::string> calls;       // globs, or "default": library calls to trace
  std::vector<std::string> ignoreLists; // paths of special case lists
  std::vector<std::string> why;         // globs of functions to explain; empty: none
  unsigned minSize = 0;                 // in instructions
  bool systemHeaders = false;
  bool beforeInlining = false;
  bool unwind = true;
  bool consumeMarks = false;
  bool pointees = false;
  bool cheapOff = false;
};

/// Sets the option NAME, without "ada-", to VALUE, which is empty where none was given. Returns what is wrong, to
/// follow the option's text in a sentence, or "".
std::string setOption(PassOptions &options, const std::string &name, const std::string &value);

/// Sets what ADA_PASS_OPTIONS says. Returns a sentence about what is wrong with it, or "". LISTING: the command that
/// lists the options, for that sentence.
std::string readEnvironment(PassOptions &options, const char *listing);

} // namespace ada::pass
