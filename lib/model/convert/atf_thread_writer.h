// Writes the calls of one thread of the model as ATF files.
#ifndef ADA_LIB_MODEL_CONVERT_ATF_THREAD_WRITER_H
#define ADA_LIB_MODEL_CONVERT_ATF_THREAD_WRITER_H

#include "ada/trace/atf_writer.h"
#include "ada/trace/calls.h"
#include "ada/trace/convert.h"
#include "model/convert/loss_list.h"

namespace ada::model {

class AtfThreadWriter {
public:
  /// `detailPath` empty: there is no place for details. The files are made when
  /// the first event comes.
  AtfThreadWriter(const Thread &thread, std::uint8_t clockType,
                  const AtfSinkOptions &options, std::string indexPath,
                  std::string detailPath);

  /// `functionId` is that of the event's function.
  Expected<void> add(const Event &event, std::uint64_t functionId,
                     const Batch &batch, LossList &lost);
  /// Completes the files, also those of a thread without events. Once.
  Expected<void> finish();

  std::uint64_t events() const noexcept { return count; }
  std::uint64_t details() const noexcept { return detailCount; }
  /// Smallest and largest time; zeros without events.
  std::uint64_t minTimeNs() const noexcept { return count ? low : 0; }
  std::uint64_t maxTimeNs() const noexcept { return high; }
  bool isFinished() const noexcept { return finished; }

private:
  Expected<void> open();
  Expected<std::uint64_t> addDetails(const Event &event, const Batch &batch,
                                     LossList &lost);

  atf::WriterOptions writerOptions;
  AtfSinkOptions options;
  std::string indexPath, detailPath;
  std::optional<atf::IndexWriter> index;
  std::optional<atf::DetailWriter> detail;
  CallStackWalker depths; // version 1 stores them
  std::uint64_t count = 0, detailCount = 0;
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  bool finished = false;
};

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_ATF_THREAD_WRITER_H
