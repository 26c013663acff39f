//===- quantities.h - durations, sizes and counts as people write them ----===//
#ifndef ADATRACE_QUANTITIES_H
#define ADATRACE_QUANTITIES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ada::cli {

/// "17 ns", "1.234 us", "12.345 ms", "1.000 s": rounded to three decimals of the
/// largest unit that leaves something before the point.
std::string formatDuration(uint64_t nanoseconds);
/// "1,234,567"
std::string formatCount(uint64_t count);
/// "17 bytes", "1.2 KiB", "395.1 MiB"
std::string formatBytes(uint64_t bytes);
/// Events a second: "950/s", "12.3 k/s", "9.8 M/s"
std::string formatRate(uint64_t events, uint64_t nanoseconds);

/// Reads "10us", "1.5 ms", "2s", "250ns", "1m", "1h"; a bare number is
/// nanoseconds. Nothing if the text is anything else or does not fit.
std::optional<uint64_t> parseDuration(std::string_view text);
/// Reads "64K", "16M", "2G", "4096", powers of 1024, as the runtime does. Nothing if it
/// is anything else.
std::optional<uint64_t> parseSize(std::string_view text);

} // namespace ada::cli
#endif // ADATRACE_QUANTITIES_H
