// Durations, sizes and counts as people write them.
#include "quantities.h"

#include "digits.h"

#include <charconv>
#include <cstring>

namespace ada {

char *putDuration(char *to, uint64_t nanoseconds) {
  const auto put = [&to](std::string_view text) {
    std::memcpy(to, text.data(), text.size());
    to += text.size();
  };
  if (nanoseconds < 1000) {
    to = putDecimal(to, nanoseconds);
    put(" ns");
    return to;
  }
  struct Unit {
    uint64_t size;
    std::string_view name;
  };
  static constexpr Unit kUnits[] = {{1000, " us"}, {1000000, " ms"}, {1000000000, " s"}};
  for (const Unit &unit : kUnits) {
    // In integers, so that a whole number of nanoseconds is never misprinted.
    const uint64_t step = unit.size / 1000;
    uint64_t whole = nanoseconds / step;
    whole += nanoseconds % step * 2 >= step && step > 1;
    if (whole < 1000000 || unit.size == 1000000000) {
      to = putDecimal(to, whole / 1000);
      put(".");
      to = putThreeDigits(to, static_cast<uint32_t>(whole % 1000));
      put(unit.name);
      break;
    }
  }
  return to;
}

std::string formatDuration(uint64_t nanoseconds) {
  char text[kDurationBytes];
  return std::string(text, putDuration(text, nanoseconds));
}

std::string formatTime(uint64_t timeNs, uint64_t originNs) {
  const bool isBefore = timeNs < originNs;
  const uint64_t distance = isBefore ? originNs - timeNs : timeNs - originNs;
  const std::string decimals = std::to_string(distance % 1'000'000'000);
  return (isBefore ? "-" : "") + std::to_string(distance / 1'000'000'000) + "." +
         std::string(9 - decimals.size(), '0') + decimals;
}

std::string formatRange(uint64_t firstNs, uint64_t lastNs, std::optional<uint64_t> originNs) {
  const std::string length = formatDuration(lastNs - firstNs);
  if (!originNs)
    return length + ", from " + std::to_string(firstNs) + " to " + std::to_string(lastNs) + " ns";
  if (*originNs == firstNs)
    return length;
  return length + ", from " + formatDuration(firstNs - *originNs) + " to " + formatDuration(lastNs - *originNs);
}

std::string formatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string formatCount(uint64_t count, std::string_view noun) {
  std::string text = formatCount(count) + " ";
  text += noun;
  if (count != 1)
    text += noun.ends_with('s') ? "es" : "s";
  return text;
}

// With `decimals` digits after the point.
static std::string fixed(double value, int decimals) {
  char text[400]; // of the largest double
  const auto end = std::to_chars(text, std::end(text), value, std::chars_format::fixed, decimals).ptr;
  return std::string(text, end);
}

std::string formatBytes(uint64_t bytes) {
  if (bytes < 1024)
    return formatCount(bytes, "byte");
  static constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (value /= 1024; value >= 1023.95 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  return fixed(value, 1) + " " + kUnits[unit];
}

std::string formatShare(double share) { return fixed(100 * share, 0) + " %"; }

std::string formatPercent(uint64_t part, uint64_t whole) {
  return fixed(whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0, 1) + "%";
}

std::string formatRate(uint64_t events, uint64_t nanoseconds) {
  const double rate = nanoseconds ? static_cast<double>(events) * 1e9 / nanoseconds : 0;
  if (rate < 1000)
    return fixed(rate, 0) + "/s";
  if (rate < 999950)
    return fixed(rate / 1e3, 1) + " k/s";
  return fixed(rate / 1e6, 1) + " M/s";
}

// A decimal number and what follows it, without the blanks between the two.
static std::optional<double> splitNumber(std::string_view &text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || value < 0 || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  return value;
}

// Whole numbers stay exact; a double has only 53 bits.
static std::optional<uint64_t> scale(std::string_view digits, double value, uint64_t factor) {
  uint64_t whole = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const bool isWhole = error == std::errc() && (end == digits.data() + digits.size() || *end != '.');
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
      {"", 1},           {"ns", 1},          {"us", 1000},         {"µs", 1000},        {"ms", 1000000},
      {"s", 1000000000}, {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000}};
  for (const Unit &unit : kUnits)
    if (text == unit.name)
      return scale(digits, *value, unit.size);
  return std::nullopt;
}

} // namespace ada
