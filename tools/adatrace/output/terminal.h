// Standard output, standard error and colours.
#ifndef ADATRACE_TERMINAL_H
#define ADATRACE_TERMINAL_H

#include "base/format.h"
#include "base/text.h"

#include <string_view>
#include <type_traits>

namespace ada::cli {

/// An escape sequence of ours.
struct Escape {
  std::string_view text;
};

/// Text of any origin: names of functions and threads, paths, arguments.
struct ForeignText {
  std::string_view text;
};

enum class ColorMode { Auto, Always, Never };

/// Escape sequences, all empty where no colour is wanted. Auto colours a terminal
/// only, and none if NO_COLOR is set and not empty or TERM is "dumb".
struct Palette {
  Palette(ColorMode mode, int fd);
  Escape name, number, dim, warn, error, good, reset;
};

/// Buffered standard output, or error. A reader that went away (`adatrace dump | head`)
/// ends the process without a word; any other failure is reported once and ends
/// it with kCantRead.
class Output {
public:
  Output() = default;
  explicit Output(int fd) : fd_(fd) {}
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output() { flush(); }

  /// As it is: for text that was put together from safe parts.
  void write(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    flushIfLong();
  }
  /// Arguments that are text are made safe for a terminal (see oneLine()); of escape sequences only a Palette's come
  /// through.
  template <typename... Args> void print(fmt::format_string<Args...> format, Args &&...args) {
    printSafe(format, shown(args)...);
  }
  /// Room for `size` bytes that the caller fills and commits; for hot loops.
  char *reserve(size_t size) {
    flushIfLong();
    const size_t used = buffer_.size();
    buffer_.reserve(used + size);
    return buffer_.data() + used;
  }
  void commit(const char *end) { buffer_.resize(static_cast<size_t>(end - buffer_.data())); }
  void flush();

private:
  template <typename T> static auto shown(const T &value) {
    if constexpr (std::is_convertible_v<const T &, std::string_view>)
      return ForeignText{value};
    else
      return value;
  }
  template <typename... Safe> void printSafe(fmt::string_view format, const Safe &...args) {
    fmt::vformat_to(std::back_inserter(buffer_), format, fmt::make_format_args(args...));
    flushIfLong();
  }
  static constexpr size_t kFlushBytes = 1 << 16;
  void flushIfLong() {
    if (buffer_.size() >= kFlushBytes)
      flush();
  }
  int fd_ = 1;
  fmt::basic_memory_buffer<char, kFlushBytes + 4096> buffer_;
};

bool isTerminal(int fd);
/// Columns of the terminal at `fd`, 80 if it does not say.
unsigned terminalColumns(int fd);

/// As it is, on standard error, in one write: what a live line is drawn with. A failure does not matter.
void drawLive(std::string_view text);

/// "adatrace: MESSAGE" on standard error, in one write.
void complain(std::string_view message);

template <typename... Args> void warning(fmt::format_string<Args...> format, Args &&...args) {
  complain("warning: " + fmt::format(format, std::forward<Args>(args)...));
}
/// complain() and return `code`, for `return fail(kCantRead, …)`.
template <typename... Args> int fail(int code, fmt::format_string<Args...> format, Args &&...args) {
  complain(fmt::format(format, std::forward<Args>(args)...));
  return code;
}

} // namespace ada::cli

template <> struct fmt::formatter<ada::cli::Escape> : formatter<string_view> {
  template <typename Context> auto format(const ada::cli::Escape &escape, Context &context) const {
    return formatter<string_view>::format(escape.text, context);
  }
};
template <> struct fmt::formatter<ada::cli::ForeignText> : formatter<string_view> {
  template <typename Context> auto format(const ada::cli::ForeignText &foreign, Context &context) const {
    return formatter<string_view>::format(ada::oneLine(foreign.text), context);
  }
};

#endif // ADATRACE_TERMINAL_H
