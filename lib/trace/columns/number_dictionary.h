// Numbers different 64-bit values from 0, in the order in which they came, up to a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ada::columns {

class NumberDictionary {
public:
  /// So many that a dictionary is smaller than what it replaces, and that its table stays in the processor's cache.
  static constexpr size_t kMax = 1 << 15;

  /// Nothing if there are too many already.
  std::optional<uint32_t> add(uint64_t value) {
    if (slots_.empty())
      slots_.assign(4 * kMax, kFree);
    // The high bits of the product depend on all bits of the value.
    for (size_t at = value * 0x9e3779b97f4a7c15U >> (64 - 17);; at = (at + 1) % slots_.size()) {
      const uint32_t number = slots_[at];
      if (number == kFree) {
        if (values_.size() == kMax)
          return std::nullopt;
        slots_[at] = static_cast<uint32_t>(values_.size());
        values_.push_back(value);
        return slots_[at];
      }
      if (values_[number] == value)
        return number;
    }
  }
  std::span<const uint64_t> values() const { return values_; }
  void clear() {
    slots_.clear();
    values_.clear();
  }

private:
  static constexpr uint32_t kFree = ~uint32_t{0};
  std::vector<uint32_t> slots_; // 2^17
  std::vector<uint64_t> values_;
};

} // namespace ada::columns
