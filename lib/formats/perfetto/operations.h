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

namespace perfetto {

/// When a thread had no processor, in our own exports: the name of such a track, and its uuid by that of the thread's.
inline constexpr std::string_view kOffCpuTrack = "without a processor";
constexpr std::uint64_t offCpuTrackOf(std::uint64_t threadTrack) {
  return std::uint64_t{3} << 32 | (threadTrack & 0xFFFFFFFF);
}

} // namespace perfetto

} // namespace ada::model

#endif // ADA_LIB_FORMATS_PERFETTO_OPERATIONS_H
