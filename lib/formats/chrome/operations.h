// What the table of formats says about Chrome's trace JSON.
#ifndef ADA_LIB_FORMATS_CHROME_OPERATIONS_H
#define ADA_LIB_FORMATS_CHROME_OPERATIONS_H

#include "formats/import/import_source.h"

namespace ada::model {

std::unique_ptr<TraceSink> makeChromeSink(ByteSink bytes);

/// Reads it twice over: once into an order by thread and time, then out of that.
class ChromeSource : public ImportSource {
public:
  static constexpr std::string_view kName = "chrome", kTitle = "Chrome trace JSON";
  using ImportSource::ImportSource;
  Expected<void> read(TraceSink &sink) override;
  bool knowsRange() const override { return true; }
};

/// When a thread had no processor, in our own exports: the category of such events, and the tid of their track without
/// the number of the thread, which is above those of SystemIds.
inline constexpr std::string_view kOffCpuCategory = "off-cpu";
inline constexpr std::uint32_t kOffCpuTids = 0x60000000;

/// Microseconds as a JSON number ("1234.567", "1.5e3", also in quotes), in nanoseconds, rounded; nothing if it is none,
/// negative or too large.
std::optional<std::uint64_t> nanosecondsOf(std::string_view microseconds);

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CHROME_OPERATIONS_H
