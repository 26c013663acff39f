// Puts a session into one file: an archive that all readers read in place (docs/formats/archive.md).
#pragma once

#include "ada/trace/convert.h"
#include "formats/convert/source_files.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ada::formats {

struct PackOptions {
  /// Files stay as they are. Otherwise index and detail files become packed ones, compressed by zstd, and other files
  /// are compressed one by one.
  bool keepFormat = false;
  /// Adds the source files of the functions that were called, read by this.
  SourceFiles *sources = nullptr;
  /// Also those that look like secrets (trace/base/secrets.h).
  bool secrets = false;
  /// An empty directory for files that are made on the way.
  std::string scratch;
  /// Called now and then with how much was done, from 0 to 1; false ends the packing (E_INTERRUPTED).
  std::function<bool(double part)> goOn = [](double) { return true; };
};

struct PackResult {
  uint64_t files = 0, events = 0;
  uint64_t bytesBefore = 0; ///< of the session's files
  uint64_t sources = 0, missingSources = 0;
  /// Source files that are there and are not packed.
  struct LeftOut {
    std::string name, why;
  };
  std::vector<LeftOut> leftOut;
  bool hasSecrets = false; ///< some of these look like secrets
  /// Why something is not as asked for, or is left out: one sentence each.
  std::vector<std::string> notes;
};

/// Packs the session, process directory or other directory of a trace. Errors: E_IO, E_NO_SESSION, and those of
/// readers.
Expected<PackResult> pack(const std::string &directory, const model::ByteSink &bytes, const PackOptions &options);

} // namespace ada::formats
