// The layer around a stream: unpacks data that begins like gzip, and passes other data on to the decoder.
#ifndef ADA_TRACE_DIAL9_GZIP_H
#define ADA_TRACE_DIAL9_GZIP_H

#include "ada/trace/dial9/decoder.h"

namespace ada::dial9 {

/// True if the library was built with zlib.
bool gzipSupported();

/// A `Decoder` that unpacks first where needed. It has the same life cycle.
/// Several gzip members in a row are one stream.
///
/// Memory stays constant however large the unpacked data is, except for a frame
/// that straddles the unpacked pieces: `DecoderOptions::maxBufferedBytes`
/// bounds that. Offsets count unpacked bytes.
class UnzippingDecoder {
public:
  explicit UnzippingDecoder(Visitor &visitor, DecoderOptions options = {});
  ~UnzippingDecoder();

  bool push(std::span<const uint8_t> chunk);
  /// As `Decoder::status`. Packed data that ends early is `Truncated` even if
  /// the unpacked stream ends between two frames.
  DecodeStatus status() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_GZIP_H
