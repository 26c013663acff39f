// The input of readers of byte streams: a file, a pipe, or either packed with gzip.
#ifndef ADA_TRACE_BYTE_INPUT_H
#define ADA_TRACE_BYTE_INPUT_H

#include "ada/trace/error.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ada::model {

/// Bytes of a file or of standard input, in pieces. Gzip data is unpacked on the way.
class ByteInput {
public:
  /// "-" is standard input. Errors: E_IO.
  static Expected<ByteInput> open(const std::string &path);
  ByteInput(ByteInput &&) noexcept;
  ByteInput &operator=(ByteInput &&) noexcept;
  ~ByteInput();

  /// As it was given; "standard input" for "-".
  const std::string &name() const noexcept;
  /// The first bytes (at most 64), which the next read() begins with.
  std::span<const std::byte> head() const noexcept;
  /// The next piece, valid until the next call; empty at the end.
  Expected<std::span<const std::byte>> read();
  /// Back to the first byte; E_IO if the input is a pipe that was read from.
  Expected<void> rewind();
  /// Copies a pipe into a temporary file without a name, so that it can be read
  /// again. Files stay as they are.
  Expected<void> spool();
  /// A path under which the (unpacked) bytes can be opened while this lives. Pipes and packed files are copied into a
  /// temporary file without a name.
  Expected<std::string> asFile();
  /// True if the bytes are packed with gzip.
  bool isPacked() const noexcept;
  /// Why read() ended before the packed data did: E_BAD_GZIP, E_TRUNCATED.
  const std::optional<Error> &damage() const noexcept;
  /// Bytes of the file (packed bytes if it is packed): those read since the last rewind(), and all of them, if known.
  uint64_t position() const noexcept;
  std::optional<uint64_t> size() const noexcept;

  /// From now on, read() and rewind() fail with E_STOPPED once the flag is set, which any thread may do.
  void stopBy(std::shared_ptr<const std::atomic<bool>> flag) noexcept;

private:
  struct State;
  explicit ByteInput(std::unique_ptr<State> state);
  Expected<void> copyToFile();
  std::unique_ptr<State> state_;
};

/// Pushes all bytes into a decoder's push(bytes), which returns false to stop.
/// An error if they can't be read.
template <class Push> Expected<void> pushAll(ByteInput &input, Push &&push) {
  for (;;) {
    auto piece = input.read();
    if (!piece)
      return piece.error();
    if (piece->empty() || !push(*piece))
      return {};
  }
}

} // namespace ada::model

#endif // ADA_TRACE_BYTE_INPUT_H
