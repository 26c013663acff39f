// Removes ring files that nobody needs any more.
#ifndef ADA_RUNTIME_CORE_ORPHANS_H
#define ADA_RUNTIME_CORE_ORPHANS_H

namespace ada {

// Removes from `directory` the rings of this user's processes that have gone into another program (exec) and left
// nothing behind: all that they recorded is in their files. Those of killed processes stay for `adatrace recover`. For
// the drain, which has a file table of its own. `own`: the path of this process's ring.
void removeOrphans(const char *directory, const char *own);

} // namespace ada
#endif
