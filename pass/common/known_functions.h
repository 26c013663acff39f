// What the plugins know about library functions.
//
// Their names in the source, which of them block, allocate or do I/O, which must be called by the program itself, and
// the prototypes of those of C and POSIX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ada::pass {

/// The name that C's source uses for the function of this SYMBOL, to which glibc's headers give another one by a rule:
/// "open" for `open64`, "sscanf" for `__isoc99_sscanf`, "read" for `__read_chk`. Otherwise SYMBOL.
std::string plainName(const std::string &symbol);

/// Whether there is a prototype of the function of this name.
bool isKnownFunction(const std::string &symbol);

/// Why the function of this SYMBOL can't be called by a wrapper; null if it can.
const char *whyNotWrapped(const std::string &symbol);

/// Whether the function of this symbol, NAME in the source, blocks, allocates or does I/O (-ada-calls=default).
bool isInDefaultCalls(const std::string &symbol, const std::string &name, const std::string &demangled);

/// A function of the C library as in its manual page.
struct Prototype {
  struct Parameter {
    std::string_view type, name; // "const char *", "path"
  };
  std::string_view result;
  std::vector<Parameter> parameters;
  bool isVariadic = false;

  /// "int (const char *, int, ...)"
  std::string signature() const;
};

/// The prototype of the function of this SYMBOL; null if none is known. Whether it fits the function's declaration is
/// for the caller to see.
const Prototype *findPrototype(const std::string &symbol);

} // namespace ada::pass
