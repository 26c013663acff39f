// Data directories of uftrace in the table of formats.
#include "operations.h"
#include "session.h"

#include "trace/base/file_bytes.h"

#include <cstring>

namespace ada::formats {

static constexpr FormatVariant kVariants[] = {{.name = UftraceSource::kName, .title = UftraceSource::kTitle}};

static bool recogniseDirectory(const std::string &path) {
  const auto info = FileBytes::open(path + "/info");
  return info && info->bytes().size() >= sizeof uftrace::kMagic &&
         std::memcmp(info->bytes().data(), uftrace::kMagic, sizeof uftrace::kMagic) == 0;
}

extern const TraceFormat kUftraceFormat;
const TraceFormat kUftraceFormat = {
    .title = UftraceSource::kTitle,
    .variants = kVariants,
    .shape = Shape::Directory,
    .recogniseDirectory = recogniseDirectory,
    .open = Import<UftraceSource>::open,
    .verify = Import<UftraceSource>::verify,
    .describe = Import<UftraceSource>::describe,
};

} // namespace ada::formats
