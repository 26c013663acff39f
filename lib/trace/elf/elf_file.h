// Reads what is needed from an ELF file.
//
// libelf reads the file and checks its headers, so it is safe to pass any bytes to open().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Declared by libelf.
struct Elf;
struct Elf_Scn;

namespace ada {

class ElfFile {
public:
  struct Section {
    std::string_view name;
    uint32_t type = 0;
    uint64_t address = 0;
    uint32_t link = 0;
    Elf_Scn *handle = nullptr;
  };
  enum class Status {
    Ok,
    CantRead, ///< `problem` says why
    NotElf,   ///< some other kind of file
    Broken,   ///< ELF, but damaged or of another kind than 64-bit little-endian
  };

  static Status open(const std::string &path, ElfFile &file, std::string &problem);

  /// "executable", "shared object", "object file", "core file" or "ELF file"
  std::string_view kind() const;
  std::string_view machine() const;
  bool isObject() const;
  /// False if the section table was stripped; then a missing section means nothing.
  bool hasSections() const { return !sectionList_.empty(); }
  const std::vector<Section> &sections() const { return sectionList_; }
  std::string_view contents(const Section &section) const;
  /// The same of a section that may be compressed; empty if it is larger than `most`.
  std::string_view uncompressed(const Section &section, uint64_t most) const;

  /// Names of the libraries that the dynamic linker loads with this file.
  const std::vector<std::string> &needed() const { return neededList_; }
  /// DT_RUNPATH if there is one, otherwise DT_RPATH.
  const std::string &runPath() const { return runPathText_; }
  /// The dynamic linker that starts the program; empty without one.
  std::string interpreter() const;
  const std::string &buildId() const { return buildIdText_; }

  /// The lowest address of the linked image.
  uint64_t base() const;
  std::string_view programHeaders() const { return headers_; }
  /// The NUL-terminated text at an address of the linked image.
  std::optional<std::string_view> textAt(uint64_t address) const;
  /// `size` bytes at an address of the linked image; empty if the file does not contain them.
  std::string_view bytesAt(uint64_t address, size_t size) const;
  struct Variable {
    std::string_view name;
    uint64_t address = 0, size = 0;
  };
  /// Variables with static storage, by address; those of .dynsym if there is no .symtab.
  std::vector<Variable> variables() const;
  /// Address of a symbol in .symtab, if it exists.
  std::optional<uint64_t> symbol(std::string_view name) const;

private:
  struct Segment {
    uint32_t type;
    uint64_t address, offset, fileSize;
  };
  struct Close {
    void operator()(Elf *elf) const;
  };
  bool parse(std::string &problem);
  void readDynamic(const Segment &segment);
  void readNotes(const Segment &segment);
  std::string_view bytesOfSegment(const Segment &segment) const;
  std::string_view from(uint64_t address) const;

  std::unique_ptr<Elf, Close> elf_;
  std::string_view file_, headers_; // the whole file; its program headers
  uint16_t type_ = 0, machineCode_ = 0;
  bool pie_ = false;
  std::vector<Section> sectionList_;
  std::vector<Segment> segments_;
  std::vector<std::string> neededList_;
  std::string runPathText_, buildIdText_;
};

} // namespace ada
