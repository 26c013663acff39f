// Common functions of readers of packed files: load structures from bytes, check a file's header and its blocks.
#pragma once

#include "formats/native/bytes/checksum.h"
#include "shared/encode/packed_format.h"
#include "trace/base/file_bytes.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include "ada/trace/error.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace ada::packed {

/// `from` must have sizeof(Raw) bytes; they need not be aligned.
template <class Raw> Raw load(const Byte *from) {
  Raw raw;
  std::memcpy(&raw, from, sizeof raw);
  return raw;
}

/// Reads and checks the header of a file. `kind`, for messages: "index" or "detail". E_TOO_SMALL, E_BAD_MAGIC,
/// E_BAD_ENDIAN, E_BAD_VERSION, E_BAD_CHECKSUM, E_BAD_OFFSET.
template <class Raw>
Expected<Raw> readFileHeader(std::span<const std::byte> bytes, const char (&magic)[5], const char *kind,
                             const std::string &name) {
  const auto error = [&](const char *code, std::string message, uint64_t offset) {
    return Error{.code = code, .message = std::move(message), .file = name, .offset = offset};
  };
  if (bytes.size() < kFileHeaderBytes)
    return error("E_TOO_SMALL", "the file is shorter than a header of 128 bytes", 0);
  const Raw head = load<Raw>(reinterpret_cast<const Byte *>(bytes.data()));
  if (std::memcmp(head.magic, magic, 4) != 0)
    return error("E_BAD_MAGIC", "not a packed " + std::string(kind) + " file", 0);
  if (head.endian != atf::kLittleEndian)
    return error("E_BAD_ENDIAN", "only little-endian files can be read", offsetof(Raw, endian));
  if (head.version != kVersion)
    return error("E_BAD_VERSION", "packed version " + std::to_string(head.version) + ", this reader knows version 1",
                 offsetof(Raw, version));
  if (!isSealed(head, atf::crc32c))
    return error("E_BAD_CHECKSUM", "the file's header is damaged", offsetof(Raw, checksum));
  if (head.blocksOffset < kFileHeaderBytes || head.blocksOffset % kBlockAlignment != 0 ||
      head.blocksOffset > aligned(bytes.size()))
    return error("E_BAD_OFFSET", "the first block can't be there", offsetof(Raw, blocksOffset));
  return head;
}

/// The message of W_BLOCKS_DAMAGED.
inline std::string lostEventsText(uint64_t events) {
  return formatCount(events) + " events are lost: the headers of their blocks are damaged, or the file was cut off";
}

/// Compares all blocks of a File or DetailFile with their checksums. If `file` is not null, the pages of the checked
/// blocks are released.
template <class Blocks>
Expected<void> checkBlocks(const Blocks &packed, std::span<const std::byte> bytes, const FileBytes *file) {
  for (const auto &block : packed.blocks()) {
    ADA_TRY(packed.check(block));
    if (file)
      file->release(bytes.subspan(block.offset, block.bytes));
  }
  return {};
}

} // namespace ada::packed
