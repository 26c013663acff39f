// Was this program built with the plugin?.
#ifndef ADATRACE_ELF_INSTRUMENTATION_H
#define ADATRACE_ELF_INSTRUMENTATION_H

#include "elf_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

struct InstrumentedFunction {
  std::string name;   ///< as in the object file
  std::string pretty; ///< demangled, or the same
  std::string file;
  uint32_t line = 0;
};

/// Number of function table entries in all `ada_functions` sections.
uint64_t instrumentedFunctionCount(const ElfFile &file);

/// The entries themselves; for linked images only (those of an object file are
/// not relocated yet). Entries that point outside of the file are left out.
std::vector<InstrumentedFunction> instrumentedFunctions(const ElfFile &file);

/// The ABI version the pass left in the image's ada_image; nothing if the symbol
/// table was stripped or the file is not linked.
std::optional<uint32_t> abiVersion(const ElfFile &file);

/// What can be said of a program before it is started.
enum class Instrumentation {
  Yes,     ///< it, or a library it is linked with, has instrumented functions
  No,      ///< neither has
  Unknown, ///< a script, a stripped section table, a library that was not found
};
Instrumentation instrumentationOf(const std::string &program);

/// True for shells, interpreters and launchers: that they are not instrumented
/// says nothing about what they load and start.
bool startsOtherPrograms(const std::string &program);

} // namespace ada::cli
#endif // ADATRACE_ELF_INSTRUMENTATION_H
