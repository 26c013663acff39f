// The members of variables, from the debug information (DWARF 2 to 5) of a program or library.
//
// Only what names the member at an offset in a variable is read: its type, the members of that, and so on. Nothing is
// guessed: where a type is not described, or is a union, there is no answer.
#pragma once

#include "elf_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ada {

class DebugInfo {
public:
  /// `file` must outlive it.
  explicit DebugInfo(const ElfFile &file);
  ~DebugInfo();

  /// The member at that offset in the variable at an address of the linked image: ".rows.lock", ".shards[3].lock";
  /// empty if it is the variable itself. Members that the C++ library's own types are made of are not named.
  std::optional<std::string> memberAt(uint64_t variable, uint64_t offset) const;

private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

} // namespace ada
