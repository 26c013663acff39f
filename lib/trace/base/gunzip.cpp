// Unpacks gzip data in pieces of any size.
#include "gunzip.h"

#include <algorithm>
#include <zlib.h>

namespace ada {

bool isGzip(std::span<const std::byte> head) noexcept {
  return head.size() >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
}

struct Gunzip::State {
  State() { damaged = inflateInit2(&z, 16 + MAX_WBITS) != Z_OK; }
  ~State() { inflateEnd(&z); }

  z_stream z = {};
  std::span<const std::byte> packed; // bytes that zlib has not been given yet
  bool damaged = false, betweenMembers = false;
};

void Gunzip::feed(std::span<const std::byte> packed) { state_->packed = packed; }

size_t Gunzip::unpack(std::span<std::byte> piece) {
  State &s = *state_;
  z_stream &z = s.z;
  constexpr size_t kMax = 1 << 30; // zlib counts with 32 bits
  z.next_out = reinterpret_cast<Bytef *>(piece.data());
  z.avail_out = static_cast<uInt>(std::min(piece.size(), kMax));
  const uInt room = z.avail_out;
  while (!s.damaged && z.avail_out == room) {
    if (s.packed.empty() && s.betweenMembers)
      break;
    if (s.betweenMembers)
      s.damaged = inflateReset(&z) != Z_OK;
    s.betweenMembers = false;
    z.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(s.packed.data()));
    z.avail_in = static_cast<uInt>(std::min(s.packed.size(), kMax));
    const uInt given = z.avail_in;
    const int answer = inflate(&z, Z_NO_FLUSH);
    s.packed = s.packed.subspan(given - z.avail_in);
    s.betweenMembers = answer == Z_STREAM_END;
    if (answer == Z_BUF_ERROR || (answer == Z_OK && s.packed.empty()))
      break; // everything that was fed is used up
    if (answer != Z_OK && answer != Z_STREAM_END)
      s.damaged = true;
  }
  return room - z.avail_out;
}

bool Gunzip::isComplete() const noexcept { return state_->betweenMembers && state_->packed.empty(); }
bool Gunzip::isDamaged() const noexcept { return state_->damaged; }

Gunzip::Gunzip() : state_(std::make_unique<State>()) {}
Gunzip::~Gunzip() = default;
Gunzip::Gunzip(Gunzip &&) noexcept = default;
Gunzip &Gunzip::operator=(Gunzip &&) noexcept = default;

} // namespace ada
