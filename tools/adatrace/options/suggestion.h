// Finds the known word that is closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// The word that starts with `typed` ("record or recover" if there are several), otherwise the word that is only a few
/// edits away; empty if none is close.
std::string nearest(std::string_view typed, const std::vector<std::string> &words);

} // namespace ada::cli
