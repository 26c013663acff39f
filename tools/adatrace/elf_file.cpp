//===- elf_file.cpp - what adatrace needs to know of an ELF file ----------===//
#include "elf_file.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada::cli {

// A structure at the start of `bytes`; the caller has checked the size.
template <typename T> static T load(std::string_view bytes, size_t at = 0) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The text at the start of `bytes`, up to its NUL or the end.
static std::string_view cString(std::string_view bytes) {
  return bytes.substr(0, bytes.find('\0'));
}

ElfFile::~ElfFile() {
  if (data)
    munmap(const_cast<char *>(data), size);
}

void ElfFile::swap(ElfFile &other) noexcept {
  std::swap(data, other.data);
  std::swap(size, other.size);
  std::swap(type, other.type);
  std::swap(machineCode, other.machineCode);
  std::swap(pie, other.pie);
  std::swap(sectionList, other.sectionList);
  std::swap(segments, other.segments);
  std::swap(neededList, other.neededList);
  std::swap(runPathText, other.runPathText);
  std::swap(buildIdText, other.buildIdText);
}

ElfFile::Status ElfFile::open(const std::string &path, ElfFile &file,
                              std::string &problem) {
  // O_NONBLOCK: a FIFO or a device must not make us wait.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    problem = std::strerror(errno);
    if (fd >= 0)
      close(fd);
    return Status::CantRead;
  }
  if (!S_ISREG(info.st_mode) || info.st_size < EI_NIDENT) {
    close(fd);
    return Status::NotElf;
  }
  ElfFile elf;
  elf.size = static_cast<size_t>(info.st_size);
  void *mapping = mmap(nullptr, elf.size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  close(fd);
  if (mapping == MAP_FAILED) {
    problem = std::strerror(error);
    return Status::CantRead;
  }
  elf.data = static_cast<const char *>(mapping);
  if (std::memcmp(elf.data, ELFMAG, SELFMAG) != 0)
    return Status::NotElf;
  const bool good = elf.parse(problem);
  file = std::move(elf);
  return good ? Status::Ok : Status::Broken;
}

std::string_view ElfFile::slice(uint64_t offset, uint64_t length) const {
  if (offset > size || length > size - offset)
    return {};
  return {data + offset, static_cast<size_t>(length)};
}

bool ElfFile::parse(std::string &problem) {
  if (data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB) {
    problem = "not a 64-bit little-endian file";
    return false;
  }
  const std::string_view head = slice(0, sizeof(Elf64_Ehdr));
  if (head.empty()) {
    problem = "the ELF header is cut off";
    return false;
  }
  const auto header = load<Elf64_Ehdr>(head);
  type = header.e_type;
  machineCode = header.e_machine;

  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const std::string_view bytes =
        header.e_phentsize < sizeof(Elf64_Phdr)
            ? std::string_view()
            : slice(header.e_phoff + uint64_t(i) * header.e_phentsize,
                    sizeof(Elf64_Phdr));
    if (bytes.empty()) {
      problem = fmt::format("program header {} lies outside of the file", i);
      return false;
    }
    const auto raw = load<Elf64_Phdr>(bytes);
    segments.push_back({raw.p_type, raw.p_vaddr, raw.p_offset, raw.p_filesz});
  }
  for (const Segment &segment : segments) {
    if (segment.type == PT_DYNAMIC)
      readDynamic(segment);
    if (segment.type == PT_NOTE)
      readNotes(segment);
  }

  if (header.e_shoff == 0)
    return true;
  // With 0xff00 sections or more the true count and the index of the name table
  // are in section 0.
  const std::string_view first = slice(header.e_shoff, sizeof(Elf64_Shdr));
  if (first.empty() || header.e_shentsize < sizeof(Elf64_Shdr)) {
    problem = "the section table lies outside of the file";
    return false;
  }
  const auto zero = load<Elf64_Shdr>(first);
  const uint64_t count = header.e_shnum ? header.e_shnum : zero.sh_size;
  const uint64_t names =
      header.e_shstrndx == SHN_XINDEX ? zero.sh_link : header.e_shstrndx;
  if (count > (size - header.e_shoff) / header.e_shentsize || names >= count) {
    problem = "the section table lies outside of the file";
    return false;
  }
  const auto raw = [&](uint64_t index) {
    return load<Elf64_Shdr>(
        {data, size}, header.e_shoff + index * header.e_shentsize);
  };
  const auto nameSection = raw(names);
  const std::string_view nameTable =
      slice(nameSection.sh_offset, nameSection.sh_size);
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = raw(i);
    std::string_view name;
    if (section.sh_name < nameTable.size())
      name = cString(nameTable.substr(section.sh_name));
    sectionList.push_back({name, section.sh_type, section.sh_addr,
                           section.sh_offset, section.sh_size,
                           section.sh_entsize, section.sh_link});
  }
  return true;
}

