//===- elf_file.h - what adatrace needs to know of an ELF file ------------===//
//
// Every number in the file is checked against the file's size before it is used:
// any bytes may be handed to open().
//
//===----------------------------------------------------------------------===//
#ifndef ADATRACE_ELF_FILE_H
#define ADATRACE_ELF_FILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

class ElfFile {
public:
  struct Section {
    std::string_view name;
    uint32_t type = 0;
    uint64_t address = 0, offset = 0, size = 0, entrySize = 0;
    uint32_t link = 0;
  };
  enum class Status {
    Ok,
    CantRead, ///< `problem` says why
    NotElf,   ///< some other kind of file
    Broken,   ///< ELF, but damaged or of another kind than 64-bit little-endian
  };

  ElfFile() = default;
  ElfFile(ElfFile &&other) noexcept { swap(other); }
  ElfFile &operator=(ElfFile &&other) noexcept {
    swap(other);
    return *this;
  }
  ~ElfFile();

  static Status open(const std::string &path, ElfFile &file,
                     std::string &problem);

  /// "executable", "shared object", "object file", "core file" or "ELF file"
  std::string_view kind() const;
  std::string_view machine() const;
  bool isObject() const;
  /// False if the section table was stripped: then "no such section" says nothing.
  bool hasSections() const { return !sectionList.empty(); }
  const std::vector<Section> &sections() const { return sectionList; }
  std::string_view contents(const Section &section) const;

  /// Names of the libraries that the dynamic linker loads with this file.
  const std::vector<std::string> &needed() const { return neededList; }
  /// DT_RUNPATH if there is one, else DT_RPATH.
  const std::string &runPath() const { return runPathText; }
  const std::string &buildId() const { return buildIdText; }

  /// The NUL-terminated text at an address of the linked image.
  std::optional<std::string_view> textAt(uint64_t address) const;
  /// `size` bytes at an address of the linked image; empty if they are not there.
  std::string_view bytesAt(uint64_t address, size_t size) const;
  /// Address of a symbol in .symtab, if it is there.
  std::optional<uint64_t> symbol(std::string_view name) const;

private:
  struct Segment {
    uint32_t type;
    uint64_t address, offset, fileSize;
  };
  void swap(ElfFile &other) noexcept;
  bool parse(std::string &problem);
  void readDynamic(const Segment &segment);
  void readNotes(const Segment &segment);
  std::string_view slice(uint64_t offset, uint64_t size) const;

  const char *data = nullptr;
  size_t size = 0;
  uint16_t type = 0, machineCode = 0;
  bool pie = false;
  std::vector<Section> sectionList;
  std::vector<Segment> segments;
  std::vector<std::string> neededList;
  std::string runPathText, buildIdText;
};

} // namespace ada::cli
#endif // ADATRACE_ELF_FILE_H
