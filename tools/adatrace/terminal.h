//===- terminal.h - standard output, standard error and colours -----------===//
#ifndef ADATRACE_TERMINAL_H
#define ADATRACE_TERMINAL_H

#include <fmt/format.h>

#include <string_view>

namespace ada::cli {

enum class ColorMode { Auto, Always, Never };

/// Escape sequences, all empty where no colour is wanted. Auto colours a terminal
/// only, and none if NO_COLOR is set and not empty or TERM is "dumb".
struct Palette {
  Palette(ColorMode mode, int fd);
  std::string_view name, number, dim, warn, error, good, reset;
};

/// Buffered standard output. A reader that went away (`adatrace dump | head`)
/// ends the process without a word; any other failure is reported once and ends
/// it with kCantRead.
class Output {
public:
  Output() = default;
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output() { flush(); }

  void write(std::string_view text) {
    buffer.append(text.data(), text.data() + text.size());
    flushIfLong();
  }
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(buffer), format,
                   std::forward<Args>(args)...);
    flushIfLong();
  }
  /// Room for `size` bytes that the caller fills and commits; for hot loops.
  char *reserve(size_t size) {
    flushIfLong();
    const size_t used = buffer.size();
    buffer.reserve(used + size);
    return buffer.data() + used;
  }
  void commit(const char *end) {
    buffer.resize(static_cast<size_t>(end - buffer.data()));
  }
  void flush();

private:
  static constexpr size_t kFlushBytes = 1 << 16;
  void flushIfLong() {
    if (buffer.size() >= kFlushBytes)
      flush();
  }
  fmt::basic_memory_buffer<char, kFlushBytes + 4096> buffer;
};

bool isTerminal(int fd);
/// Columns of the terminal at `fd`, 80 if it does not say.
unsigned terminalColumns(int fd);

/// "adatrace: MESSAGE" on standard error, in one write.
void complain(std::string_view message);

template <typename... Args>
void warning(fmt::format_string<Args...> format, Args &&...args) {
  complain("warning: " + fmt::format(format, std::forward<Args>(args)...));
}
/// complain() and return `code`, for `return fail(kCantRead, …)`.
template <typename... Args>
int fail(int code, fmt::format_string<Args...> format, Args &&...args) {
  complain(fmt::format(format, std::forward<Args>(args)...));
  return code;
}

} // namespace ada::cli
#endif // ADATRACE_TERMINAL_H
