// An order from another process, on its way through the drain.
#pragma once

#include "core/base/text.h"
#include "shared/ring/ring_file.h"

namespace ada::runtime {

struct Order {
  TextPiece verb, argument;
  uint64_t askedNs = 0;    // when it was given
  bool isSnapshot = false; // the answer is where a trace of everything until now is
  int64_t result = 0;      // for ada_ring_orders.result
  Text<sizeof(ada_ring_orders::answer)> answer;
  char text[sizeof(ada_ring_orders::text) + 1] = {}; // verb and argument, NUL-terminated

  // Begins with the text of an order, which need not end with a NUL.
  void begin(const char *from, size_t bytes, uint64_t asked) {
    __builtin_memcpy(text, from, bytes);
    text[bytes] = 0;
    askedNs = asked;
    isSnapshot = false;
    result = 0;
    answer.clear();
    size_t n = 0;
    while (text[n] && text[n] != ' ')
      ++n;
    verb = {text, n};
    argument = TextPiece(text[n] ? text + n + 1 : text + n);
  }
  // The argument as a NUL-terminated text.
  const char *argumentText() const { return argument.data; }
  void refuse(const char *why) {
    result = -1;
    answer.clear();
    answer << why;
  }
};

} // namespace ada::runtime
