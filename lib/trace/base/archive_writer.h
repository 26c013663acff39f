// Writes tar archives that trace/base/archive.h reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace ada {

class ArchiveWriter {
public:
  /// Gets the bytes in order; false if they can't be written, after which nothing more is passed.
  using Bytes = std::function<bool(std::span<const std::byte>)>;
  explicit ArchiveWriter(Bytes bytes) : bytes_(std::move(bytes)) {}

  /// All return false if something could not be written.
  bool addFile(const std::string &name, std::span<const std::byte> contents, int64_t modifiedSeconds);
  /// The same, compressed by zstd as NAME.zst if that makes it smaller and a reader accepts it.
  bool addCompressed(const std::string &name, std::span<const std::byte> contents, int64_t modifiedSeconds);
  /// Only needed for empty ones.
  bool addDirectory(const std::string &name, int64_t modifiedSeconds);
  bool finish();

private:
  bool add(const std::string &name, std::span<const std::byte> contents, int64_t modifiedSeconds);
  bool write(std::span<const std::byte> bytes) { return isGood_ = isGood_ && bytes_(bytes); }
  Bytes bytes_;
  bool isGood_ = true;
};

} // namespace ada
