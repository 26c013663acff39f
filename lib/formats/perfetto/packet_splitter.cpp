// Cuts a Perfetto trace into its packets.
#include "packet_splitter.h"

namespace ada::formats {

namespace {

// Reads a number of protobuf's and moves `at` past it. Nothing if the bytes end within it, or it is too long (`isBad`).
std::optional<uint64_t> takeVarint(std::string_view bytes, size_t &at, bool &isBad) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at == bytes.size())
      return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= shift < 64 ? uint64_t{byte & 0x7Fu} << shift : 0;
    if (byte < 0x80)
      return value;
  }
  isBad = true;
  return std::nullopt;
}

} // namespace

bool PacketSplitter::fail(const char *code, const char *message) {
  problem_ = Error{.code = code, .message = message, .offset = offset_};
  return false;
}

size_t PacketSplitter::takeFrom(std::string_view bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    size_t at = done;
    bool isBad = false;
    const auto tag = takeVarint(bytes, at, isBad);
    const auto length = tag ? takeVarint(bytes, at, isBad) : std::nullopt; // or the value if it is a number
    constexpr unsigned kNumber = 0, kBytes = 2;
    if (isBad || (tag && (*tag >> 3 == 0 || ((*tag & 7) != kNumber && (*tag & 7) != kBytes)))) {
      fail("E_BAD_PACKET", "this is not a Perfetto packet; everything before it was read");
      return done;
    }
    if (!length)
      return done;
    const bool isNumber = (*tag & 7) == kNumber;
    if (!isNumber && *length > kMaxPacketBytes) {
      fail("E_BAD_PACKET", "a packet claims to be longer than 64 MiB; everything before it was read");
      return done;
    }
    if (!isNumber && *length > bytes.size() - at) {
      wanted_ = at - done + *length;
      return done;
    }
    const size_t end = isNumber ? at : at + *length;
    if (*tag == (1 << 3 | kBytes) && !take_(bytes.substr(at, *length), offset_)) {
      isStopped_ = true;
      return done;
    }
    offset_ += end - done;
    done = end;
  }
  return done;
}

bool PacketSplitter::push(std::string_view bytes) {
  if (problem_ || isStopped_)
    return false;
  if (rest_.empty()) {
    rest_ = bytes.substr(takeFrom(bytes));
  } else {
    rest_.append(bytes);
    if (rest_.size() >= wanted_) {
      wanted_ = 0;
      rest_.erase(0, takeFrom(rest_));
    }
  }
  return !problem_ && !isStopped_;
}

void PacketSplitter::finish() {
  if (!problem_ && !isStopped_ && !rest_.empty())
    fail("E_TRUNCATED", "the trace ends within a packet; everything before it was read");
}

} // namespace ada::formats
