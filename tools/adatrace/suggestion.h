//===- suggestion.h - the known word that a mistyped one is nearest to ----===//
#ifndef ADATRACE_SUGGESTION_H
#define ADATRACE_SUGGESTION_H

#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// The word that `typed` begins or is a few edits away from; empty if none is close.
std::string nearest(std::string_view typed,
                    const std::vector<std::string> &words);

} // namespace ada::cli
#endif // ADATRACE_SUGGESTION_H
