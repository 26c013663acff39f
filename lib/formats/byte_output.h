// Text and bytes on their way to a ByteSink.
#pragma once

#include "ada/trace/convert.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ada::formats {

/// Hands bytes on in pieces of a suitable size. After the first error, which is kept, everything is ignored.
class ByteOutput {
public:
  explicit ByteOutput(model::ByteSink sink) : sink_(std::move(sink)) { text_.reserve(2 * kFull); }

  /// The text that has not been handed on yet. Append to it, then call settle().
  std::string &text() { return text_; }
  void settle() {
    if (text_.size() >= kFull)
      flush();
  }
  void put(std::string_view bytes) {
    if (bytes.size() >= kFull) { // avoids a copy
      flush();
      handOn(bytes);
      return;
    }
    text_.append(bytes);
    settle();
  }
  void flush() {
    handOn(text_);
    text_.clear();
  }
  /// Also accepts an error that occurred elsewhere.
  void check(const Expected<void> &done) {
    if (status_ && !done)
      status_ = done;
  }
  const Expected<void> &status() const { return status_; }

private:
  static constexpr size_t kFull = 1 << 16;

  void handOn(std::string_view bytes) {
    if (status_ && !bytes.empty() && !sink_(std::as_bytes(std::span(bytes))))
      status_ = Error{.code = "E_IO", .message = "the bytes of the output could not be written"};
  }
  model::ByteSink sink_;
  std::string text_;
  Expected<void> status_;
};

} // namespace ada::formats
