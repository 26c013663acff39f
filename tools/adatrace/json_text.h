//===- json_text.h - text as a JSON string --------------------------------===//
#ifndef ADATRACE_JSON_TEXT_H
#define ADATRACE_JSON_TEXT_H

#include "model/json_string.h"

namespace ada::cli {

/// `text` in quotes, escaped. Bytes that are not UTF-8 become U+FFFD, because JSON
/// can't hold them.
inline std::string jsonText(std::string_view text) { return jsonString(text); }

} // namespace ada::cli
#endif // ADATRACE_JSON_TEXT_H
