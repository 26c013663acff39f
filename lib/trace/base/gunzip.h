// Unpacks gzip data in pieces of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ada {

/// True if the bytes begin as gzip data does.
bool isGzip(std::span<const std::byte> head) noexcept;

/// Members that follow one another are one stream, as for gzip(1).
///
///   gunzip.feed(packed);
///   while (size_t n = gunzip.unpack(piece))
///     use(piece.first(n));
///   if (gunzip.isDamaged()) ...
class Gunzip {
public:
  Gunzip();
  ~Gunzip();
  Gunzip(Gunzip &&) noexcept;
  Gunzip &operator=(Gunzip &&) noexcept;

  /// The next packed bytes, which must stay where they are until unpack() has returned 0.
  void feed(std::span<const std::byte> packed);
  /// Unpacks into `piece`. 0 means that more must be fed, or that the data is damaged.
  size_t unpack(std::span<std::byte> piece);

  bool isDamaged() const noexcept;
  /// True if the data may end here: a member has just ended.
  bool isComplete() const noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ada
