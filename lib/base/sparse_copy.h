// Copies a file without filling its holes.
#ifndef ADA_LIB_BASE_SPARSE_COPY_H
#define ADA_LIB_BASE_SPARSE_COPY_H

#include "ada/trace/error.h"

#include <string>

namespace ada {

/// Makes the empty file `to` a copy of the regular file `from`. Traces that keep only the newest events begin with
/// gigabytes of holes. `path`: of the copy, for messages.
Expected<void> copySparse(int from, int to, const std::string &path);

} // namespace ada

#endif // ADA_LIB_BASE_SPARSE_COPY_H
