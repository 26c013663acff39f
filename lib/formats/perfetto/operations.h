// What the table of formats says about Perfetto traces.
#pragma once

#include "formats/import/import_source.h"

namespace ada::formats {

std::unique_ptr<model::TraceSink> makePerfettoSink(model::ByteSink bytes);

/// Reads track events only. They are sorted by track and time first, as Perfetto does.
class PerfettoSource : public ImportSource {
public:
  static constexpr std::string_view kName = "perfetto", kTitle = "Perfetto trace";
  using ImportSource::ImportSource;
  Expected<void> read(model::TraceSink &sink) override;
  bool knowsRange() const override { return true; }
};

namespace perfetto {

/// The uuid of a track in our own exports: of a process, a thread, the off-CPU times of a thread, or a counter.
enum class TrackKind : uint64_t { Process = 1, Thread, OffCpu, Counter };
constexpr uint64_t trackOf(TrackKind kind, uint32_t number) { return static_cast<uint64_t>(kind) << 32 | number; }

/// Off-CPU tracks in our own exports: the track's name, and its uuid from that of the thread's track.
inline constexpr std::string_view kOffCpuTrack = "off-CPU";
constexpr uint64_t offCpuTrackOf(uint64_t threadTrack) {
  return trackOf(TrackKind::OffCpu, static_cast<uint32_t>(threadTrack));
}

} // namespace perfetto

} // namespace ada::formats
