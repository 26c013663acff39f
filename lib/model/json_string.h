// Texts that may hold anything, for output.
#ifndef ADA_LIB_MODEL_JSON_STRING_H
#define ADA_LIB_MODEL_JSON_STRING_H

#include <string>
#include <string_view>

namespace ada {

/// `text` in quotes, escaped. Bytes that are not UTF-8 become U+FFFD, because
/// JSON can't hold them.
std::string jsonString(std::string_view text);

/// `text` with '?' for control characters: a part of one line.
std::string oneLine(std::string_view text);

} // namespace ada

#endif // ADA_LIB_MODEL_JSON_STRING_H
