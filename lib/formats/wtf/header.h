// The file header: version 3 in its two byte orders, and the header part of the chunked dialect.
#pragma once

#include "ada/trace/wtf/format.h"

#include <functional>

namespace ada::wtf {

using WarningSink = std::function<void(const char *code, std::string message)>;

/// Reads the header of version 3 from the start of a file whose dialect is known. Returns its number of bytes. If
/// `file` ends before that, returns nothing, and `need` is a size to try again with.
Expected<std::optional<size_t>> readV3Header(std::span<const std::byte> file, FileHeader &header, size_t &need,
                                             const WarningSink &warn);
/// Reads the JSON of the header part; `offset` is where it is in the file.
Expected<void> readChunkedHeader(std::string_view json, uint64_t offset, FileHeader &header, const WarningSink &warn);

/// Appends everything up to the first event of version 3, or the first 12 bytes and the JSON text (to `part`) of the
/// chunked dialect. `header` is changed to what was written.
Expected<void> writeHeader(FileHeader &header, std::string &out, std::string &part);

} // namespace ada::wtf
