// Standard output, standard error and colours.
#pragma once

#include "exit_codes.h"

#include "ada/trace/error.h"
#include "trace/base/format.h"
#include "trace/base/text.h"

#include <string>
#include <string_view>
#include <type_traits>

namespace ada::cli {

/// One of our own escape sequences.
struct Escape {
  std::string_view text;
};

/// Text from outside: names of functions and threads, paths, arguments.
struct ForeignText {
  std::string_view text;
};

/// For colours and for progress. Auto: if a person watches it on a terminal.
enum class When { Auto, Always, Never };

/// Escape sequences, all empty if no colour is wanted. Auto colours only terminals, and not if NO_COLOR is set and not
/// empty, or if TERM is "dumb".
struct Palette {
  Palette(When mode, int fd);
  Escape name, number, dim, warn, error, good, reset;
};

/// Buffered standard output or standard error. If the reader has gone away (`adatrace dump | head`), the process ends
/// silently. Any other failure is reported once and ends the process with kCantRead.
class Output {
public:
  Output() = default;
  explicit Output(int fd) : fd_(fd) {}
  /// Appends to a text that outlives this, instead.
  explicit Output(std::string &to) : to_(&to) {}
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output() { flush(); }

  /// Writes the text unchanged. For text that was put together from safe parts.
  void write(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    flushIfLong();
  }
  /// Text arguments are made safe for a terminal (see oneLine()). Only escape sequences from a Palette pass through.
  template <typename... Args> void print(fmt::format_string<Args...> format, Args &&...args) {
    printSafe(format, shown(args)...);
  }
  /// Reserves `size` bytes that the caller fills and commits; for hot loops.
  char *reserve(size_t size) {
    flushIfLong();
    const size_t used = buffer_.size();
    buffer_.reserve(used + size);
    return buffer_.data() + used;
  }
  void commit(const char *end) { buffer_.resize(static_cast<size_t>(end - buffer_.data())); }
  void flush();

  /// From now on, output that nobody reads any more is dropped, instead of ending the process.
  static void goOnWithoutReader();

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
  std::string *to_ = nullptr;
  fmt::basic_memory_buffer<char, kFlushBytes + 4096> buffer_;
};

/// Call it before anything is opened. Takes the numbers of standard files that are closed, so that no file of this
/// program gets them, and is then written to by messages. Reading and writing there fails as if they were closed, and
/// programs that this one starts find them closed.
void reserveStandardFiles();

bool isTerminal(int fd);
/// Number of columns of the terminal at `fd`; 80 if it does not report one.
unsigned terminalColumns(int fd);

/// Writes the text unchanged to standard error, in one write. Used to draw live lines. Failures are ignored.
void drawLive(std::string_view text);

/// Prints "adatrace: MESSAGE" on standard error, in one write.
void complain(std::string_view message);

template <typename... Args> void warning(fmt::format_string<Args...> format, Args &&...args) {
  complain("warning: " + fmt::format(format, std::forward<Args>(args)...));
}
/// Calls complain() and returns `code`, for `return fail(kCantRead, …)`.
template <typename... Args> int fail(int code, fmt::format_string<Args...> format, Args &&...args) {
  complain(fmt::format(format, std::forward<Args>(args)...));
  return code;
}

/// Ends the command with this exit status, from any depth. What is wrong has been printed. Only main() and the few who
/// go on without the result catch it.
struct Exit {
  int code;
};
/// Calls complain() and ends the command.
template <typename... Args> [[noreturn]] void stop(int code, fmt::format_string<Args...> format, Args &&...args) {
  throw Exit{fail(code, format, std::forward<Args>(args)...)};
}
/// The value; without one, ends the command with what is wrong and kCantRead.
// NOLINTNEXTLINE(performance-unnecessary-value-param): for void there is nothing to move from
template <class T> T need(Expected<T> result) {
  if (!result)
    stop(kCantRead, "{}", result.error().text());
  if constexpr (!std::is_void_v<T>)
    return *std::move(result);
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
