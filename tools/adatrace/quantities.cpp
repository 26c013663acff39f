//===- quantities.cpp - durations, sizes and counts as people write them --===//
#include "quantities.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace ada::cli {

std::string formatDuration(uint64_t nanoseconds) {
  if (nanoseconds < 1000)
    return fmt::format("{} ns", nanoseconds);
  struct Unit {
    uint64_t size;
    const char *name;
  };
  static constexpr Unit kUnits[] = {
      {1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
  for (const Unit &unit : kUnits) {
    // In integers, so that a whole number of nanoseconds is never misprinted.
    const uint64_t step = unit.size / 1000;
    uint64_t whole = nanoseconds / step;
    whole += nanoseconds % step * 2 >= step && step > 1;
    if (whole < 1000000 || unit.size == 1000000000)
      return fmt::format("{}.{:03} {}", whole / 1000, whole % 1000, unit.name);
  }
  return {};
}

std::string formatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  static constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB",
                                           "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (value /= 1024; value >= 1023.95 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string formatRate(uint64_t events, uint64_t nanoseconds) {
  const double rate =
      nanoseconds ? static_cast<double>(events) * 1e9 / nanoseconds : 0;
  if (rate < 1000)
    return fmt::format("{:.0f}/s", rate);
  if (rate < 999950)
    return fmt::format("{:.1f} k/s", rate / 1e3);
  return fmt::format("{:.1f} M/s", rate / 1e6);
}

// A decimal number and what follows it, without the blanks between the two.
static std::optional<double> splitNumber(std::string_view &text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value,
                      std::chars_format::fixed);
  if (error != std::errc() || value < 0 || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  return value;
}

// Whole numbers stay exact; a double has only 53 bits.
static std::optional<uint64_t> scale(std::string_view digits, double value,
                                     uint64_t factor) {
  uint64_t whole = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const bool isWhole =
      error == std::errc() &&
      (end == digits.data() + digits.size() || *end != '.');
  if (isWhole) {
    uint64_t product = 0;
    if (__builtin_mul_overflow(whole, factor, &product))
      return std::nullopt;
    return product;
  }
  const double product = value * static_cast<double>(factor);
  if (!(product < 0x1p64))
    return std::nullopt;
  return static_cast<uint64_t>(product + 0.5);
}

std::optional<uint64_t> parseDuration(std::string_view text) {
  const std::string_view digits = text;
  const std::optional<double> value = splitNumber(text);
  if (!value)
    return std::nullopt;
  struct Unit {
    std::string_view name;
    uint64_t size;
  };
  static constexpr Unit kUnits[] = {
      {"", 1},          {"ns", 1},          {"us", 1000},
      {"µs", 1000},     {"ms", 1000000},    {"s", 1000000000},
      {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000}};
  for (const Unit &unit : kUnits)
    if (text == unit.name)
      return scale(digits, *value, unit.size);
  return std::nullopt;
}

std::optional<uint64_t> parseSize(std::string_view text) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || end - next > 1)
    return std::nullopt;
  unsigned shift = 0;
  if (next != end) {
    const size_t unit = std::string_view("KMGkmg").find(*next);
    if (unit == std::string_view::npos)
      return std::nullopt;
    shift = 10 * static_cast<unsigned>(unit % 3 + 1);
  }
  if (value > std::numeric_limits<uint64_t>::max() >> shift)
    return std::nullopt;
  return value << shift;
}

} // namespace ada::cli
