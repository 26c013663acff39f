// Asks dl_iterate_phdr, which works in static programs as well.
#include "loaded_object.h"
#include "core/base/os.h"
#include "shared/fnv.h"
#include "start_block.h"

#include <elf.h>
#include <link.h>

namespace ada::runtime {
namespace {

struct Query {
  uint64_t address;
  LoadedObject *found;
  bool first, done;
};

bool otherNamespace; // (atomic)

void readBuildId(LoadedObject &o, const char *note, size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) &n = *reinterpret_cast<const ElfW(Nhdr) *>(note);
    size_t name = (n.n_namesz + 3u) & ~3u, body = (n.n_descsz + 3u) & ~3u;
    size_t all = sizeof n + name + body;
    if (all > bytes)
      return;
    const char *owner = note + sizeof n;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && equal(owner, "GNU")) {
      o.buildIdBytes = n.n_descsz < sizeof o.buildId ? n.n_descsz : sizeof o.buildId;
      __builtin_memcpy(o.buildId, owner + name, o.buildIdBytes);
      return;
    }
    note += all, bytes -= all;
  }
}

int visit(dl_phdr_info *info, size_t, void *context) {
  Query &q = *static_cast<Query *>(context);
  // The first object in a namespace that dlmopen() created is a library: it has a name, and different headers.
  const bool isNamed = info->dlpi_name && info->dlpi_name[0];
  const bool isMain = q.first && (!isNamed || reinterpret_cast<uint64_t>(info->dlpi_phdr) == auxiliaryValue(AT_PHDR));
  if (q.first)
    __atomic_store_n(&otherNamespace, !isMain, __ATOMIC_RELAXED);
  q.first = false;
  uint64_t low = UINT64_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD)
      continue;
    uint64_t from = info->dlpi_addr + p.p_vaddr;
    low = from < low ? from : low;
    high = from + p.p_memsz > high ? from + p.p_memsz : high;
  }
  if (q.address < low || q.address >= high)
    return 0;
  LoadedObject &o = *q.found;
  o.isMain = isMain;
  o.base = low, o.size = high - low;
  o.headers = fnv1a(reinterpret_cast<const char *>(info->dlpi_phdr), info->dlpi_phnum * sizeof *info->dlpi_phdr);
  if (!isMain && info->dlpi_name && info->dlpi_name[0]) {
    if (info->dlpi_name[0] != '/') { // relative to the current directory at loading
      char here[4096];
      if (sys::currentDirectory(here, sizeof here) > 0)
        o.path << here << '/';
    }
    o.path << info->dlpi_name;
  }
  for (int i = 0, n = 0; i < info->dlpi_phnum && n < kMaxConstants; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    if (p.p_type == PT_LOAD && (p.p_flags & (PF_R | PF_W | PF_X)) == PF_R)
      o.constants[n++] = {info->dlpi_addr + p.p_vaddr, info->dlpi_addr + p.p_vaddr + p.p_memsz};
  }
  for (int i = 0; i < info->dlpi_phnum && !o.buildIdBytes; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    if (p.p_type == PT_NOTE)
      readBuildId(o, reinterpret_cast<const char *>(info->dlpi_addr + p.p_vaddr), p.p_memsz);
  }
  q.done = true;
  return 1;
}

} // namespace

LoadedObject findLoadedObject(const void *address) {
  LoadedObject o;
  Query q = {reinterpret_cast<uint64_t>(address), &o, true, false};
  dl_iterate_phdr(visit, &q);
  if (o.isMain || o.path.empty())
    o.path = executablePath();
  return o;
}

bool isInOtherNamespace() { return __atomic_load_n(&otherNamespace, __ATOMIC_RELAXED); }

// A process keeps it until exec. The first to ask is startOnce(), alone.
const Path &executablePath() {
  static char text[4096];
  constinit static Path path;
  if (path.empty()) {
    const long n = sys::readLink("/proc/self/exe", text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    path << text;
  }
  return path;
}

} // namespace ada::runtime
