// Writes the calls of one thread of the model as ATF files.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/convert.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "trace/loss_list.h"

namespace ada::formats {

class AtfThreadWriter {
public:
  /// If `detailPath` is empty, there is no place for details. The files are created when the first event comes.
  AtfThreadWriter(const model::Thread &thread, uint8_t clockType, const model::AtfSinkOptions &options,
                  std::string indexPath, std::string detailPath);

  /// `functionId`: the id of the event's function.
  Expected<void> add(const model::Event &event, uint64_t functionId, const model::Batch &batch, model::LossList &lost);
  /// Completes the files, also those of a thread without events. Call it once.
  Expected<void> finish();

  uint64_t events() const noexcept { return count_; }
  uint64_t details() const noexcept { return detailCount_; }
  /// Exits that no hook saw.
  uint64_t inferred() const noexcept { return inferred_; }
  /// Smallest and largest time; 0 without events.
  uint64_t minTimeNs() const noexcept { return count_ ? low_ : 0; }
  uint64_t maxTimeNs() const noexcept { return high_; }
  bool isFinished() const noexcept { return finished_; }

private:
  Expected<void> open();
  Expected<uint64_t> addDetails(const model::Event &event, const model::Batch &batch, model::LossList &lost);

  atf::WriterOptions writerOptions_;
  model::AtfSinkOptions options_;
  std::string indexPath_, detailPath_;
  std::optional<atf::IndexWriter> index_;
  std::optional<atf::DetailWriter> detail_;
  CallStackWalker depths_; // version 1 stores them
  uint64_t count_ = 0, detailCount_ = 0, inferred_ = 0;
  uint64_t low_ = ~uint64_t{0}, high_ = 0;
  bool finished_ = false;
};

} // namespace ada::formats
