// The function table in the file of a loaded object.
#pragma once

#include <stdint.h>

namespace ada {

struct LoadedObject;

// How many functions all tables in the object's file have: more than the object registers, if the linker kept parts of
// its table apart. 0 if the file or its section table can't be read.
uint64_t functionsInFile(const LoadedObject &object);

} // namespace ada
