// How a process ends, or is about to; for the manifest.
#ifndef ADA_RUNTIME_CORE_ENDING_H
#define ADA_RUNTIME_CORE_ENDING_H

#include <stdint.h>

namespace ada {

enum class Ending : uint32_t { Running, Exit, Exec, Unknown, Dump, Rotated, Signal, Stopped };

} // namespace ada
#endif
