// Cuts a Perfetto trace into its packets, in pieces of any size.
#pragma once

#include "ada/trace/error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ada::formats {

/// A trace is a message whose field 1 holds the packets, so packets follow one another, each with its length before it.
/// Memory: one packet.
class PacketSplitter {
public:
  static constexpr uint64_t kMaxPacketBytes = 64 << 20;
  using Take = std::function<bool(std::string_view packet, uint64_t offset)>;
  explicit PacketSplitter(Take take) : take_(std::move(take)) {}

  /// False if `take` stopped, or there is a problem().
  bool push(std::string_view bytes);
  void finish();
  /// E_BAD_PACKET, E_TRUNCATED.
  const std::optional<Error> &problem() const { return problem_; }

private:
  bool fail(const char *code, const char *message);
  // Hands out the whole packets in the bytes, and returns how many bytes those are.
  size_t takeFrom(std::string_view bytes);

  Take take_;
  std::string rest_; // the beginning of a packet
  uint64_t offset_ = 0, wanted_ = 0;
  bool isStopped_ = false;
  std::optional<Error> problem_;
};

} // namespace ada::formats
