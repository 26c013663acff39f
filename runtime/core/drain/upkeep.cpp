// Names of threads, and orphaned rings.
#include "upkeep.h"
#include "core/facts/process_info.h"
#include "drain_thread.h"
#include "orphans.h"

namespace ada::runtime {

void Upkeep::askNames(Ring &ring) {
  constexpr uint64_t kMaxAtOnce = 64;
  if (namesNext_ == 0 && sys::nowNs() < namesDueNs_)
    return;
  const uint64_t used = __atomic_load_n(&ring.header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t asked = 0; namesNext_ < used; ++namesNext_) {
    ada_ring_thread &thread = ring.threads()[namesNext_];
    if (__atomic_load_n(&thread.state, __ATOMIC_ACQUIRE) != ADA_THREAD_LIVE || thread.name[0] != 0)
      continue;
    if (asked++ == kMaxAtOnce)
      return; // the next pass continues
    readThreadName(thread.tid, thread.comm);
  }
  namesNext_ = 0;
  namesDueNs_ = sys::nowNs() + 1000000000;
}

// Looking into the rings of all processes takes longer than many processes live. So of those one in eight does it. The
// others look only for what this process may have left behind before an exec, until they have lived for some time.
bool Upkeep::lookForOrphans(Ring &ring) {
  constexpr uint64_t kShortNs = 5000000; // most processes of a build have ended by then
  const uint64_t startedNs = ring.header().started_ns;
  const bool isLate = looked_ == Looked::ForOwn;
  const bool looksForAll = isLate ? sys::nowNs() - startedNs >= kShortNs : startedNs / 1024 % 8 == 0;
  if (looked_ == Looked::ForAll || (isLate && !looksForAll))
    return false;
  looked_ = looksForAll ? Looked::ForAll : Looked::ForOwn;
  if (isLate ? isFiltered() : !looksForAll && !mayHaveOrphan_)
    return false;
  Path directory(ring.path());
  directory.toParent();
  removeOrphans(directory.c_str(), ring.path(), looksForAll ? 0 : ring.header().pid);
  return true;
}

} // namespace ada::runtime
