// The known word that a mistyped one is nearest to.
#ifndef ADATRACE_SUGGESTION_H
#define ADATRACE_SUGGESTION_H

#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// The word that `typed` begins ("record or recover" if there are several), or else the one that it is a few edits away
/// from; empty if none is close.
std::string nearest(std::string_view typed, const std::vector<std::string> &words);

} // namespace ada::cli
#endif // ADATRACE_SUGGESTION_H
