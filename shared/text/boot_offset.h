// How far a process's CLOCK_BOOTTIME is ahead of the machine's.
//
// A time namespace gives its processes other clocks (unshare --time, a container that CRIU restored). The kernel's own
// records, such as those of perf events, keep the machine's, and so do processes outside. So the times of all traces,
// and all times that processes tell each other, are the machine's: what a process reads is corrected by its offset.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "text_piece.h"

namespace ada {

/// Finds the offset of CLOCK_BOOTTIME in the text of /proc/PID/timens_offsets. Each line there has a clock's name, a
/// number of seconds, which may be negative, and a number of nanoseconds; the offset is the sum of both. False if the
/// text has no line for this clock.
constexpr bool parseBootOffset(TextPiece text, int64_t &offsetNs) {
  while (!text.empty() && !text.startsWith("boottime")) {
    while (!text.empty() && text[0] != '\n')
      text = text.from(1);
    text = text.empty() ? text : text.from(1);
  }
  if (text.empty())
    return false;
  text = text.from(8);
  int64_t parts[2] = {};
  for (int64_t &part : parts) {
    while (text.startsWith(" "))
      text = text.from(1);
    const bool isNegative = text.startsWith("-");
    text = text.from(isNegative);
    size_t digits = 0;
    for (; digits < text.size && text[digits] >= '0' && text[digits] <= '9'; ++digits)
      if (__builtin_mul_overflow(part, 10, &part) || __builtin_add_overflow(part, text[digits] - '0', &part))
        return false;
    if (digits == 0)
      return false;
    text = text.from(digits);
    part = isNegative ? -part : part;
  }
  return !__builtin_mul_overflow(parts[0], 1000000000, &parts[0]) &&
         !__builtin_add_overflow(parts[0], parts[1], &offsetNs);
}

/// Asks /proc for the offset of the calling process, or leaves `offsetNs` alone and returns false if it does not say.
/// `readLink` and `readFile` take a path, a buffer and its size, and return the number of bytes, or a negative number.
/// Async-signal-safe if they are.
template <class ReadLink, class ReadFile>
bool askBootOffset(ReadLink &&readLink, ReadFile &&readFile, int64_t &offsetNs) {
  char own[64], children[64], text[256];
  const auto link = [&](const char *path, auto &to) {
    const auto n = readLink(path, to, sizeof to);
    return TextPiece(to, n > 0 ? static_cast<size_t>(n) : 0);
  };
  const TextPiece ours = link("/proc/self/ns/time", own);
  const bool isMachines = ours == "time:[4026531834]";                        // PROC_TIME_INIT_INO
  const bool hasNone = ours.empty() && !link("/proc/self", children).empty(); // before Linux 5.6
  if (isMachines || hasNone) {
    offsetNs = 0;
    return true;
  }
  // After unshare(CLONE_NEWTIME), the file is about the children that the process will have.
  if (ours.empty() || !(ours == link("/proc/self/ns/time_for_children", children)))
    return false;
  const auto size = readFile("/proc/self/timens_offsets", text, sizeof text);
  return size > 0 && parseBootOffset({text, static_cast<size_t>(size)}, offsetNs);
}

} // namespace ada
