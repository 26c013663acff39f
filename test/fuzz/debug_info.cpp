// Fuzzes debug information: programs and libraries with variables, as clang writes them.
//
// Properties: whatever is in a file, a member is named as members and elements are, or not at all; an answer is the
// same each time, whatever was asked before; memory is bounded by the input.
#include "memory_file.h"
#include "require.h"

#include "trace/elf/debug_info.h"
#include "trace/elf/elf_file.h"

#include <algorithm>

using namespace ada;
using ada::fuzz::require;

static void askAbout(const ElfFile &file, const DebugInfo &debug, uint64_t address, uint64_t offset) {
  const std::optional<std::string> member = debug.memberAt(address, offset);
  require(!member || member->empty() || member->front() == '.' || member->front() == '[',
          "what follows a variable's name is a member or an element");
  require(DebugInfo(file).memberAt(address, offset) == member, "an answer does not depend on what was asked before");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz::MemoryFile memory;
  require(memory.write(data, size), "a file in memory can be written");
  ElfFile file;
  std::string problem;
  if (ElfFile::open(memory.path(), file, problem) != ElfFile::Status::Ok)
    return 0;
  std::vector<ElfFile::Variable> variables = file.variables();
  variables.resize(std::min<size_t>(variables.size(), 8));
  require(fuzz::peakOf([&] {
            const DebugInfo debug(file);
            for (const ElfFile::Variable &variable : variables)
              for (uint64_t i = 0; i < 4; ++i)
                askAbout(file, debug, variable.address, variable.size * i / 4);
          }) <= 200 * size + (256 << 10),
          "memory is bounded by the input");
  return 0;
}
