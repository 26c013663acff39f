// Reads the counters in the ring file of a recording program.
#include "live_ring.h"

#include "ada/trace/manifest.h"
#include "formats/native/directories.h"
#include "live/recover/ring_directory.h"
#include "live/recover/ring_place.h"
#include "shared/ring/ring_file.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_descriptor.h"

#include <fcntl.h>

namespace ada::recover {

std::string ringPathOf(const std::string &directory, uint64_t *part) {
  const auto manifest = Manifest::read(directory + "/manifest.json");
  if (part)
    *part = manifest ? manifest->part.number : 0;
  return manifest ? ringIn(*manifest) : std::string();
}

std::optional<RingCounters> readRingCounters(const std::string &path, const std::string &directory) {
  const FileDescriptor fd(openOrdinary(path, O_RDONLY));
  const std::optional<ada_ring_header> header = headerIn(fd.get());
  if (!header || header->abi_version != ADA_ABI_VERSION ||
      atf::baseName(directoryIn(fd.get(), *header)) != atf::baseName(directory))
    return std::nullopt;
  return RingCounters{header->events_written - header->events_before, header->events_lost - header->lost_before,
                      header->bytes_written - header->bytes_before, header->threads_seen};
}

} // namespace ada::recover
