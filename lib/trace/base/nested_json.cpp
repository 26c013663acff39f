// Cuts deeply nested JSON by following brackets and quotes.
#include "nested_json.h"

namespace ada {

std::string cutNesting(std::string_view json, size_t most) {
  std::string cut;
  cut.reserve(json.size());
  size_t depth = 0;
  bool isText = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool isBegin = !isText && (c == '{' || c == '['), isEnd = !isText && (c == '}' || c == ']');
    if (isBegin && ++depth == most + 1)
      cut += "\"…\"";
    if (depth <= most)
      cut += c;
    if (isEnd && depth > 0)
      --depth;
    if (c == '"')
      isText = !isText;
    else if (isText && c == '\\' && i + 1 < json.size() && depth <= most)
      cut += json[++i];
    else if (isText && c == '\\')
      ++i;
  }
  return cut;
}

} // namespace ada
