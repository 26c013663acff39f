// The clock of recorded traces.
#pragma once

#include <cstdint>

namespace ada {

/// Nanoseconds since the machine was started, including suspended time. A time namespace does not change it.
uint64_t bootTimeNs();

} // namespace ada
