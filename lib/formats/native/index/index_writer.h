// Writes index files, ATF versions 1 and 2, and packed ones.
//
//   auto writer = ada::atf::IndexWriter::create("index.atf", {.version = 2, .threadId = 4711});
//   if (!writer)
//     return fail(writer.error());
//   writer->append({.timestampNs = 1, .functionId = 5, .kind = ada::EventKind::Call});
//   if (auto done = writer->finish(); !done)
//     return fail(done.error());
//
// The order is safe against crashes: first a placeholder header, then the
// events, then the footer, and last the header again with the true values. A
// writer that is destroyed without finish() leaves a file like that of a crashed
// program: every complete event in it can be read.
//
// After an error of the system, append() keeps failing with the same error, so a
// loop need only check finish().
#pragma once

#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"
#include "formats/native/bytes/writer_options.h"

#include <memory>
#include <string>

namespace ada::atf {

class IndexWriter {
public:
  /// Makes the file and writes the placeholder header. Errors: E_IO,
  /// E_BAD_VERSION.
  static Expected<IndexWriter> create(const std::string &path, const WriterOptions &options = {});
  /// Continues a file, finished or not: keeps its first `keep` events (all if
  /// there are fewer) and drops the rest and any footer. Version and the other
  /// options are those of the file. Errors: those of IndexReader::open,
  /// E_IO, E_UNSAFE (see WriterOptions::noLinks), E_BAD_OFFSET for a file whose events don't begin at byte 64.
  static Expected<IndexWriter> resume(const std::string &path, uint64_t keep);
  IndexWriter(IndexWriter &&) noexcept;
  IndexWriter &operator=(IndexWriter &&) noexcept;
  ~IndexWriter();

  /// Appends an event. Its number is size() before the call. Version 1 stores
  /// `threadId` and `storedDepth` (kNoDepth as 0) of the event; version 2 and packed files store neither.
  /// E_RANGE if a field does not fit: in version 1 a detailSeq over 2^32-2, in version 2 a kind over 255.
  Expected<void> append(const IndexEvent &event);

  uint64_t size() const noexcept;

  /// Footer and final header. `hasDetail`: a detail file goes with this one.
  Expected<void> finish(bool hasDetail = false);

private:
  struct State;
  explicit IndexWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace ada::atf
