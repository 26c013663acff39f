// Implements adatrace info for programs, libraries and object files.
#include "info_elf.h"
#include "base/quantities.h"

#include "ada/abi.h"

#include <map>

namespace ada::cli {

static void printAbi(Output &out, const Palette &palette, const ElfFile &file) {
  const std::optional<uint32_t> version = abiVersion(file);
  if (!version)
    out.write("  ABI           unknown (no symbol table)\n");
  else if (*version == ADA_ABI_VERSION)
    out.print("  ABI           {}\n", *version);
  else
    out.print("  ABI           {}{}, but this AdaTrace has {}: its runtime will not record this file; rebuild it{}\n",
              palette.warn, *version, ADA_ABI_VERSION, palette.reset);
}

void printElf(Output &out, const Palette &palette, const std::string &path, const ElfFile &file, bool listFunctions) {
  out.print("{}{}{}: {} for {}\n", palette.name, path, palette.reset, file.kind(), file.machine());
  const uint64_t count = instrumentedFunctionCount(file);
  if (!file.hasSections())
    out.write("  instrumented  unknown: the section table was stripped\n");
  else if (count == 0)
    out.print("  instrumented  {}no{}; `adatrace flags` prints the compiler options\n", palette.warn, palette.reset);
  else
    out.print("  instrumented  {}yes{}, {}\n", palette.good, palette.reset, formatCount(count, "function"));
  if (count && !file.isObject())
    printAbi(out, palette, file);
  if (!file.buildId().empty())
    out.print("  build id      {}\n", file.buildId());
  if (count == 0 && !file.isObject() && file.hasSections() && instrumentationOf(path) == Instrumentation::Yes)
    out.write("  libraries     at least one that it is linked with is instrumented\n");
  if (count == 0)
    return;

  const std::vector<InstrumentedFunction> functions = instrumentedFunctions(file);
  if (file.isObject()) {
    if (listFunctions)
      out.write("  functions     are listed for linked files only\n");
    return;
  }
  std::map<std::string, uint64_t> files;
  for (const InstrumentedFunction &function : functions)
    ++files[function.file.empty() ? "(no file known)" : function.file];
  out.print("  source files  {}\n", formatCount(files.size()));
  if (!listFunctions)
    return;
  for (const InstrumentedFunction &function : functions) {
    out.print("  {}{}{}", palette.name, function.pretty, palette.reset);
    if (!function.file.empty())
      out.print("  {}{}", palette.dim, function.file);
    if (!function.file.empty() && function.line)
      out.print(":{}", function.line);
    out.print("{}\n", function.file.empty() ? Escape() : palette.reset);
  }
}

} // namespace ada::cli
