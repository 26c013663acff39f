// How much memory a process may use, and how much of it the ring takes by default.
//
// The ring counts against the limit of the process's control group, like all memory of tmpfs. So a program that just
// fits into its container must not be killed because it is traced.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "text_piece.h"

namespace ada {

/// In bytes. A control group below which the process runs sets the limit, or the machine.
struct MemoryRoom {
  uint64_t limit = UINT64_MAX;
  uint64_t free = UINT64_MAX; ///< of it, with what the kernel can drop at once; of the group that has the least
  bool isOfGroup = false;     ///< the limit is that of a control group
};

inline constexpr uint64_t kMaxBufferBytes = uint64_t{64} << 20, kLeastBufferBytes = uint64_t{1} << 19;

/// The ring memory of a process that was given no size: a sixteenth of the limit, and a quarter of what is free; but
/// neither more than kMaxBufferBytes nor less than kLeastBufferBytes.
constexpr uint64_t bufferBytesFor(const MemoryRoom &room) {
  const uint64_t part = room.limit / 16 < room.free / 4 ? room.limit / 16 : room.free / 4;
  return part > kMaxBufferBytes ? kMaxBufferBytes : part < kLeastBufferBytes ? kLeastBufferBytes : part;
}

namespace detail {

// The number at the beginning of a text; UINT64_MAX for another text ("max").
constexpr uint64_t numberIn(TextPiece text) {
  uint64_t number = 0;
  size_t digits = 0;
  for (; digits < text.size && text[digits] >= '0' && text[digits] <= '9'; ++digits)
    if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, text[digits] - '0', &number))
      return UINT64_MAX;
  return digits > 0 ? number : UINT64_MAX;
}

// Finds the line that begins with the word, and returns the number after it; 0 without such a line.
constexpr uint64_t numberAfter(TextPiece text, TextPiece word) {
  while (!text.empty()) {
    if (text.startsWith(word)) {
      for (text = text.from(word.size); text.startsWith(" ");)
        text = text.from(1);
      const uint64_t number = numberIn(text);
      return number == UINT64_MAX ? 0 : number;
    }
    while (!text.empty() && text[0] != '\n')
      text = text.from(1);
    text = text.empty() ? text : text.from(1);
  }
  return 0;
}

} // namespace detail

/// Finds the process's group for memory in the text of /proc/self/cgroup: lines like "0::/path" of version 2, and
/// "4:cpu,memory:/path" of version 1, which wins. False if the text has none.
constexpr bool parseMemoryGroup(TextPiece text, TextPiece &path, bool &isFirstVersion) {
  bool isFound = false;
  while (!text.empty()) {
    size_t end = 0, colons[2] = {}, found = 0;
    for (; end < text.size && text[end] != '\n'; ++end)
      if (text[end] == ':' && found < 2)
        colons[found++] = end;
    if (found == 2) {
      TextPiece controllers = text.first(colons[1]).from(colons[0] + 1);
      const TextPiece itsPath = text.first(end).from(colons[1] + 1);
      if (controllers.empty())
        path = itsPath, isFirstVersion = false, isFound = true;
      for (size_t n = 0; !controllers.empty();
           controllers = controllers.from(n < controllers.size ? n + 1 : n), n = 0) {
        while (n < controllers.size && controllers[n] != ',')
          ++n;
        if (controllers.first(n) == "memory") {
          path = itsPath, isFirstVersion = true;
          return true;
        }
      }
    }
    text = text.from(end < text.size ? end + 1 : end);
  }
  return isFound;
}

/// Asks /proc and /sys/fs/cgroup about the calling process. In a container its path may be that of the host, of which
/// it sees nothing; then the group at the mount point is its own. `machine`: a struct sysinfo, zeroed if the system
/// does not say. `readFile` takes a path, a buffer and its size, and returns the number of bytes, or a negative number.
/// Async-signal-safe if that is. Takes 4 KiB of stack.
template <class ReadFile, class Sysinfo> MemoryRoom askMemoryRoom(ReadFile &&readFile, const Sysinfo &machine) {
  MemoryRoom room;
  if (machine.mem_unit > 0)
    room.limit = uint64_t{machine.totalram} * machine.mem_unit,
    room.free = uint64_t{machine.freeram} * machine.mem_unit;
  char groups[1024], path[512], text[2048];
  const auto read = [&](const char *name, char *to, size_t most) {
    const auto n = readFile(name, to, most);
    return TextPiece(to, n > 0 ? static_cast<size_t>(n) : 0);
  };
  // Memory that holds files is free as well.
  if (room.free / 4 < bufferBytesFor({room.limit, UINT64_MAX, false}))
    if (const uint64_t available = detail::numberAfter(read("/proc/meminfo", text, sizeof text), "MemAvailable:");
        available > 0 && available < UINT64_MAX / 1024)
      room.free = available * 1024;
  TextPiece group;
  bool isFirst = false;
  const uint64_t most = room.limit;
  if (!parseMemoryGroup(read("/proc/self/cgroup", groups, sizeof groups), group, isFirst))
    return room;
  const TextPiece base = isFirst ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
  const auto ask = [&](TextPiece file) { // of the group
    const TextPiece pieces[] = {base, group, file};
    size_t size = 0;
    for (const TextPiece &piece : pieces)
      for (size_t i = 0; i < piece.size && size + 1 < sizeof path; ++i)
        path[size++] = piece[i];
    path[size] = 0;
    return read(path, text, sizeof text);
  };
  while (true) { // the group, and all around it
    while (group.endsWith("/"))
      group = group.first(group.size - 1);
    const uint64_t limit = detail::numberIn(ask(isFirst ? "/memory.limit_in_bytes" : "/memory.max"));
    if (limit < most) { // version 1 has a large number for none
      const uint64_t used = detail::numberIn(ask(isFirst ? "/memory.usage_in_bytes" : "/memory.current"));
      uint64_t free = used < limit ? limit - used : 0;
      if (free / 4 < limit / 16)
        free += detail::numberAfter(ask("/memory.stat"), isFirst ? "total_inactive_file" : "inactive_file");
      room.free = free < room.free ? free : room.free;
      if (limit < room.limit)
        room.limit = limit, room.isOfGroup = true;
    }
    if (group.empty())
      return room;
    while (!group.empty() && !group.endsWith("/"))
      group = group.first(group.size - 1);
  }
}

} // namespace ada
