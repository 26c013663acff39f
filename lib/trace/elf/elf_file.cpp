// Reads what is needed from an ELF file, with libelf.
//
// libelf maps the file, checks its tables against its size and translates foreign byte orders. Files that libelf
// rejects are rejected here, too, so it is safe to pass any bytes to open().
#include "elf_file.h"

#include "shared/arch.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

namespace ada {

static std::string_view bytesOf(const Elf_Data *data) {
  if (!data || !data->d_buf)
    return {};
  return {static_cast<const char *>(data->d_buf), data->d_size};
}

void ElfFile::Close::operator()(Elf *elf) const { elf_end(elf); }

ElfFile::Status ElfFile::open(const std::string &path, ElfFile &file, std::string &problem) {
  // O_NONBLOCK: opening a FIFO must not block.
  const FileDescriptor fd(openFairly(path, O_RDONLY | O_NONBLOCK));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0) {
    problem = std::strerror(errno);
    return Status::CantRead;
  }
  if (!S_ISREG(info.st_mode))
    return Status::NotElf;
  elf_version(EV_CURRENT);
  ElfFile elf;
  elf.elf_.reset(elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr));
  if (!elf.elf_ || elf_kind(elf.elf_.get()) != ELF_K_ELF) {
    // The header is incomplete, but the file may still be meant as an ELF file.
    char magic[SELFMAG];
    const bool begins = pread(fd.get(), magic, SELFMAG, 0) == SELFMAG && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
    problem = "the ELF header is cut off";
    return begins && info.st_size >= EI_NIDENT ? Status::Broken : Status::NotElf;
  }
  const bool good = elf.parse(problem);
  elf_cntl(elf.elf_.get(), ELF_C_FDDONE); // the file is mapped or has been read
  file = std::move(elf);
  return good ? Status::Ok : Status::Broken;
}

bool ElfFile::parse(std::string &problem) {
  Elf *elf = elf_.get();
  const auto broken = [&](std::string text) {
    const char *why = elf_errmsg(-1);
    problem = std::move(text);
    if (why && std::strcmp(why, "no error") != 0)
      problem += fmt::format(": {}", why);
    return false;
  };
  elf_errno();
  size_t fileBytes = 0;
  const char *raw = elf_rawfile(elf, &fileBytes);
  GElf_Ehdr header;
  if (!raw || !gelf_getehdr(elf, &header))
    return broken("the ELF header can't be read");
  if (gelf_getclass(elf) != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return broken("not a 64-bit little-endian file");
  file_ = {raw, fileBytes};
  type_ = header.e_type;
  machineCode_ = header.e_machine;

  size_t segments = 0, sections = 0, names = 0;
  if (elf_getphdrnum(elf, &segments) != 0)
    return broken("the program headers can't be read");
  if (const uint64_t size = segments * sizeof(Elf64_Phdr);
      header.e_phoff <= file_.size() && size <= file_.size() - header.e_phoff)
    headers_ = file_.substr(header.e_phoff, size);
  for (size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, static_cast<int>(i), &segment))
      return broken(fmt::format("program header {} can't be read", i));
    segments_.push_back({segment.p_type, segment.p_vaddr, segment.p_offset, segment.p_filesz});
  }
  for (const Segment &segment : segments_) {
    if (segment.type == PT_DYNAMIC)
      readDynamic(segment);
    if (segment.type == PT_NOTE)
      readNotes(segment);
  }

  if (header.e_shoff == 0)
    return true;
  if (elf_getshdrnum(elf, &sections) != 0 || elf_getshdrstrndx(elf, &names) != 0 || sections == 0)
    return broken("the section table can't be read");
  for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr entry;
    if (!gelf_getshdr(section, &entry))
      return broken("the section table can't be read");
    const char *name = elf_strptr(elf, names, entry.sh_name);
    sectionList_.push_back({name ? name : "", entry.sh_type, entry.sh_addr, entry.sh_link, section});
  }
  return true;
}

std::string_view ElfFile::contents(const Section &section) const {
  return section.type == SHT_NOBITS ? std::string_view() : bytesOf(elf_rawdata(section.handle, nullptr));
}

std::string_view ElfFile::uncompressed(const Section &section, uint64_t most) const {
  GElf_Shdr header;
  GElf_Chdr compressed;
  if (section.type == SHT_NOBITS || !gelf_getshdr(section.handle, &header) || header.sh_size > most)
    return {};
  if (!(header.sh_flags & SHF_COMPRESSED))
    return bytesOf(elf_rawdata(section.handle, nullptr));
  if (!gelf_getchdr(section.handle, &compressed) || compressed.ch_size > most || elf_compress(section.handle, 0, 0) < 0)
    return {};
  return bytesOf(elf_getdata(section.handle, nullptr));
}

