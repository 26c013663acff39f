// What the table of formats says about Chrome's trace JSON.
#pragma once

#include "formats/import/import_source.h"

namespace ada::formats {

std::unique_ptr<model::TraceSink> makeChromeSink(model::ByteSink bytes);

/// Goes over the events twice: first it sorts them by thread and time, then it reads them in that order.
class ChromeSource : public ImportSource {
public:
  static constexpr std::string_view kName = "chrome", kTitle = "Chrome trace JSON";
  using ImportSource::ImportSource;
  Expected<void> read(model::TraceSink &sink) override;
  bool knowsRange() const override { return true; }
};

/// Off-CPU times in our own exports: the category of the events, and the base to which the thread's number is added for
/// their track's tid. It is above the tids of SystemIds.
inline constexpr std::string_view kOffCpuCategory = "off-cpu";
inline constexpr uint32_t kOffCpuTids = 0x60000000;

/// Converts microseconds as a JSON number ("1234.567", "1.5e3", also in quotes) to nanoseconds, rounded. Nothing if the
/// text is not a number, is negative, or is too large.
std::optional<uint64_t> nanosecondsOf(std::string_view microseconds);

} // namespace ada::formats
