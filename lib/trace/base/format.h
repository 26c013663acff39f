// fmt, compiled once as a part of the trace library, in a namespace that no other fmt has.
//
// Users of the archive need no fmt, and may link any version themselves. Our files include this, never <fmt/…>.
#pragma once

#define FMT_BEGIN_NAMESPACE                                                                                            \
  namespace fmt {                                                                                                      \
  inline namespace adatrace {
#define FMT_END_NAMESPACE                                                                                              \
  }                                                                                                                    \
  }
#include <fmt/format.h>
