// Writes the calls of one thread of the model as ATF files.
#include "model/convert/atf_thread_writer.h"

#include <algorithm>

namespace ada::model {

AtfThreadWriter::AtfThreadWriter(const Thread &thread, std::uint8_t clockType,
                                 const AtfSinkOptions &options,
                                 std::string indexPath, std::string detailPath)
    : options(options), indexPath(std::move(indexPath)),
      detailPath(std::move(detailPath)) {
  writerOptions.version = options.version;
  writerOptions.arch = thread.arch;
  writerOptions.os = thread.os;
  writerOptions.clockType = clockType;
  writerOptions.threadId =
      thread.fileThreadId.value_or(static_cast<std::uint32_t>(thread.tid));
  writerOptions.bufferBytes = 64 * 1024; // thousands may be open
}

Expected<void> AtfThreadWriter::open() {
  auto made = atf::IndexWriter::create(indexPath, writerOptions);
  if (!made)
    return made.error();
  index = *std::move(made);
  return {};
}

// The number of the event's first detail, or kNoDetail.
Expected<std::uint64_t> AtfThreadWriter::addDetails(const Event &event,
                                                    const Batch &batch,
                                                    LossList &lost) {
  if (detailPath.empty()) {
    lost.add("events with registers and stack: they need a session, a single "
             "index file has no place for them");
    return atf::kNoDetail;
  }
  if (options.version == 1 && (detailCount + event.details > options.maxLinks ||
                               count > options.maxLinks)) {
    lost.add("events with registers and stack: version 1 counts with 32 bits "
             "and can't link so many; version 2 can");
    return atf::kNoDetail;
  }
  if (!detail) {
    auto made = atf::DetailWriter::create(detailPath, writerOptions);
    if (!made)
      return made.error();
    detail = *std::move(made);
  }
  const std::uint64_t first = detailCount;
  for (const Detail &from : batch.details.subspan(event.extra, event.details)) {
    atf::DetailEvent to;
    to.type = from.type;
    to.flags = from.flags;
    to.indexSeq = count;
    to.threadId = writerOptions.threadId;
    to.timestampNs = from.timeNs;
    if (auto added = detail->append(to, from.payload); !added)
      return added.error();
    ++detailCount;
  }
  return first;
}

Expected<void> AtfThreadWriter::add(const Event &event,
                                    std::uint64_t functionId,
                                    const Batch &batch, LossList &lost) {
  atf::IndexEvent out;
  out.timestampNs = event.timeNs;
  out.functionId = functionId;
  const std::uint32_t kind = event.kind == Kind::Other
                                 ? event.other
                                 : static_cast<std::uint32_t>(event.kind);
  out.kind = static_cast<EventKind>(kind);
  if (options.version == 2 && kind > 0xFF) {
    lost.add("events of a kind over 255: version 2 has one byte for it; "
             "version 1 has four");
    return {};
  }
  if (!index)
    if (auto opened = open(); !opened)
      return opened;
  if (event.details) {
    auto first = addDetails(event, batch, lost);
    if (!first)
      return first.error();
    out.detailSeq = *first;
  }
  if (options.version == 1) {
    out.threadId = writerOptions.threadId;
    out.storedDepth =
        depths.feed(count, event.timeNs, functionId, out.kind).depth;
  }
  if (auto added = index->append(out); !added)
    return added;
  ++count;
  low = std::min(low, event.timeNs);
  high = std::max(high, event.timeNs);
  return {};
}

Expected<void> AtfThreadWriter::finish() {
  if (finished)
    return {};
  if (!index)
    if (auto opened = open(); !opened)
      return opened;
  finished = true;
  const bool hasDetail = detail.has_value();
  if (hasDetail)
    if (auto done = detail->finish(); !done)
      return done;
  auto done = index->finish(hasDetail);
  index.reset();
  detail.reset();
  return done;
}

} // namespace ada::model
