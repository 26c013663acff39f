// The table of the functions to which the plugin gave hooks, in the file of a program or library.
#pragma once

#include "elf_file.h"

#include "ada/abi.h"
#include "shared/text/text_piece.h"

#include <string>
#include <vector>

namespace ada {

class FunctionTable {
public:
  /// Those of a linked image: one, unless its linker kept parts apart. None of an object file, because its entries are
  /// not relocated yet. `file` must outlive them.
  static std::vector<FunctionTable> of(const ElfFile &file);

  uint64_t size() const { return bytes_.size() / sizeof(ada_function); }
  ada_function at(uint64_t i) const;
  /// The text of entry i at a distance (`name_off` …). Its data is null for 0, and where the file has none.
  TextPiece text(uint64_t i, int32_t offset) const;
  /// Where the function is, relative to the beginning of the image; 0 if that is not known.
  uint64_t address(uint64_t i) const;
  /// The name that the runtime gives to its file in a session (docs/formats/binaries.md).
  std::string binaryName() const;

private:
  FunctionTable(const ElfFile &file, uint64_t address, std::string_view bytes)
      : file_(&file), address_(address), bytes_(bytes) {}

  const ElfFile *file_;
  uint64_t address_;
  std::string_view bytes_;
};

} // namespace ada
