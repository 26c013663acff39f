// Repairs some JSON that the parser rejects.
#pragma once

#include <string>
#include <string_view>

namespace ada {

/// simdjson stops at bytes that are not UTF-8 (paths on Linux may contain any), at integers that do not fit 64 bits,
/// and at numbers that no double holds, even in fields that are never read. Returns the text with each such byte
/// replaced by U+FFFD, each such integer written as a double, and each such number replaced by null.
std::string repairJson(std::string_view text);

} // namespace ada
