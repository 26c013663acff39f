// Implements adatrace info for programs, libraries and object files.
#ifndef ADATRACE_INFO_ELF_H
#define ADATRACE_INFO_ELF_H

#include "elf_instrumentation.h"
#include "terminal/terminal.h"

namespace ada::cli {

void printElf(Output &out, const Palette &palette, const std::string &path, const ElfFile &file, bool listFunctions);

} // namespace ada::cli
#endif // ADATRACE_INFO_ELF_H
