// Writes ATF index and detail files, versions 1 and 2, and packed ones.
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

#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ada::atf {

struct WriterOptions {
  uint8_t version = 2; ///< 1 or 2
  /// A packed file (docs/formats/packed.md). `version` is ignored then.
  bool packed = false;
  /// Packed files: bodies of blocks as zstd frames, if the library was built with zstd.
  bool compress = false;
  /// Packed files: readers find every link in the detail file anyway, so none is stored.
  bool linksFollow = false;
  uint8_t arch = kArchX86_64, os = kOsLinux, clockType = kClockBoottime;
  uint32_t threadId = 0;
  /// False refuses to replace a file that exists (E_IO).
  bool overwrite = false;
  /// For places that another user may have prepared: no part of the path may be a symbolic link, and the file must not
  /// be a device, a FIFO, or a file with a second name (E_UNSAFE). resume() always requires this.
  bool noLinks = false;
  /// Bytes that are collected before they are written.
  size_t bufferBytes = 1 << 20;
};

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
