// How a sink ends a read when it has seen enough.
#pragma once

#include "ada/trace/error.h"

namespace ada::analysis {

/// What the sink returns. It is not an error, but only an error stops a source.
inline Error earlyEnd() { return {.code = "E_EARLY_END", .message = "enough was read"}; }
inline bool isEarlyEnd(const Error &error) { return error.code == "E_EARLY_END"; }

} // namespace ada::analysis
