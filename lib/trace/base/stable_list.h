// A list whose elements stay where they are.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace ada {

/// One thread appends. Meanwhile, others may read the elements that they have been told about
/// (under a lock, for example).
template <class T> class StableList {
public:
  void push_back(T value) {
    const Place place = placeOf(size_);
    if (!pieces_[place.piece])
      pieces_[place.piece] = std::make_unique<T[]>(kFirst << place.piece);
    pieces_[place.piece][place.at] = std::move(value);
    ++size_;
  }
  /// For the appending thread only.
  size_t size() const { return size_; }
  const T &operator[](size_t index) const {
    const Place place = placeOf(index);
    return pieces_[place.piece][place.at];
  }

private:
  static constexpr size_t kFirst = 64; // elements of the first piece; each other one has twice as many
  struct Place {
    size_t piece, at;
  };
  static Place placeOf(size_t index) {
    const auto piece = static_cast<size_t>(std::bit_width(index / kFirst + 1)) - 1;
    return {piece, index - kFirst * ((size_t{1} << piece) - 1)};
  }

  std::array<std::unique_ptr<T[]>, 48> pieces_;
  size_t size_ = 0;
};

} // namespace ada
