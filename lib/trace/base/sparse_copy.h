// Copies a file without filling its holes.
#pragma once

#include "ada/trace/error.h"

#include <string>

namespace ada {

/// Makes the empty file `to` a copy of the regular file `from`. Traces that keep only the newest events begin with
/// gigabytes of holes. `path`: of the copy, for messages.
Expected<void> copySparse(int from, int to, const std::string &path);

} // namespace ada
