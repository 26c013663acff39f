// Folded stacks in the table of formats.
#include "operations.h"

#include <algorithm>

namespace ada::formats {

static constexpr FormatVariant kVariants[] = {
    {.name = FoldedSource::kName, .title = FoldedSource::kTitle, .extension = ".folded"}};

// Accepts text whose first line is a stack and a number, as far as `head` shows: the line may be longer than that.
static std::optional<unsigned> recognise(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char *>(head.data()), head.size());
  const bool isText = std::ranges::all_of(
      text, [](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\n' || c == '\r' || c == '\t'; });
  if (text.empty() || !isText)
    return std::nullopt;
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  const bool isWhole = end != text.npos || head.size() < 64;
  const bool isStack = isWhole ? foldedLineOf(line).has_value() : line.find(';') != line.npos;
  return isStack ? std::optional(0u) : std::nullopt;
}

extern const TraceFormat kFoldedFormat;
const TraceFormat kFoldedFormat = {
    .title = FoldedSource::kTitle,
    .variants = kVariants,
    .recognise = recognise,
    .open = Import<FoldedSource>::open,
    .makeSink = [](SinkTarget target, const SinkOptions &) { return makeFoldedSink(std::move(target.bytes)); },
    .verify = Import<FoldedSource>::verify,
    .describe = Import<FoldedSource>::describe,
};

} // namespace ada::formats
