// What the table of formats says about logs of XRay, LLVM's function tracer.
#pragma once

#include "formats/import/import_source.h"

namespace ada::formats {

/// Logs of both modes: basic (one record after the other) and flight data recorder (blocks of packed records).
class XraySource : public ImportSource {
public:
  static constexpr std::string_view kName = "xray", kTitle = "XRay log";
  using ImportSource::ImportSource;
  Expected<void> read(model::TraceSink &sink) override;
};

} // namespace ada::formats
