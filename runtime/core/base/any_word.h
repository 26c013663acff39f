// Eight bytes at any address, in memory of any type.
#ifndef ADA_RUNTIME_CORE_ANY_WORD_H
#define ADA_RUNTIME_CORE_ANY_WORD_H

#include <stdint.h>

namespace ada {

using AnyWord __attribute__((aligned(1), may_alias)) = uint64_t;

} // namespace ada

#endif
