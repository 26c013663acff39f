// Eight bytes at any address, in memory of any type.
#pragma once

#include <stdint.h>

namespace ada::runtime {

using AnyWord __attribute__((aligned(1), may_alias)) = uint64_t;

} // namespace ada::runtime
