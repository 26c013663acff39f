// What the table of formats says about Perfetto traces.
#ifndef ADA_LIB_FORMATS_PERFETTO_OPERATIONS_H
#define ADA_LIB_FORMATS_PERFETTO_OPERATIONS_H

#include "formats/import/import_source.h"

namespace ada::model {

std::unique_ptr<TraceSink> makePerfettoSink(ByteSink bytes);

/// Track events only. They are sorted by track and time first, as Perfetto does.
class PerfettoSource : public ImportSource {
public:
  static constexpr std::string_view kName = "perfetto", kTitle = "Perfetto trace";
  using ImportSource::ImportSource;
  Expected<void> read(TraceSink &sink) override;
  bool knowsRange() const override { return true; }
};

} // namespace ada::model

#endif // ADA_LIB_FORMATS_PERFETTO_OPERATIONS_H
