// The options of a new index or detail file.
#pragma once

#include "shared/encode/atf.h"

#include <cstddef>
#include <cstdint>

namespace ada::atf {

struct WriterOptions {
  uint8_t version = 2; ///< 1 or 2
  /// A packed file (docs/formats/packed.md). `version` is ignored then.
  bool packed = false;
  /// Packed files: bodies of blocks as zstd frames, if the library was built with zstd.
  bool compress = false;
  /// Packed files: readers find every link in the detail file anyway, so none is stored.
  bool linksFollow = false;
  uint8_t arch = kArchX86_64, os = kOsLinux, clockType = kClockBoottime;
  uint32_t threadId = 0;
  /// False refuses to replace a file that exists (E_IO).
  bool overwrite = false;
  /// For places that another user may have prepared: no part of the path may be a symbolic link, and the file must not
  /// be a device, a FIFO, or a file with a second name (E_UNSAFE). resume() always requires this.
  bool noLinks = false;
  /// Bytes that are collected before they are written.
  size_t bufferBytes = 1 << 20;
};

inline FileOrigin originOf(const WriterOptions &options) {
  return {options.version, options.arch, options.os, options.clockType, options.threadId};
}

} // namespace ada::atf
