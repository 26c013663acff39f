// fmt, compiled once as a part of the trace library (format.cpp): users of the archive need no fmt, and a program may
// link any fmt of its own, for ours is in a namespace that no other has. Files of ours include this, never <fmt/…>.
#ifndef ADA_LIB_BASE_FORMAT_H
#define ADA_LIB_BASE_FORMAT_H

#define FMT_BEGIN_NAMESPACE                                                                                            \
  namespace fmt {                                                                                                      \
  inline namespace adatrace {
#define FMT_END_NAMESPACE                                                                                              \
  }                                                                                                                    \
  }
#include <fmt/format.h>

#endif // ADA_LIB_BASE_FORMAT_H
