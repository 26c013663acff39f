// Writes index files in an order that leaves them readable after a crash.
#include "index_writer.h"

#include "ada/trace/atf_index.h"
#include "formats/native/bytes/event_file.h"
#include "packed_index_writer.h"
#include "shared/encode/atf.h"
#include "trace/base/try.h"

#include <algorithm>
#include <utility>

namespace ada::atf {

struct IndexWriter::State {
  State(const std::string &path, const WriterOptions &options) : out(path, options), options(options) {}

  // A header that doesn't hide what is appended.
  Expected<void> placeholder() { return out.header(encodeIndexHeader(originOf(options), nullptr, false)); }

  EventFile out;
  WriterOptions options;
  IndexTotals totals;
  std::unique_ptr<packed::IndexWriter> packed; // used instead of all other members
};

IndexWriter::IndexWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
IndexWriter::IndexWriter(IndexWriter &&) noexcept = default;
IndexWriter &IndexWriter::operator=(IndexWriter &&) noexcept = default;
IndexWriter::~IndexWriter() = default;

Expected<IndexWriter> IndexWriter::create(const std::string &path, const WriterOptions &options) {
  auto state = std::make_unique<State>(path, options);
  if (options.packed) {
    state->packed = ADA_TRY(packed::IndexWriter::create(path, options));
    return IndexWriter(std::move(state));
  }
  ADA_TRY(state->out.create(options));
  ADA_TRY(state->placeholder());
  return IndexWriter(std::move(state));
}

Expected<IndexWriter> IndexWriter::resume(const std::string &path, uint64_t keep) {
  IndexTotals kept;
  WriterOptions options;
  std::unique_ptr<State> state;
  {
    auto reader = ADA_TRY(IndexReader::open(path, {.checksum = ChecksumPolicy::Defer}));
    if (reader.isPacked()) {
      auto made = ADA_TRY(packed::IndexWriter::resume(path, keep));
      state = std::make_unique<State>(path, options);
      state->packed = std::move(made);
      return IndexWriter(std::move(state));
    }
    const IndexHeader &header = reader.header();
    if (header.eventsOffset != kHeaderBytes)
      return Error{.code = "E_BAD_OFFSET",
                   .message = "only a file whose events follow its header at once can be continued",
                   .file = path,
                   .field = "events_offset"};
    options.version = header.version;
    options.arch = header.arch;
    options.os = header.os;
    options.clockType = header.clockType;
    options.threadId = header.threadId;
    keep = std::min(keep, reader.size());
    state = std::make_unique<State>(path, options);
    state->out.count(header.version == 1 ? std::as_bytes(reader.recordsV1().first(keep))
                                         : std::as_bytes(reader.recordsV2().first(keep)));
    if (keep > 0)
      kept = {keep, reader[0].timestampNs, reader[keep - 1].timestampNs};
  } // unmaps the file, which is cut next
  ADA_TRY(state->out.reopen(kHeaderBytes + keep * kIndexEventBytes));
  ADA_TRY(state->placeholder());
  state->totals = kept;
  return IndexWriter(std::move(state));
}

Expected<void> IndexWriter::append(const IndexEvent &event) {
  State &s = *state_;
  if (s.packed)
    return s.packed->append(event);
  if (!s.out.isOpen())
    return s.out.mustBeOpen();
  if (event.detailSeq != kNoDetail && !canLink(s.options.version, event.detailSeq))
    return s.out.rangeError("detail_seq", "at most 4294967294", event.detailSeq,
                            "version 1 can't number more details; write version 2");
  if (auto kind = static_cast<uint32_t>(inAtf(event.kind)); s.options.version != 1 && kind > 255)
    return s.out.rangeError("event_kind", "at most 255", kind, "version 2 has one byte for it; write version 1");
  unsigned char raw[kIndexEventBytes];
  encodeIndexEvent(raw, s.options.version, event);
  if (!s.out.tryAdd(raw, sizeof raw))
    ADA_TRY(s.out.add(raw, sizeof raw));
  s.totals.add(event.timestampNs);
  return {};
}

uint64_t IndexWriter::size() const noexcept { return state_->packed ? state_->packed->size() : state_->totals.events; }

Expected<void> IndexWriter::finish(bool hasDetail) {
  State &s = *state_;
  if (s.packed)
    return s.packed->finish(hasDetail);
  return s.out.finish([&](uint32_t checksum) { return encodeIndexFooter(s.totals, checksum); },
                      [&] { return encodeIndexHeader(originOf(s.options), &s.totals, hasDetail); });
}

} // namespace ada::atf
