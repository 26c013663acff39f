// Errors and warnings of the trace library: values that say what, where and what to do.
//
// No function of the library throws. Functions that can fail return Expected<T>,
// which holds either the result or an Error:
//
//   auto reader = ada::atf::IndexReader::open("thread_0/index.atf");
//   if (!reader) {
//     std::cerr << reader.error().text() << '\n';
//     return 1;
//   }
//   use(reader->size());
//
// Data that can be read in spite of a flaw is read, and the flaw becomes a Warning of the reader.
#ifndef ADA_TRACE_ERROR_H
#define ADA_TRACE_ERROR_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace ada {

/// Why something could not be read or written.
struct Error {
  /// Stable name for programs: "E_BAD_MAGIC", "E_IO"... The documentation of
  /// each format lists its codes.
  std::string code;
  /// What is wrong and what to do about it: one sentence in the user's words,
  /// without the file name.
  std::string message;
  /// The file or directory, as it was given. Empty for data that came from
  /// memory.
  std::string file = {};
  /// Where in the file the offending bytes start.
  std::optional<uint64_t> offset = {};
  /// Which field is wrong, as the format's documentation names it; empty if
  /// none.
  std::string field = {};
  /// What the field should hold and what it holds, for people; empty if that
  /// says nothing.
  std::string expected = {}, found = {};

  /// Everything in one line:
  /// "index.atf: at byte 4: endian: expected 1, found 2: big-endian files are
  /// not ... [E_BAD_ENDIAN]"
  std::string text() const;
};

/// A flaw that did not stop the reader.
struct Warning {
  /// Stable name for programs: "W_NO_FOOTER"; with the thread's id where the
  /// warning is about one thread of a session: "W_THREAD_MISSING:5".
  std::string code;
  /// What was found and what the reader did about it.
  std::string message;
};

/// A result, or the reason why there is none. (C++23 has std::expected; this is
/// the part of it that the library needs.)
template <class T> class [[nodiscard]] Expected {
public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  /// True if there is a value.
  explicit operator bool() const noexcept { return state_.index() == 0; }

  /// The value. Only if there is one.
  T &operator*() & noexcept { return value(); }
  const T &operator*() const & noexcept { return value(); }
  T &&operator*() && noexcept { return std::move(value()); }
  T *operator->() noexcept { return &value(); }
  const T *operator->() const noexcept { return &value(); }

  /// The reason. Only if there is no value.
  Error &error() noexcept {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }
  const Error &error() const noexcept {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }

private:
  T &value() noexcept {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  const T &value() const noexcept {
    assert(*this);
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

/// Success, or the reason for the failure.
template <> class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Error error) : failure_(std::move(error)) {}

  explicit operator bool() const noexcept { return !failure_; }
  const Error &error() const noexcept {
    assert(failure_);
    return *failure_;
  }

private:
  std::optional<Error> failure_;
};

} // namespace ada

#endif // ADA_TRACE_ERROR_H
