// Functions as factors of the history from which a packed file's next event is predicted (docs/formats/packed.md).
//
// The history of events is a sum of products of their functions' ids, modulo 2^64. Code that reads or writes many
// events holds functions as these products: the place of a prediction depends on the one before, and this way that
// chain has no multiplication in it (decoding takes 3.3 ns an event instead of 3.8).
#pragma once

#include <stdint.h>

namespace ada::ring {

// Odd, so that ids come back by its inverse.
inline constexpr uint64_t kFactor = 0xC2B2AE3D27D4EB4Fu;
constexpr uint64_t inverseOf(uint64_t odd) {
  uint64_t inverse = odd; // right in the low 3 bits; each step doubles their number
  for (int bits = 3; bits < 64; bits *= 2)
    inverse *= 2 - odd * inverse;
  return inverse;
}
inline constexpr uint64_t kInverse = inverseOf(kFactor);
static_assert(kFactor * kInverse == 1);

// A function, represented by the product instead of its id.
struct Product {
  uint64_t value;
  static constexpr Product of(uint64_t functionId) { return {functionId * kFactor}; }
  constexpr uint64_t functionId() const { return value * kInverse; }
  // An exit counts in the history as the complement of the function's id.
  constexpr Product exit() const { return {-value - kFactor}; }
  bool operator==(const Product &other) const { return value == other.value; }
  bool operator!=(const Product &other) const { return value != other.value; }
};

} // namespace ada::ring
