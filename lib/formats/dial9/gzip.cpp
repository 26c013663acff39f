// The gzip layer: looks at the first two bytes, then unpacks piece by piece
// into the decoder or passes through.
#include "ada/trace/dial9/gzip.h"

#ifdef ADA_DIAL9_ZLIB
#include <zlib.h>
#endif

#include <algorithm>

namespace ada::dial9 {

static constexpr std::array<uint8_t, 2> kGzipMagic = {0x1f, 0x8b};

#ifdef ADA_DIAL9_ZLIB
bool gzipSupported() { return true; }

namespace {
/// Unpacked bytes reach the decoder in pieces of this size.
constexpr size_t kPieceBytes = 64 << 10;

class Inflater {
public:
  Inflater() { ready = inflateInit2(&z, 16 + MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (ready)
      inflateEnd(&z);
  }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  /// False if the data is damaged. Hands what could be unpacked to `decoder` in
  /// any case.
  bool push(std::span<const uint8_t> chunk, Decoder &decoder) {
    while (!chunk.empty()) {
      if (!ready)
        return false;
      if (betweenMembers) {
        if (inflateReset(&z) != Z_OK)
          return false;
        betweenMembers = false;
      }
      z.next_in = const_cast<Bytef *>(chunk.data());
      z.avail_in = uInt(std::min<size_t>(chunk.size(), 1 << 30));
      const uInt given = z.avail_in;
      int answer;
      do {
        z.next_out = piece.get();
        z.avail_out = kPieceBytes;
        answer = inflate(&z, Z_NO_FLUSH);
        if (!decoder.push({piece.get(), kPieceBytes - z.avail_out}))
          return true; // the decoder has its own error
      } while (answer == Z_OK && (z.avail_in || !z.avail_out));
      chunk = chunk.subspan(given - z.avail_in);
      betweenMembers = answer == Z_STREAM_END;
      // Z_BUF_ERROR: no input left, and nothing more to unpack from what there
      // was.
      if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR)
        return false;
    }
    return true;
  }
  bool complete() const { return betweenMembers; }

private:
  z_stream z = {};
  bool ready;
  bool betweenMembers = false;
  std::unique_ptr<uint8_t[]> piece = std::make_unique<uint8_t[]>(kPieceBytes);
};
} // namespace
#else
bool gzipSupported() { return false; }

namespace {
class Inflater {
public:
  bool push(std::span<const uint8_t>, Decoder &) { return false; }
  bool complete() const { return false; }
};
} // namespace
#endif

class UnzippingDecoder::Impl {
public:
  Impl(Visitor &visitor, DecoderOptions options) : decoder(visitor, options) {}

  bool push(std::span<const uint8_t> chunk) {
    for (; !decided && !chunk.empty(); chunk = chunk.subspan(1)) {
      first[seen] = chunk.front();
      bool packed = first[seen] == kGzipMagic[seen];
      if (packed && ++seen < kGzipMagic.size())
        continue;
      decided = true;
      if (packed) {
        inflater = std::make_unique<Inflater>();
        pass(kGzipMagic);
      } else {
        pass({first.data(), seen}); // a first byte of gzip that was none
        pass(chunk.first(1));
      }
    }
    return pass(chunk);
  }

  DecodeStatus status() const {
    DecodeStatus inner = decoder.status();
    if (damaged) {
      DecodeError why =
          gzipSupported() ? DecodeError::BadGzip : DecodeError::GzipUnsupported;
      return {Outcome::Error, why, inner.offset};
    }
    if (!decided && seen) // one byte, 1f: no header begins so
      return {Outcome::Error, DecodeError::BadMagic, 0};
    if (inner.ok() && inflater && !inflater->complete())
      return {Outcome::Truncated, DecodeError::None, inner.offset};
    return inner;
  }

private:
  bool pass(std::span<const uint8_t> bytes) {
    if (!inflater)
      return decoder.push(bytes);
    damaged = damaged || !inflater->push(bytes, decoder);
    return !damaged && decoder.push({});
  }

  Decoder decoder;
  std::unique_ptr<Inflater> inflater;
  std::array<uint8_t, 2> first = {};
  size_t seen = 0;
  bool decided = false;
  bool damaged = false;
};

UnzippingDecoder::UnzippingDecoder(Visitor &visitor, DecoderOptions options)
    : impl(std::make_unique<Impl>(visitor, options)) {}
UnzippingDecoder::~UnzippingDecoder() = default;
bool UnzippingDecoder::push(std::span<const uint8_t> chunk) {
  return impl->push(chunk);
}
DecodeStatus UnzippingDecoder::status() const { return impl->status(); }

} // namespace ada::dial9
