// Finds the table of functions by its section header.
//
// It takes a few system calls: names are read only of sections that may be tables by their type and size.
#include "object_file.h"
#include "core/base/os.h"
#include "core/base/text.h"

#include <ada/abi.h>
#include <elf.h>
#include <link.h>

namespace ada::runtime {
namespace {

using Section = ElfW(Shdr);

bool isTable(int fd, const Section &section, const Section &names) {
  if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_ALLOC) || section.sh_size % sizeof(ada_function) != 0)
    return false;
  char name[sizeof ADA_SECTION_FUNCTIONS + 1] = {};
  return sys::readAll(fd, name, sizeof ADA_SECTION_FUNCTIONS, names.sh_offset + section.sh_name) == 0 &&
         equal(name, ADA_SECTION_FUNCTIONS);
}

uint64_t tableBytes(int fd) {
  ElfW(Ehdr) header;
  Section names;
  if (sys::readAll(fd, &header, sizeof header, 0) != 0 ||
      !(TextPiece(reinterpret_cast<const char *>(header.e_ident), SELFMAG) == TextPiece(ELFMAG)) ||
      header.e_shentsize != sizeof(Section) ||
      sys::readAll(fd, &names, sizeof names, header.e_shoff + header.e_shstrndx * sizeof names) != 0)
    return 0;
  uint64_t bytes = 0;
  Section some[16];
  constexpr uint32_t kSome = sizeof some / sizeof *some;
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    const uint32_t left = header.e_shnum - i, n = left < kSome ? left : kSome;
    if (i % kSome == 0 && sys::readAll(fd, some, n * sizeof *some, header.e_shoff + i * sizeof *some) != 0)
      return 0;
    if (isTable(fd, some[i % kSome], names))
      bytes += some[i % kSome].sh_size;
  }
  return bytes;
}

} // namespace

uint64_t functionsInFile(bool isExecutables, const char *path) {
  const int fd = sys::open(isExecutables ? "/proc/self/exe" : path, O_RDONLY);
  if (fd < 0)
    return 0;
  const uint64_t bytes = tableBytes(fd);
  sys::close(fd);
  return bytes / sizeof(ada_function);
}

} // namespace ada::runtime
