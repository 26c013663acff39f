// Packs a stream of bytes with gzip.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace ada {

class GzipStream {
public:
  /// `sink` says whether it could take the bytes.
  explicit GzipStream(std::function<bool(std::span<const std::byte>)> sink) : sink_(std::move(sink)), out_(1 << 16) {
    constexpr int kGzip = 16; // added to the window's bits
    isOpen_ =
        deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  GzipStream(const GzipStream &) = delete;
  ~GzipStream() { deflateEnd(&stream_); }

  bool put(std::span<const std::byte> bytes) { return pack(bytes, Z_NO_FLUSH); }
  bool finish() { return pack({}, Z_FINISH); }

private:
  // Pieces must be smaller than 4 GiB.
  bool pack(std::span<const std::byte> bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef *>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      if (!isOpen_ || deflate(&stream_, flush) == Z_STREAM_ERROR)
        return false;
      const size_t made = out_.size() - stream_.avail_out;
      if (made > 0 && !sink_(std::span(out_).first(made)))
        return false;
    } while (stream_.avail_out == 0);
    return true;
  }

  std::function<bool(std::span<const std::byte>)> sink_;
  std::vector<std::byte> out_;
  z_stream stream_ = {};
  bool isOpen_ = false;
};

} // namespace ada
