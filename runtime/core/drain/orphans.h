// Removes ring files that are no longer needed.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// Removes from `directory` the rings of this user's processes that have executed another program (exec) and left
// nothing unwritten: everything they recorded is in their files. The rings of killed processes stay for `adatrace
// recover`. For the drain, which has its own file table. `own`: the path of this process's ring. `process`: only those
// of this process, from programs that it was before; 0 for all.
void removeOrphans(const char *directory, const char *own, uint32_t process);

} // namespace ada::runtime
