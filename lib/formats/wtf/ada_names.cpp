// Names in wtf-trace files.
#include "ada_names.h"

#include "shared/text/utf8.h"
#include "text.h"
#include "trace/base/json.h"
#include "trace/base/text.h"

#include <algorithm>

namespace ada::formats {

// Longer names are cut: version 3 holds 65534 bytes of a definition's texts.
static constexpr size_t kMaxName = 32'000;

std::string WtfNames::plain(std::string_view name, std::string_view instead) {
  std::string quoted = jsonString(name); // makes it UTF-8
  std::string plain;
  if (quoted.size() == name.size() + 2 && quoted.find('\\') == quoted.npos) {
    plain = name;
  } else {
    plain = oneLine(name);
    if (std::string again = jsonString(plain);
        again.find("\xEF\xBF\xBD") != again.npos && plain.find("\xEF\xBF\xBD") == plain.npos) {
      std::ranges::replace_if(plain, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
      lost_.add("names with bytes that are not UTF-8: the bytes are changed");
    }
  }
  if (plain.empty())
    plain = instead;
  if (plain.size() > kMaxName)
    plain.resize(wholeCharacters(plain.data(), kMaxName));
  return plain;
}

std::string WtfNames::text(std::string_view name) {
  constexpr size_t kMaxText = 65'000;
  std::string packed;
  size_t units;
  if (wtf::text::utf8ToCesu8(name, packed, units) && packed.size() <= kMaxText &&
      (dialect_ != wtf::Dialect::Chunked || name.find('\0') == name.npos))
    return std::string(name);
  std::string changed = plain(name, "");
  if (changed != name)
    lost_.add("names of marks and values that were changed: too long, or with a NUL or bytes that are not UTF-8");
  return changed;
}

} // namespace ada::formats
