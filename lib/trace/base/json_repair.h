// Repairs some JSON that the parser rejects.
#pragma once

#include <string>
#include <string_view>

namespace ada {

/// simdjson stops at bytes that are not UTF-8 (paths on Linux may contain any) and at numbers that fit neither 64-bit
/// integers nor doubles, even in fields that are never read. Returns the text with each such byte replaced by U+FFFD,
/// and each such number by null.
std::string repairJson(std::string_view text);

} // namespace ada
