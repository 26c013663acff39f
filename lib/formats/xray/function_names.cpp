// Finds the program that wrote a log, and reads its functions from the section xray_instr_map.
//
// The section lists the places that XRay may patch, function by function. A function's number is its position in that
// order, from 1 on, in the program as in the runtime.
#include "function_names.h"

#include "trace/base/file_descriptor.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unordered_map>

namespace ada::formats::xray {

namespace {

using OpenElf = std::unique_ptr<Elf, decltype(&elf_end)>;

std::string_view contents(Elf_Scn *section) {
  const Elf_Data *data = section ? elf_getdata(section, nullptr) : nullptr;
  return data && data->d_buf ? std::string_view(static_cast<const char *>(data->d_buf), data->d_size)
                             : std::string_view();
}

// Names of functions by address; the first name of an address counts.
std::unordered_map<uint64_t, std::string> symbolsOf(Elf *elf) {
  std::unordered_map<uint64_t, std::string> names;
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
      continue;
    Elf_Data *data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
      const char *name = GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF
                             ? elf_strptr(elf, header.sh_link, symbol.st_name)
                             : nullptr;
      if (name && *name)
        names.try_emplace(symbol.st_value, name);
    }
  }
  return names;
}

// Addresses of the functions in the order of their numbers.
std::vector<uint64_t> addressesOf(std::string_view map, uint64_t mapAddress) {
  constexpr size_t kEntryBytes = 32, kVersionAt = 18;
  std::vector<uint64_t> addresses;
  for (size_t at = 0; at + kEntryBytes <= map.size(); at += kEntryBytes) {
    uint64_t function = 0;
    std::memcpy(&function, map.data() + at + 8, sizeof function);
    if (map[at + kVersionAt] >= 2) // relative to its own place
      function += mapAddress + at + 8;
    if (addresses.empty() || addresses.back() != function)
      addresses.push_back(function);
  }
  return addresses;
}

bool isFile(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

} // namespace

std::optional<std::vector<NamedFunction>> functionsOf(const std::string &program) {
  const FileDescriptor fd(::open(program.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  elf_version(EV_CURRENT);
  const OpenElf elf(fd ? elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr) : nullptr, &elf_end);
  size_t names = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getclass(elf.get()) != ELFCLASS64 ||
      elf_getshdrstrndx(elf.get(), &names) != 0)
    return std::nullopt;
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf.get(), section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf.get(), names, header.sh_name) : nullptr;
    if (!name || std::strcmp(name, "xray_instr_map") != 0)
      continue;
    const auto symbols = symbolsOf(elf.get());
    std::vector<NamedFunction> functions(1);
    for (const uint64_t address : addressesOf(contents(section), header.sh_addr)) {
      const auto symbol = symbols.find(address);
      functions.push_back({symbol == symbols.end() ? std::string() : symbol->second, address});
    }
    return functions;
  }
  return std::nullopt;
}

std::string programOf(const std::string &log) {
  if (const char *program = std::getenv("ADA_XRAY_PROGRAM"); program && *program)
    return program;
  const size_t slash = log.find_last_of('/');
  const std::string folder = slash == log.npos ? "./" : log.substr(0, slash + 1);
  std::string name = slash == log.npos ? log : log.substr(slash + 1);
  // The runtime puts a base (xray_logfile_base, "xray-log.") before the name, and a dot and six characters after it.
  const size_t last = name.rfind('.');
  if (last == name.npos)
    return {};
  name.resize(last);
  for (size_t at = 0;; ++at) {
    for (const std::string &place : {folder, std::string("./")})
      if (at < name.size() && isFile(place + name.substr(at)))
        return place + name.substr(at);
    at = name.find('.', at);
    if (at == name.npos)
      return {};
  }
}

} // namespace ada::formats::xray
