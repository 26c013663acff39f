// What the dynamic linker knows of the object that an address lies in.
#ifndef ADA_RUNTIME_OS_LINUX_LOADED_OBJECT_H
#define ADA_RUNTIME_OS_LINUX_LOADED_OBJECT_H

#include "core/argument_contents.h"
#include "core/text.h"

namespace ada {

struct LoadedObject {
  bool isMain = false; // the executable, not a shared object
  Path path;           // absolute where it can be found out
  uint64_t base = 0, size = 0;
  AddressRange constants[4] = {}; // what is loaded to be read and for nothing else
  char buildId[64];
  uint32_t buildIdBytes = 0;
};

// Takes the dynamic linker's lock: never from the drain thread.
LoadedObject findLoadedObject(const void *address);

// Whether findLoadedObject() has seen that we are in a namespace that dlmopen() made. Then there may be another runtime
// in the process. Asks nobody.
bool isInOtherNamespace();

// The path of the running executable, by /proc/self/exe.
Path executablePath();

} // namespace ada
#endif
