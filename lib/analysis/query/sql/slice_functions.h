// Functions of Perfetto's dialect, under its names.
#pragma once

#include "modules.h"

#include <sqlite3.h>

namespace ada::query {

/// Adds EXTRACT_ARG(id, key), and the module `ada_slices`: with the argument `around` it makes a table
/// ancestor_slice(id), with `inside` descendant_slice(id). Returns SQLite's status.
int addSliceFunctions(sqlite3 *database, AttachedTraces &traces);

} // namespace ada::query
