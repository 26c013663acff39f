// The arguments of a call, one by one.
#include "arguments.h"

#include <simdjson.h>

namespace ada::query {

bool forEachArgument(std::string_view json,
                     const std::function<bool(std::string_view, const std::string &, bool)> &use) {
  static thread_local simdjson::dom::parser parser;
  simdjson::dom::object members;
  if (json.empty() || parser.parse(json.data(), json.size()).get(members))
    return true;
  for (const auto [name, value] : members) {
    std::string_view text;
    const bool isText = !value.get(text);
    if (!use(name, isText ? std::string(text) : simdjson::minify(value), value.is_number()))
      return false;
  }
  return true;
}

} // namespace ada::query
