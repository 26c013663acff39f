// XRay's logs in the table of formats.
#include "log.h"
#include "operations.h"

namespace ada::formats {

static constexpr FormatVariant kVariants[] = {{.name = XraySource::kName, .title = XraySource::kTitle}};

// There is no magic number. But the header's fields have few possible values, and so does the first record's type.
static std::optional<unsigned> recognise(std::span<const std::byte> head) {
  const auto header = xray::headerOf(head);
  if (!header)
    return std::nullopt;
  const auto rest = head.subspan(xray::Header::kBytes);
  if (header->mode == xray::Mode::Basic)
    return rest.size() < 32 || xray::basicRecord(rest.first<32>()) ? std::optional(0u) : std::nullopt;
  return rest.empty() || (rest[0] & std::byte{1}) == std::byte{1} ? std::optional(0u) : std::nullopt;
}

extern const TraceFormat kXrayFormat;
const TraceFormat kXrayFormat = {
    .title = XraySource::kTitle,
    .variants = kVariants,
    .recognise = recognise,
    .open = Import<XraySource>::open,
    .verify = Import<XraySource>::verify,
    .describe = Import<XraySource>::describe,
};

} // namespace ada::formats