std::string_view ElfFile::contents(const Section &section) const {
  if (section.type == SHT_NOBITS)
    return {};
  return slice(section.offset, section.size);
}

std::string_view ElfFile::bytesAt(uint64_t address, size_t length) const {
  for (const Segment &segment : segments) {
    if (segment.type != PT_LOAD || address < segment.address)
      continue;
    const uint64_t within = address - segment.address;
    if (within < segment.fileSize && length <= segment.fileSize - within)
      return slice(segment.offset + within, length);
  }
  return {};
}

std::optional<std::string_view> ElfFile::textAt(uint64_t address) const {
  for (const Segment &segment : segments) {
    if (segment.type != PT_LOAD || address < segment.address ||
        address - segment.address >= segment.fileSize)
      continue;
    const uint64_t within = address - segment.address;
    const std::string_view rest =
        slice(segment.offset + within, segment.fileSize - within);
    const size_t end = rest.find('\0');
    if (end != std::string_view::npos)
      return rest.substr(0, end);
  }
  return std::nullopt;
}

void ElfFile::readDynamic(const Segment &segment) {
  const std::string_view table = slice(segment.offset, segment.fileSize);
  uint64_t strings = 0;
  std::optional<uint64_t> runPath, rPath;
  std::vector<uint64_t> names;
  for (size_t at = 0; at + sizeof(Elf64_Dyn) <= table.size();
       at += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(table, at);
    if (entry.d_tag == DT_NULL)
      break;
    if (entry.d_tag == DT_STRTAB)
      strings = entry.d_un.d_ptr;
    else if (entry.d_tag == DT_NEEDED)
      names.push_back(entry.d_un.d_val);
    else if (entry.d_tag == DT_FLAGS_1)
      pie = (entry.d_un.d_val & DF_1_PIE) != 0;
    else if (entry.d_tag == DT_RUNPATH)
      runPath = entry.d_un.d_val;
    else if (entry.d_tag == DT_RPATH)
      rPath = entry.d_un.d_val;
  }
  for (const uint64_t name : names)
    if (const auto text = textAt(strings + name))
      neededList.emplace_back(*text);
  if (const auto path = runPath ? runPath : rPath)
    runPathText = textAt(strings + *path).value_or("");
}

void ElfFile::readNotes(const Segment &segment) {
  std::string_view notes = slice(segment.offset, segment.fileSize);
  const auto padded = [](uint64_t length) { return (length + 3) & ~uint64_t(3); };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    const auto note = load<Elf64_Nhdr>(notes);
    const uint64_t nameEnd = sizeof note + padded(note.n_namesz);
    if (nameEnd > notes.size() || note.n_descsz > notes.size() - nameEnd)
      return;
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof note, note.n_namesz) ==
            std::string_view("GNU\0", 4)) {
      buildIdText.clear();
      for (const char byte : notes.substr(nameEnd, note.n_descsz))
        buildIdText += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    notes.remove_prefix(
        std::min<uint64_t>(nameEnd + padded(note.n_descsz), notes.size()));
  }
}

std::optional<uint64_t> ElfFile::symbol(std::string_view name) const {
  for (const Section &table : sectionList) {
    if (table.type != SHT_SYMTAB || table.link >= sectionList.size())
      continue;
    const std::string_view symbols = contents(table);
    const std::string_view names = contents(sectionList[table.link]);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size();
         at += sizeof(Elf64_Sym)) {
      const auto entry = load<Elf64_Sym>(symbols, at);
      if (entry.st_name < names.size() && entry.st_shndx != SHN_UNDEF &&
          cString(names.substr(entry.st_name)) == name)
        return entry.st_value;
    }
  }
  return std::nullopt;
}

bool ElfFile::isObject() const { return type == ET_REL; }

std::string_view ElfFile::kind() const {
  switch (type) {
  case ET_REL:
    return "object file";
  case ET_EXEC:
    return "executable";
  case ET_DYN:
    return pie ? "executable" : "shared object";
  case ET_CORE:
    return "core file";
  default:
    return "ELF file";
  }
}

std::string_view ElfFile::machine() const {
  switch (machineCode) {
  case EM_X86_64:
    return "x86-64";
  case EM_AARCH64:
    return "AArch64";
  case EM_RISCV:
    return "RISC-V";
  default:
    return "another machine";
  }
}

} // namespace ada::cli
