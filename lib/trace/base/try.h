// ADA_TRY: the value of an Expected, or return its error.
//
//   Expected<uint64_t> sizeOf(const std::string &path) {
//     const FileBytes file = ADA_TRY(FileBytes::open(path));
//     ADA_TRY(checkHeader(file)); // Expected<void>
//     return file.size();
//   }
//
// The function (or lambda) that it is in must return an Expected. Use it for a whole statement or for a whole
// initializer, as above: in the middle of a longer expression, readers miss that it may return.
// It is a statement expression, which GCC and clang have.
#pragma once

#include "ada/trace/error.h"

#include <utility>

namespace ada {

template <class T> T takeValue(Expected<T> &&result) { return *std::move(result); }
inline void takeValue(Expected<void> &&) {}

} // namespace ada

#define ADA_TRY(...)                                                                                                   \
  __extension__({                                                                                                      \
    auto ada_result = (__VA_ARGS__);                                                                                   \
    if (!ada_result)                                                                                                   \
      return std::move(ada_result.error());                                                                            \
    ::ada::takeValue(std::move(ada_result));                                                                           \
  })
