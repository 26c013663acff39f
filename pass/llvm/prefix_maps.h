// What the command line says about paths in objects.
//
// clang applies -ffile-prefix-map and its kin to debug information, __FILE__ and coverage. Without -g the pass knows
// the source file by the name that clang was given, which holds the build directory in builds that name files
// absolutely (CMake's, for example). Nothing in a module says what the maps are.
#pragma once

#include <string>

namespace ada::pass {

/// PATH as an object may name it: with the last fitting prefix map of the compiler's command line applied.
std::string mappedPath(const std::string &path);

} // namespace ada::pass
