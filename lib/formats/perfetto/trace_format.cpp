// Perfetto traces in the table of formats.
#include "operations.h"

#include <algorithm>

namespace ada::formats {

static constexpr FormatVariant kVariants[] = {
    {.name = PerfettoSource::kName, .title = PerfettoSource::kTitle, .extension = ".pftrace"}};

// There is no magic number. Accepts a packet with a length whose first field is one that packets have, but not text.
static std::optional<unsigned> recognise(std::span<const std::byte> head) {
  const auto at = [&](size_t i) { return i < head.size() ? static_cast<unsigned>(head[i]) : 0; };
  if (at(0) != 0x0a)
    return std::nullopt;
  size_t next = 1;
  while (next < 6 && at(next) >= 0x80) // the length
    ++next;
  ++next;
  const unsigned tag = at(next) < 0x80 ? at(next) : (at(next) & 0x7F) | at(next + 1) << 7;
  const unsigned field = tag >> 3, type = tag & 7;
  constexpr unsigned kNumbers[] = {3, 8, 10, 13, 41, 42, 58, 79, 87};
  constexpr unsigned kMessages[] = {1, 2, 6, 9, 11, 12, 33, 35, 36, 43, 44, 45, 50, 59, 60, 69, 89};
  const bool isKnown = type == 0   ? std::ranges::find(kNumbers, field) != std::end(kNumbers)
                       : type == 2 ? std::ranges::find(kMessages, field) != std::end(kMessages)
                                   : false;
  const bool isText = std::ranges::all_of(head, [](std::byte b) {
    return (b >= std::byte{0x20} && b < std::byte{0x7F}) || b == std::byte{'\n'} || b == std::byte{'\t'};
  });
  return isKnown && !isText ? std::optional(0u) : std::nullopt;
}

extern const TraceFormat kPerfettoFormat;
const TraceFormat kPerfettoFormat = {
    .title = PerfettoSource::kTitle,
    .variants = kVariants,
    .recognise = recognise,
    .open = Import<PerfettoSource>::open,
    .makeSink = [](SinkTarget target, const SinkOptions &) { return makePerfettoSink(std::move(target.bytes)); },
    .verify = Import<PerfettoSource>::verify,
    .describe = Import<PerfettoSource>::describe,
};

} // namespace ada::formats
