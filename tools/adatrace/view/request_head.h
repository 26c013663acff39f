// Checks the head of an HTTP request before the library reads it.
//
// The library takes more than the standard allows: the first of two Host headers, lines that continue the one before, a
// body that nobody reads and that would be taken for the next request. A browser sends none of these.
#pragma once

#include <string>
#include <string_view>

namespace ada::cli {

/// What is wrong with a head, which ends with an empty line; empty if nothing is.
std::string problemOfHead(std::string_view head);

} // namespace ada::cli
