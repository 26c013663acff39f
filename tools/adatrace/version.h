// The version that adatrace shows.
#pragma once

namespace ada::cli {

/// "0.2.0" for a release, "0.2.0-dev+36d91b12" for any other commit: see cmake/AdaVersion.cmake.
extern const char *const kVersion;

} // namespace ada::cli
