// The gzip layer: looks at the first two bytes, then unpacks piece by piece into the decoder or passes bytes through.
#include "ada/trace/dial9/gzip.h"

#include "base/gunzip.h"

#include <array>

namespace ada::dial9 {

static constexpr std::array<uint8_t, 2> kGzipMagic = {0x1f, 0x8b};
/// Unpacked bytes reach the decoder in pieces of this size.
static constexpr size_t kPieceBytes = 64 << 10;

bool gzipSupported() { return Gunzip::isSupported(); }

class UnzippingDecoder::Impl {
public:
  Impl(Visitor &visitor, DecoderOptions options) : decoder_(visitor, options) {}

  bool push(std::span<const uint8_t> chunk) {
    for (; !decided_ && !chunk.empty(); chunk = chunk.subspan(1)) {
      first_[seen_] = chunk.front();
      bool packed = first_[seen_] == kGzipMagic[seen_];
      if (packed && ++seen_ < kGzipMagic.size())
        continue;
      decided_ = true;
      if (packed) {
        gunzip_ = std::make_unique<Gunzip>();
        piece_.resize(kPieceBytes);
        pass(kGzipMagic);
      } else {
        pass({first_.data(), seen_}); // a first byte as in gzip, which it was not
        pass(chunk.first(1));
      }
    }
    return pass(chunk);
  }

  DecodeStatus status() const {
    DecodeStatus inner = decoder_.status();
    if (gunzip_ && gunzip_->isDamaged() && inner.error == DecodeError::None) {
      DecodeError why = gzipSupported() ? DecodeError::BadGzip : DecodeError::GzipUnsupported;
      return {Outcome::Error, why, inner.offset};
    }
    if (!decided_ && seen_) // the only byte was 1f, and no header begins with that
      return {Outcome::Error, DecodeError::BadMagic, 0};
    if (inner.ok() && gunzip_ && !gunzip_->isComplete())
      return {Outcome::Truncated, DecodeError::None, inner.offset};
    return inner;
  }

private:
  bool pass(std::span<const uint8_t> bytes) {
    if (!gunzip_)
      return decoder_.push(bytes);
    gunzip_->feed(std::as_bytes(bytes));
    while (const size_t n = gunzip_->unpack(std::as_writable_bytes(std::span(piece_))))
      if (!decoder_.push(std::span(piece_).first(n)))
        return false; // the decoder has its own error
    return !gunzip_->isDamaged() && decoder_.push({});
  }

  Decoder decoder_;
  std::unique_ptr<Gunzip> gunzip_;
  std::vector<uint8_t> piece_;
  std::array<uint8_t, 2> first_ = {};
  size_t seen_ = 0;
  bool decided_ = false;
};

UnzippingDecoder::UnzippingDecoder(Visitor &visitor, DecoderOptions options)
    : impl_(std::make_unique<Impl>(visitor, options)) {}
UnzippingDecoder::~UnzippingDecoder() = default;
bool UnzippingDecoder::push(std::span<const uint8_t> chunk) { return impl_->push(chunk); }
DecodeStatus UnzippingDecoder::status() const { return impl_->status(); }

} // namespace ada::dial9
