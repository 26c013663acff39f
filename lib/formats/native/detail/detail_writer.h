// Writes detail files, ATF versions 1 and 2, and packed ones, as index_writer.h describes it for index files.
#pragma once

#include "ada/trace/atf_detail.h"
#include "ada/trace/error.h"
#include "formats/native/bytes/writer_options.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ada::atf {

class DetailWriter {
public:
  static Expected<DetailWriter> create(const std::string &path, const WriterOptions &options = {});
  /// Continues a file: keeps its first `keep` events, as IndexWriter::resume
  /// does.
  static Expected<DetailWriter> resume(const std::string &path, uint64_t keep);
  DetailWriter(DetailWriter &&) noexcept;
  DetailWriter &operator=(DetailWriter &&) noexcept;
  ~DetailWriter();

  /// Appends an event with an opaque payload. From `event` it uses type, flags, indexSeq, threadId (version 1 only) and
  /// timestampNs. Its number is size() before the call. E_RANGE if the event would be longer than 2^32-1 bytes or,
  /// in version 1, indexSeq is over 2^32-1 or size() has reached 2^32-1.
  Expected<void> append(const DetailEvent &event, std::span<const std::byte> payload);
  /// The same with a function payload. E_RANGE if the stack is longer than 256
  /// bytes.
  Expected<void> append(const DetailEvent &event, const FunctionPayload &payload);

  uint64_t size() const noexcept;
  Expected<void> finish();

private:
  struct State;
  explicit DetailWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace ada::atf
