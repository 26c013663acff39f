// Writes tar archives.
#include "trace/base/archive_writer.h"

#include "trace/base/archive.h"
#include "trace/base/tar_format.h"
#include "trace/base/zstd_frame.h"

namespace ada {

// A reader takes a name that ends so for that of a compressed file, so one that ends so anyway is compressed, too.
static constexpr char kCompressed[] = ".zst";

static std::span<const unsigned char> plainBytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size()};
}

bool ArchiveWriter::add(const std::string &name, std::span<const std::byte> contents, int64_t modifiedSeconds) {
  static constexpr std::byte kZeros[tar::kBlockBytes] = {};
  const std::string headers = tar::headersOf(name, contents.size(), modifiedSeconds);
  return write(std::as_bytes(std::span(headers))) && (contents.empty() || write(contents)) &&
         write(std::span(kZeros).first(tar::padded(contents.size()) - contents.size()));
}

bool ArchiveWriter::addFile(const std::string &name, std::span<const std::byte> contents, int64_t modifiedSeconds) {
  return name.ends_with(kCompressed) ? addCompressed(name, contents, modifiedSeconds)
                                     : add(name, contents, modifiedSeconds);
}

bool ArchiveWriter::addCompressed(const std::string &name, std::span<const std::byte> contents,
                                  int64_t modifiedSeconds) {
  std::vector<unsigned char> frame;
  if (contents.size() <= Archive::kMaxUnpackedBytes)
    frame = zstd::checkedFrame(plainBytes(contents));
  const bool isSmaller = tar::padded(frame.size()) < tar::padded(contents.size()) || name.ends_with(kCompressed);
  const bool isRead = !frame.empty() && contents.size() / Archive::kMaxRatio <= frame.size();
  return isSmaller && isRead ? add(name + kCompressed, std::as_bytes(std::span(frame)), modifiedSeconds)
                             : add(name, contents, modifiedSeconds);
}

bool ArchiveWriter::addDirectory(const std::string &name, int64_t modifiedSeconds) {
  return add(name + "/", {}, modifiedSeconds);
}

bool ArchiveWriter::finish() {
  static constexpr std::byte kEnd[tar::kEndBytes] = {};
  return write(kEnd);
}

} // namespace ada