std::vector<ElfFile::Variable> ElfFile::variables() const {
  std::vector<Variable> found;
  for (const uint32_t kind : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Section &table : sectionList_) {
      Elf_Data *data = table.type == kind ? elf_getdata(table.handle, nullptr) : nullptr;
      GElf_Sym entry;
      for (int i = 0; data && gelf_getsym(data, i, &entry); ++i) {
        const bool isVariable = GELF_ST_TYPE(entry.st_info) == STT_OBJECT && entry.st_shndx != SHN_UNDEF;
        const char *text = isVariable && entry.st_size ? elf_strptr(elf_.get(), table.link, entry.st_name) : nullptr;
        if (text && *text)
          found.push_back({text, entry.st_value, entry.st_size});
      }
    }
    if (!found.empty())
      break;
  }
  std::ranges::stable_sort(found, {}, &Variable::address);
  return found;
}

// The part of the file from which a segment is loaded.
std::string_view ElfFile::bytesOfSegment(const Segment &segment) const {
  if (segment.offset > file_.size() || segment.fileSize > file_.size() - segment.offset)
    return {};
  return file_.substr(segment.offset, segment.fileSize);
}

uint64_t ElfFile::base() const {
  uint64_t lowest = UINT64_MAX;
  for (const Segment &segment : segments_)
    if (segment.type == PT_LOAD)
      lowest = std::min(lowest, segment.address);
  return lowest;
}

// The bytes from an address of the linked image to the end of its segment.
std::string_view ElfFile::from(uint64_t address) const {
  for (const Segment &segment : segments_)
    if (segment.type == PT_LOAD && address >= segment.address && address - segment.address < segment.fileSize)
      if (const std::string_view bytes = bytesOfSegment(segment); !bytes.empty())
        return bytes.substr(address - segment.address);
  return {};
}

std::string_view ElfFile::bytesAt(uint64_t address, size_t length) const {
  const std::string_view rest = from(address);
  return length <= rest.size() ? rest.substr(0, length) : std::string_view();
}

std::optional<std::string_view> ElfFile::textAt(uint64_t address) const {
  const std::string_view rest = from(address);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, end));
}

void ElfFile::readDynamic(const Segment &segment) {
  Elf_Data *data = elf_getdata_rawchunk(elf_.get(), static_cast<int64_t>(segment.offset), segment.fileSize, ELF_T_DYN);
  uint64_t strings = 0;
  std::optional<uint64_t> runPath, rPath;
  std::vector<uint64_t> names;
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag == DT_STRTAB)
      strings = entry.d_un.d_ptr;
    else if (entry.d_tag == DT_NEEDED)
      names.push_back(entry.d_un.d_val);
    else if (entry.d_tag == DT_FLAGS_1)
      pie_ = (entry.d_un.d_val & DF_1_PIE) != 0;
    else if (entry.d_tag == DT_RUNPATH)
      runPath = entry.d_un.d_val;
    else if (entry.d_tag == DT_RPATH)
      rPath = entry.d_un.d_val;
  }
  for (const uint64_t name : names)
    if (const auto text = textAt(strings + name))
      neededList_.emplace_back(*text);
  if (const auto path = runPath ? runPath : rPath)
    runPathText_ = textAt(strings + *path).value_or("");
}

void ElfFile::readNotes(const Segment &segment) {
  Elf_Data *data = elf_getdata_rawchunk(elf_.get(), static_cast<int64_t>(segment.offset), segment.fileSize, ELF_T_NHDR);
  const std::string_view notes = bytesOf(data);
  GElf_Nhdr note;
  size_t name = 0, text = 0;
  for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &text)) > 0;) {
    if (note.n_type != NT_GNU_BUILD_ID || notes.substr(name, note.n_namesz) != std::string_view("GNU\0", 4))
      continue;
    buildIdText_.clear();
    for (const char byte : notes.substr(text, note.n_descsz))
      buildIdText_ += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
}

std::string ElfFile::interpreter() const {
  for (const Segment &segment : segments_)
    if (segment.type == PT_INTERP) {
      const std::string_view text = bytesOfSegment(segment);
      return std::string(text.substr(0, text.find('\0')));
    }
  return {};
}

std::optional<uint64_t> ElfFile::symbol(std::string_view name) const {
  for (const Section &table : sectionList_) {
    Elf_Data *data = table.type == SHT_SYMTAB ? elf_getdata(table.handle, nullptr) : nullptr;
    GElf_Sym entry;
    for (int i = 0; data && gelf_getsym(data, i, &entry); ++i) {
      const char *text = entry.st_shndx == SHN_UNDEF ? nullptr : elf_strptr(elf_.get(), table.link, entry.st_name);
      if (text && text == name)
        return entry.st_value;
    }
  }
  return std::nullopt;
}

bool ElfFile::isObject() const { return type_ == ET_REL; }

std::string_view ElfFile::kind() const {
  switch (type_) {
  case ET_REL:
    return "object file";
  case ET_EXEC:
    return "executable";
  case ET_DYN:
    return pie_ ? "executable" : "shared object";
  case ET_CORE:
    return "core file";
  default:
    return "ELF file";
  }
}

std::string_view ElfFile::machine() const {
  if (const ArchInfo *info = archOfElfMachine(machineCode_))
    return info->name;
  return machineCode_ == EM_RISCV ? "RISC-V" : kOtherArchitecture.name;
}

} // namespace ada
