// What the table of formats says about data directories of uftrace.
#pragma once

#include "formats/import/import_source.h"

namespace ada::formats {

/// Reads one thread after the other, with the records in the order of their files.
class UftraceSource : public ImportSource {
public:
  static constexpr std::string_view kName = "uftrace", kTitle = "uftrace data";
  using ImportSource::ImportSource;
  Expected<void> read(model::TraceSink &sink) override;
};

} // namespace ada::formats
