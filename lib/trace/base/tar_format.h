// The bytes of a tar archive.
//
// POSIX ustar, with pax records for long names and large files: docs/formats/archive.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ada::tar {

inline constexpr size_t kBlockBytes = 512; // headers, and the unit in which contents are counted

struct Header {
  char name[100], mode[8], uid[8], gid[8], size[12], modified[12], checksum[8];
  char type; // one of kFile, …
  char link[100], magic[6], version[2], user[32], group[32], deviceMajor[8], deviceMinor[8], prefix[155], unused[12];
};
static_assert(sizeof(Header) == kBlockBytes && alignof(Header) == 1);

inline constexpr char kFile = '0', kOldFile = '\0', kContiguousFile = '7', kHardLink = '1', kSymbolicLink = '2',
                      kDirectory = '5', kPax = 'x', kGlobalPax = 'g', kGnuLongName = 'L', kGnuLongLink = 'K',
                      kGnuSparse = 'S';

constexpr uint64_t padded(uint64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

/// Whether the bytes begin like an archive.
inline bool isArchive(std::span<const std::byte> head) {
  return head.size() >= kBlockBytes && std::memcmp(&head[offsetof(Header, magic)], "ustar", 5) == 0;
}

/// The sum that `checksum` holds: of all bytes, with blanks for itself.
inline unsigned checksumOf(const Header &header) {
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof header; ++i) {
    const bool isChecksum = i >= offsetof(Header, checksum) && i < offsetof(Header, checksum) + sizeof header.checksum;
    sum += isChecksum ? ' ' : reinterpret_cast<const unsigned char *>(&header)[i];
  }
  return sum;
}

/// An octal number, with blanks or zeros around it; or a large one in binary, as GNU tar writes it.
template <size_t size> std::optional<uint64_t> numberOf(const char (&field)[size]) {
  uint64_t number = 0;
  if (static_cast<unsigned char>(field[0]) == 0x80) {
    for (size_t i = 1; i < size; ++i) {
      if (number >> 56)
        return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(field[i]);
    }
    return number;
  }
  std::string_view text(field, ::strnlen(field, size));
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  for (const char c : text) {
    if (c < '0' || c > '7' || number >> 61)
      return std::nullopt;
    number = number * 8 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

template <size_t size> std::string textOf(const char (&field)[size]) { return {field, ::strnlen(field, size)}; }

/// The headers of a file or directory, in front of its contents. Names of directories end in "/".
std::string headersOf(const std::string &name, uint64_t bytes, int64_t modifiedSeconds);
/// What ends an archive.
inline constexpr size_t kEndBytes = 2 * kBlockBytes;

} // namespace ada::tar
