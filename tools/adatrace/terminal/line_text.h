// Builds a line in memory reserved with Output::reserve, for loops that print many millions of lines.
#pragma once

#include "trace/base/digits.h"
#include "trace/base/quantities.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ada::cli {

/// Each function returns the position for the next text.
inline char *put(char *to, std::string_view safe) {
  if (!safe.empty()) // an empty text may have a null address, which memcpy does not allow
    std::memcpy(to, safe.data(), safe.size());
  return to + safe.size();
}
inline char *put(char *to, uint64_t number) { return putDecimal(to, number); }
inline char *putBlanks(char *to, size_t count) {
  std::memset(to, ' ', count);
  return to + count;
}
/// Padded columns are only for text that a terminal shows as one character per byte.
inline char *putLeft(char *to, std::string_view safe, size_t width) {
  char *const end = put(to, safe);
  return safe.size() < width ? putBlanks(end, width - safe.size()) : end;
}
inline char *putRight(char *to, std::string_view safe, size_t width) {
  return put(safe.size() < width ? putBlanks(to, width - safe.size()) : to, safe);
}
inline char *putRight(char *to, uint64_t number, size_t width) {
  char text[kMaxDigits];
  return putRight(to, {text, putDecimal(text, number)}, width);
}
inline char *putDurationRight(char *to, uint64_t nanoseconds, size_t width) {
  char text[kDurationBytes];
  return putRight(to, {text, putDuration(text, nanoseconds)}, width);
}

} // namespace ada::cli
