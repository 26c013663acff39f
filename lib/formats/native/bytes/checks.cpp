// Checks that index and detail files share.
#include "formats/native/bytes/checks.h"

#include "formats/native/bytes/checksum.h"
#include "trace/base/file_bytes.h"
#include "trace/base/format.h"

#include <cstring>

namespace ada::atf {

bool hasMagic(Bytes file, uint64_t offset, const char *magic) {
  return std::memcmp(file.data() + offset, magic, std::strlen(magic)) == 0;
}

// Four bytes in readable form: 'ATI2', or 41 54 49 00.
static std::string showMagic(Bytes file) {
  std::string text = "'", hex;
  bool printable = true;
  for (int i = 0; i < 4; ++i) {
    auto c = static_cast<unsigned char>(file[i]);
    printable = printable && c >= 0x20 && c < 0x7f;
    text += static_cast<char>(c);
    hex += fmt::format("{}{:02x}", i ? " " : "", c);
  }
  return printable ? text + "'" : "bytes " + hex;
}

static std::string magicHint(Bytes file, bool wantIndex) {
  if (hasMagic(file, 0, wantIndex ? "ATD2" : "ATI2"))
    return wantIndex ? "this is a detail file; open the index.atf beside it"
                     : "this is an index file, not a detail file";
  if (hasMagic(file, 0, "\x1f\x8b"))
    return "this is compressed with gzip; unpack it first";
  return wantIndex ? "not an ATF index file, or its start was overwritten"
                   : "not an ATF detail file, or its start was overwritten";
}

Expected<void> checkStart(Bytes file, const char *magic, const std::string &name) {
  if (file.size() < kHeaderBytes)
    return Error{.code = "E_TOO_SMALL",
                 .message = file.empty() ? "the file is empty: nothing was recorded, or it was never written out"
                                         : "too short for the 64 bytes of a header: the file was cut off",
                 .file = name,
                 .offset = 0,
                 .field = "size",
                 .expected = "64 or more",
                 .found = std::to_string(file.size())};
  if (!hasMagic(file, 0, magic))
    return Error{.code = "E_BAD_MAGIC",
                 .message = magicHint(file, magic[2] == 'I'),
                 .file = name,
                 .offset = 0,
                 .field = "magic",
                 .expected = std::string("'") + magic + "'",
                 .found = showMagic(file)};
  auto endian = static_cast<unsigned>(file[4]);
  if (endian != kLittleEndian)
    return Error{.code = "E_BAD_ENDIAN",
                 .message =
                     "only little-endian files exist; the header is damaged, or the file was not made by an ATF writer",
                 .file = name,
                 .offset = 4,
                 .field = "endian",
                 .expected = "1",
                 .found = std::to_string(endian)};
  auto version = static_cast<unsigned>(file[5]);
  if (version != 1 && version != 2)
    return Error{.code = "E_BAD_VERSION",
                 .message = version > 2
                                ? "a format that is newer than this program, or a damaged header; try a newer AdaTrace"
                                : "the header is damaged",
                 .file = name,
                 .offset = 5,
                 .field = "version",
                 .expected = "1 or 2",
                 .found = std::to_string(version)};
  return {};
}

Expected<void> checkEventsOffset(uint64_t offset, size_t field, Bytes file, const std::string &name) {
  if (offset >= kHeaderBytes && offset <= file.size())
    return {};
  return Error{.code = "E_BAD_OFFSET",
               .message = "the events can't be there; the header is damaged",
               .file = name,
               .offset = field,
               .field = "events_offset",
               .expected = "64 to " + std::to_string(file.size()),
               .found = std::to_string(offset)};
}

Expected<void> checkChecksum(Bytes events, unsigned version, uint32_t stored, uint64_t footerOffset,
                             const std::string &name, const FileBytes *pages) {
  const auto sumOf = [&](unsigned kind) {
    constexpr size_t kPieceBytes = 4 << 20;
    if (!pages)
      return checksumOf(kind, events);
    Checksum sum(kind);
    for (Bytes rest = events; !rest.empty();) {
      Bytes piece = rest.first(std::min(rest.size(), kPieceBytes));
      sum.add(piece);
      pages->release(piece);
      rest = rest.subspan(piece.size());
    }
    return sum.value();
  };
  uint32_t computed = sumOf(version);
  if (computed == stored)
    return {};
  std::string message = "the events were changed after they were written, or the file was damaged; record again";
  if (sumOf(version == 1 ? 2 : 1) == stored)
    message = version == 1 ? "the writer used CRC-32C, which belongs to version 2; the events are intact"
                           : "the writer used CRC-32, which belongs to version 1; the events are intact";
  return Error{.code = "E_BAD_CHECKSUM",
               .message = message,
               .file = name,
               .offset = footerOffset + 4,
               .field = "checksum",
               .expected = fmt::format("{:#010x}", computed) + " (" + (version == 1 ? "CRC-32" : "CRC-32C") + " of " +
                           std::to_string(events.size()) + " bytes of events)",
               .found = fmt::format("{:#010x}", stored)};
}

} // namespace ada::atf
