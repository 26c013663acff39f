// Writes the calls of one thread of the model as ATF files.
#include "formats/native/session/thread_writer.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::formats {

AtfThreadWriter::AtfThreadWriter(const model::Thread &thread, uint8_t clockType, const model::AtfSinkOptions &options,
                                 std::string indexPath, std::string detailPath)
    : options_(options), indexPath_(std::move(indexPath)), detailPath_(std::move(detailPath)) {
  writerOptions_.version = options.version;
  writerOptions_.packed = options.packed;
  writerOptions_.compress = options.compress;
  writerOptions_.linksFollow = true; // each detail of a thread names the event that it came with
  writerOptions_.arch = thread.arch;
  writerOptions_.os = thread.os;
  writerOptions_.clockType = clockType;
  writerOptions_.threadId = thread.fileThreadId.value_or(static_cast<uint32_t>(thread.tid));
  writerOptions_.bufferBytes = 64 * 1024; // thousands of files may be open
  // A single file may already exist, empty and without a name; a session's directory is new.
  writerOptions_.overwrite = detailPath_.empty();
}

Expected<void> AtfThreadWriter::open() {
  index_ = ADA_TRY(atf::IndexWriter::create(indexPath_, writerOptions_));
  return {};
}

// Adds the event's details. Returns the number of the first one, or kNoDetail.
Expected<uint64_t> AtfThreadWriter::addDetails(const model::Event &event, const model::Batch &batch,
                                               model::LossList &lost) {
  if (detailPath_.empty()) {
    lost.add("events with registers and stack: they need a session, a single index file has no place for them");
    return atf::kNoDetail;
  }
  if (options_.version == 1 && (detailCount_ + event.details > options_.maxLinks || count_ > options_.maxLinks)) {
    lost.add("events with registers and stack: version 1 counts with 32 bits and can't link so many; version 2 can");
    return atf::kNoDetail;
  }
  if (!detail_)
    detail_ = ADA_TRY(atf::DetailWriter::create(detailPath_, writerOptions_));
  const uint64_t first = detailCount_;
  for (const model::Detail &from : batch.details.subspan(event.extra, event.details)) {
    atf::DetailEvent to;
    to.type = from.type;
    to.flags = from.flags;
    to.indexSeq = count_;
    to.threadId = writerOptions_.threadId;
    to.timestampNs = from.timeNs;
    ADA_TRY(detail_->append(to, from.payload));
    ++detailCount_;
  }
  return first;
}

Expected<void> AtfThreadWriter::add(const model::Event &event, uint64_t functionId, const model::Batch &batch,
                                    model::LossList &lost) {
  atf::IndexEvent out;
  out.timestampNs = event.timeNs;
  out.functionId = functionId;
  out.kind = event.kind;
  if (options_.version == 2 && !options_.packed && static_cast<uint32_t>(inAtf(out.kind)) > 0xFF) {
    lost.add("events of a kind over 255: version 2 has one byte for it; version 1 has four");
    return {};
  }
  if (!options_.packed && event.kind == model::Kind::Inferred)
    lost.add("exits that no hook saw: ATF has them as exits by exception");
  if (!options_.packed && event.kind == model::Kind::Missing)
    lost.add("exits that were not recorded: ATF has them as returns");
  if (!index_)
    ADA_TRY(open());
  if (event.details)
    out.detailSeq = ADA_TRY(addDetails(event, batch, lost));
  if (options_.version == 1) {
    out.threadId = writerOptions_.threadId;
    out.storedDepth = depths_.feed(count_, event.timeNs, functionId, out.kind).depth;
  }
  ADA_TRY(index_->append(out));
  ++count_;
  inferred_ += event.kind == model::Kind::Inferred;
  low_ = std::min(low_, event.timeNs);
  high_ = std::max(high_, event.timeNs);
  return {};
}

Expected<void> AtfThreadWriter::finish() {
  if (finished_)
    return {};
  if (!index_)
    ADA_TRY(open());
  finished_ = true;
  const bool hasDetail = detail_.has_value();
  if (hasDetail)
    ADA_TRY(detail_->finish());
  auto done = index_->finish(hasDetail);
  index_.reset();
  detail_.reset();
  return done;
}

} // namespace ada::formats
