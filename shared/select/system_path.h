// Recognises the system's sources: the headers of the compilers, the C library and the C++ library, and Rust's library.
#pragma once

#include "function_name.h"

namespace ada::select {

/// Whether `path` is in one of the default include directories of gcc and clang on Linux, in any sysroot:
/// <sysroot>/usr/include, the compilers' own directories, and the C++ library of a compiler that was installed
/// elsewhere. Also whether it is a source of Rust's std or of a crate in it, of which generic functions are compiled
/// into programs, as rustc's makers, Debian's and rustup's place them.
inline bool isSystemPath(TextPiece path) {
  constexpr const char *kParts[] = {
      "/usr/include/",   "/usr/local/include/",        "/include/c++/", "/lib/gcc/", "/lib/gcc-cross/",
      "/usr/src/rustc-", "/rustlib/src/rust/library/", "/include/d/"};
  if (isAt(path, 0, "/rustc/") || isAt(path, 0, "/rust/deps/"))
    return true;
  bool isOfClang = false;
  for (size_t i = 0; i < path.size; ++i) {
    for (const char *part : kParts)
      if (isAt(path, i, part))
        return true;
    isOfClang = isOfClang || isAt(path, i, "/lib/clang/");
    if (isOfClang && isAt(path, i, "/include/"))
      return true;
  }
  return false;
}

} // namespace ada::select
