// How much of a name is kept that comes with another tool's trace.
#include "name_limit.h"

#include "shared/fnv.h"
#include "shared/text/utf8.h"
#include "trace/base/format.h"

namespace ada::formats {

static std::string_view beginningOf(std::string_view text, size_t bytes) {
  return text.substr(0, wholeCharacters(text.data(), bytes));
}

std::string_view NameLimit::kept(std::string_view name) {
  if (name.size() <= kMaxBytes)
    return name;
  constexpr size_t kMark = 3 + 16; // "…" and the number
  cut_ = fmt::format("{}…{:016x}", beginningOf(name, kMaxBytes - kMark), fnv1a(name.data(), name.size()));
  return cut_;
}

std::string_view NameLimit::takeText(std::string_view text) {
  if (text.size() <= kMaxTextBytes)
    return text;
  lost_.add("ends of shared texts that are longer than 64 KiB");
  return beginningOf(text, kMaxTextBytes);
}

} // namespace ada::formats
