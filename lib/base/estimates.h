// Rounds numbers that are only roughly known, for people.
#pragma once

#include <cstdint>

namespace ada {

/// Rounds to three significant digits: 1,234,567 is 1,230,000.
constexpr uint64_t roughly(uint64_t number) {
  uint64_t unit = 1;
  while (number / unit >= 1000)
    unit *= 10;
  return (number / unit + (number % unit >= unit - unit / 2 && unit > 1 ? 1 : 0)) * unit;
}

} // namespace ada
