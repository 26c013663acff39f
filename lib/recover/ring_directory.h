// Which process directory a ring file is about.
#pragma once

#include "formats/atf/session/directories.h"
#include "shared/ring/ring_file.h"

#include <string>
#include <sys/types.h>

namespace ada {

// Where in the ring file the path is.
inline off_t ringPathOffset(const ada_ring_header &header) {
  return __atomic_load_n(&header.directory_number, __ATOMIC_ACQUIRE) & ADA_RING_OTHER_PATH ? ADA_RING_OTHER_PATH_OFFSET
                                                                                           : ADA_RING_PATH_OFFSET;
}

// `named` is that path. With option rotate, the process may since have moved on to a later directory.
inline std::string ringDirectory(const ada_ring_header &header, const std::string &named) {
  const uint64_t number = __atomic_load_n(&header.directory_number, __ATOMIC_ACQUIRE) & ~ADA_RING_OTHER_PATH;
  return named.empty() || number == 0 ? named
                                      : atf::joinPath(atf::parentPath(named), "pid_" + std::to_string(header.pid) +
                                                                                  "_" + std::to_string(number));
}

} // namespace ada
