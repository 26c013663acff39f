// Whether the kernel trusts the CPU's counter.
#pragma once

#include "shared/text/text_piece.h"
#include "sys.h"

namespace ada::runtime {

// False if the kernel has found that the counter it calls `name` differs between CPUs, stops or jumps: the kernel then
// removes it from this list, whatever CPUID says. True if the list can't be read, and for a null `name`, which means
// that the kernel has no alternative.
inline bool kernelTrustsCounter(const char *name) {
  if (!name)
    return true;
  int fd = sys::open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY);
  if (fd < 0)
    return true;
  char buffer[256];
  long n = sys::read(fd, buffer, sizeof buffer);
  sys::close(fd);
  if (n <= 0)
    return true;
  TextPiece text(buffer, static_cast<size_t>(n));
  while (!text.empty()) {
    size_t word = 0;
    while (word < text.size && text[word] != ' ' && text[word] != '\n')
      ++word;
    if (text.first(word) == name)
      return true;
    text = text.from(word < text.size ? word + 1 : word);
  }
  return false;
}

} // namespace ada::runtime
