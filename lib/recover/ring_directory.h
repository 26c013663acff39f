// Which process directory a ring file is about.
#ifndef ADA_LIB_RECOVER_RING_DIRECTORY_H
#define ADA_LIB_RECOVER_RING_DIRECTORY_H

#include "formats/atf/session/directories.h"
#include "shared/ring/ring_file.h"

#include <string>

namespace ada {

// `named` is the path in the ring file. With option rotate, the process may since have moved on to a later directory.
inline std::string ringDirectory(const ada_ring_header &header, const std::string &named) {
  const uint64_t number = __atomic_load_n(&header.directory_number, __ATOMIC_ACQUIRE);
  return named.empty() || number == 0 ? named
                                      : atf::joinPath(atf::parentPath(named), "pid_" + std::to_string(header.pid) +
                                                                                  "_" + std::to_string(number));
}

} // namespace ada

#endif // ADA_LIB_RECOVER_RING_DIRECTORY_H
