// What the dynamic linker knows about the object that contains an address.
#pragma once

#include "core/base/text.h"
#include "core/images/argument_contents.h"

namespace ada::runtime {

struct LoadedObject {
  bool isMain = false; // the executable, not a shared object
  Path path;           // absolute if that can be determined
  uint64_t base = 0, size = 0;
  AddressRange constants[4] = {}; // the read-only segments
  char buildId[64];
  uint32_t buildIdBytes = 0;
  uint64_t headers = 0; // a hash of the program headers
};

// Takes the dynamic linker's lock, so it must never be called by the drain thread.
LoadedObject findLoadedObject(const void *address);

// Whether findLoadedObject() has seen that we are in a namespace that dlmopen() created. Then there may be another
// runtime in the process. Only reads that flag.
bool isInOtherNamespace();

// The path of the running executable, from /proc/self/exe.
const Path &executablePath();

} // namespace ada::runtime
