// Reads the sections that the plugin makes.
#include "function_table.h"

#include "shared/fingerprint.h"
#include "trace/base/format.h"

#include <cstring>

namespace ada {

std::vector<FunctionTable> FunctionTable::of(const ElfFile &file) {
  std::vector<FunctionTable> tables;
  for (const ElfFile::Section &section : file.sections())
    if (!file.isObject() && section.name == ADA_SECTION_FUNCTIONS)
      tables.push_back({file, section.address, file.contents(section)});
  return tables;
}

ada_function FunctionTable::at(uint64_t i) const {
  ada_function entry;
  std::memcpy(&entry, bytes_.data() + i * sizeof entry, sizeof entry);
  return entry;
}

TextPiece FunctionTable::text(uint64_t i, int32_t offset) const {
  const uint64_t entry = address_ + i * sizeof(ada_function);
  const auto found = offset ? file_->textAt(entry + static_cast<uint64_t>(int64_t{offset})) : std::nullopt;
  return found ? TextPiece(*found) : TextPiece();
}

uint64_t FunctionTable::address(uint64_t i) const {
  const int32_t offset = at(i).address_off;
  return offset ? address_ + i * sizeof(ada_function) + static_cast<uint64_t>(int64_t{offset}) - file_->base() : 0;
}

std::string FunctionTable::binaryName() const {
  const std::string_view headers = file_->programHeaders();
  const uint64_t fingerprint = fingerprintOf(
      fnv1a(headers.data(), headers.size()), address_ - file_->base(), size(), !file_->buildId().empty(),
      [this](Fingerprint &of, uint64_t i) { of.add(at(i), [&](int32_t offset) { return text(i, offset); }); });
  return fmt::format("{}{}{:016x}", file_->buildId(), file_->buildId().empty() ? "" : "-", fingerprint);
}

} // namespace ada
