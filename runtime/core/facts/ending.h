// How a process ends, or is about to; for the manifest.
#pragma once

#include <stdint.h>

namespace ada::runtime {

enum class Ending : uint32_t { Running, Exit, Exec, Unknown, Dump, Rotated, Signal, Stopped, Untraced };

} // namespace ada::runtime
