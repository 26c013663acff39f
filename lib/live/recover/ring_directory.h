// Which process and process directory a ring file is about.
#pragma once

#include "formats/native/directories.h"
#include "shared/ring/ring_file.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace ada::recover {

// The pid in a ring file's name, or nothing for any other name. The runtime names ring files adatrace-PID-TIME, with
// the time in hexadecimal.
inline std::optional<uint32_t> processOfRing(std::string_view name) {
  if (!name.starts_with("adatrace-"))
    return std::nullopt;
  name.remove_prefix(9);
  uint32_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  const std::string_view rest = name.substr(static_cast<size_t>(end - name.data()));
  if (error != std::errc() || rest.size() < 2 || rest[0] != '-' ||
      rest.substr(1).find_first_not_of("0123456789abcdef") != rest.npos)
    return std::nullopt;
  return pid;
}

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

// Reads the header of an open ring file. Returns nothing if the file isn't a ring, or if its process was killed before
// the ring was ready.
inline std::optional<ada_ring_header> headerIn(int fd) {
  ada_ring_header header = {};
  const bool isRing = ::pread(fd, &header, sizeof header, 0) == sizeof header && header.magic == ADA_RING_MAGIC;
  return isRing ? std::optional(header) : std::nullopt;
}

// The directory that an open ring file names now; empty if it names none.
inline std::string directoryIn(int fd, const ada_ring_header &header) {
  char named[ADA_RING_PATH_BYTES] = {};
  return ::pread(fd, named, sizeof named - 1, ringPathOffset(header)) > 0 ? ringDirectory(header, named) : "";
}

} // namespace ada::recover
