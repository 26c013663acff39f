// Durations, sizes and counts as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ada {

/// "17 ns", "1.234 us", "12.345 ms", "1.000 s": rounded to three decimals of the
/// largest unit that leaves something before the point.
std::string formatDuration(uint64_t nanoseconds);
/// The same into memory for kDurationBytes; returns the end.
inline constexpr size_t kDurationBytes = 24;
char *putDuration(char *to, uint64_t nanoseconds);
/// A point in time as seconds after `originNs`, with nine decimals: "0.000020000"; "-0.000001000" before it.
std::string formatTime(uint64_t timeNs, uint64_t originNs);
/// How long, and when after `originNs` unless it begins there: "8.000 ms", "8.000 ms, from 1.000 ms to 9.000 ms".
/// Without an origin on the trace's clock: "8.000 ms, from 5001000000 to 5009000000 ns".
std::string formatRange(uint64_t firstNs, uint64_t lastNs, std::optional<uint64_t> originNs);
/// "1,234,567"
std::string formatCount(uint64_t count);
/// "1 event", "4,001 events", "2 processes"
std::string formatCount(uint64_t count, std::string_view noun);
/// "17 bytes", "1.2 KiB", "395.1 MiB"
std::string formatBytes(uint64_t bytes);
/// Events per second: "950/s", "12.3 k/s", "9.8 M/s"
std::string formatRate(uint64_t events, uint64_t nanoseconds);

/// "71 %" of a share between 0 and 1
std::string formatShare(double share);
/// "71.3%" of a whole; 0 of nothing
std::string formatPercent(uint64_t part, uint64_t whole);

/// Reads "10us", "1.5 ms", "2s", "250ns", "1m", "1h"; a bare number is
/// nanoseconds. Nothing if the text is anything else or does not fit.
std::optional<uint64_t> parseDuration(std::string_view text);

} // namespace ada
