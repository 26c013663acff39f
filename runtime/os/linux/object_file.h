// The function table in the file of a loaded object.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// How many functions all tables in the file of the executable, or else of the library at `path`, have: more than the
// object registers, if the linker kept parts of its table apart. 0 if the file or its section table can't be read.
uint64_t functionsInFile(bool isExecutables, const char *path);

} // namespace ada::runtime
