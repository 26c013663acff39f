// Finds out whether a program was built with the plugin.
#pragma once

#include "trace/elf/elf_file.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ada::cli {

struct InstrumentedFunction {
  std::string name;   ///< as it is in the object file
  std::string pretty; ///< demangled, or the same
  std::string file;
  uint32_t line = 0;
};

/// Number of function table entries in all `ada_functions` sections.
uint64_t instrumentedFunctionCount(const ElfFile &file);

/// How many of them no runtime finds, because the linker kept parts of the table apart; at least that many if the
/// symbol table was stripped.
uint64_t unreachableFunctionCount(const ElfFile &file);

/// The entries of these tables. Only for linked images: the entries of an object file are not relocated yet. Entries
/// that point outside the file are left out.
std::vector<InstrumentedFunction> instrumentedFunctions(const ElfFile &file);

/// Adds the source files that these tables of a program or library name, if its build ID is `buildId`. False if it is
/// not, or if there are none.
bool addSourceFiles(const std::string &path, const std::string &buildId, std::set<std::string, std::less<>> &files);

/// A function that the plugin compiled, but that can't have hooks.
struct LeftOutFunction {
  std::string name; ///< as it is in the object file
  std::string pretty, reason;
};
/// Each of them once; of objects, too.
std::vector<LeftOutFunction> leftOutFunctions(const ElfFile &file);
/// Those of a program or library, if its build ID is `buildId`; otherwise it is unknown which there were.
std::vector<LeftOutFunction> leftOutFunctions(const std::string &path, const std::string &buildId);

/// The ABI version that the pass stored in the image's ada_image; nothing if the symbol table was stripped or the file
/// is not linked.
std::optional<uint32_t> abiVersion(const ElfFile &file);

/// The path of a library that `user` needs; empty if it is not found. Like the dynamic linker, closely enough for a
/// hint: searches run paths, LD_LIBRARY_PATH and the usual system directories, but not ld.so.cache.
std::string neededLibrary(const std::string &name, const std::string &user, std::string runPath);

/// What is known about a program before it is started.
enum class Instrumentation {
  Yes,     ///< the program, or a library that it is linked with, has instrumented functions
  No,      ///< neither has any
  Unknown, ///< a script, a stripped section table, a library that was not found
};
Instrumentation instrumentationOf(const std::string &program);

/// True for shells, interpreters and launchers. The programs that they load and start may be instrumented even if they
/// are not.
bool startsOtherPrograms(const std::string &program);

} // namespace ada::cli
