// Chrome's trace JSON in the table of formats.
#include "operations.h"

namespace ada::formats {

static constexpr FormatVariant kVariants[] = {
    {.name = ChromeSource::kName, .title = ChromeSource::kTitle, .extension = ".json"}};

// Accepts any JSON. Whether it is a trace only shows after the first bytes; the source reports it if it is not.
static std::optional<unsigned> recognise(std::span<const std::byte> head) {
  std::string_view text(reinterpret_cast<const char *>(head.data()), head.size());
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  const size_t at = text.find_first_not_of(" \t\r\n");
  if (at == text.npos || (text[at] != '{' && text[at] != '['))
    return std::nullopt;
  const size_t next = text.find_first_not_of(" \t\r\n", at + 1);
  const char inside = next == text.npos ? '\0' : text[next];
  const bool isJson =
      inside == '\0' || (text[at] == '{' ? inside == '"' || inside == '}' : inside == '{' || inside == ']');
  return isJson ? std::optional(0u) : std::nullopt;
}

extern const TraceFormat kChromeFormat;
const TraceFormat kChromeFormat = {
    .title = ChromeSource::kTitle,
    .variants = kVariants,
    .recognise = recognise,
    .open = Import<ChromeSource>::open,
    .makeSink = [](SinkTarget target, const SinkOptions &) { return makeChromeSink(std::move(target.bytes)); },
    .verify = Import<ChromeSource>::verify,
    .describe = Import<ChromeSource>::describe,
};

} // namespace ada::formats
