// Writes detail files in an order that leaves them readable after a crash.
#include "detail_writer.h"

#include "formats/native/bytes/event_file.h"
#include "packed_detail_writer.h"
#include "shared/encode/atf.h"
#include "trace/base/try.h"

#include <algorithm>
#include <utility>

namespace ada::atf {

struct DetailWriter::State {
  State(const std::string &path, const WriterOptions &options) : out(path, options), options(options) {}

  // A header that doesn't hide what is appended.
  Expected<void> placeholder() { return out.header(encodeDetailHeader(originOf(options), nullptr)); }

  EventFile out;
  WriterOptions options;
  DetailTotals totals;
  std::unique_ptr<packed::DetailWriter> packed; // used instead of all other members
};

DetailWriter::DetailWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
DetailWriter::DetailWriter(DetailWriter &&) noexcept = default;
DetailWriter &DetailWriter::operator=(DetailWriter &&) noexcept = default;
DetailWriter::~DetailWriter() = default;

Expected<DetailWriter> DetailWriter::create(const std::string &path, const WriterOptions &options) {
  auto state = std::make_unique<State>(path, options);
  if (options.packed) {
    state->packed = ADA_TRY(packed::DetailWriter::create(path, options));
    return DetailWriter(std::move(state));
  }
  ADA_TRY(state->out.create(options));
  ADA_TRY(state->placeholder());
  return DetailWriter(std::move(state));
}

Expected<DetailWriter> DetailWriter::resume(const std::string &path, uint64_t keep) {
  std::unique_ptr<State> state;
  {
    auto reader = ADA_TRY(DetailReader::open(path, {.checksum = ChecksumPolicy::Defer}));
    const DetailHeader &header = reader.header();
    WriterOptions options;
    if (reader.isPacked()) {
      auto made = ADA_TRY(packed::DetailWriter::resume(path, keep));
      state = std::make_unique<State>(path, options);
      state->packed = std::move(made);
      return DetailWriter(std::move(state));
    }
    if (header.eventsOffset != kHeaderBytes)
      return Error{.code = "E_BAD_OFFSET",
                   .message = "only a file whose events follow its header at once can be continued",
                   .file = path,
                   .field = "events_offset"};
    options.version = header.version;
    options.arch = header.arch;
    options.os = header.os;
    options.threadId = header.threadId;
    state = std::make_unique<State>(path, options);
    keep = std::min(keep, reader.size());
    for (uint64_t seq = 0; seq < keep; ++seq) {
      const DetailEvent event = reader[seq];
      // The event's header lies right before its payload.
      state->out.count({event.payload.data() - kDetailEventHeaderBytes, event.totalLength});
      state->totals.add(event.indexSeq, event.timestampNs, event.totalLength);
    }
  } // unmaps the file, which is cut next
  ADA_TRY(state->out.reopen(kHeaderBytes + state->totals.bytes));
  ADA_TRY(state->placeholder());
  return DetailWriter(std::move(state));
}

Expected<void> DetailWriter::append(const DetailEvent &event, std::span<const std::byte> payload) {
  State &s = *state_;
  if (!s.packed && !s.out.isOpen())
    return s.out.mustBeOpen();
  constexpr uint64_t kMax32 = 0xffffffff;
  if (payload.size() > kMax32 - kDetailEventHeaderBytes)
    return s.out.rangeError("total_length", "at most 4294967295", payload.size(), "a detail event can't be that long");
  if (s.packed)
    return s.packed->append({event.type, event.flags, event.indexSeq, event.threadId, event.timestampNs}, payload);
  if (s.options.version == 1) {
    if (event.indexSeq > kMax32)
      return s.out.rangeError("index_seq", "at most 4294967295", event.indexSeq,
                              "version 1 can't link that far; write version 2");
    if (s.totals.events >= kMax32)
      return s.out.rangeError("detail_seq", "at most 4294967294", s.totals.events,
                              "version 1 can't number more details; write version 2");
  }
  unsigned char head[kDetailEventHeaderBytes];
  encodeDetailHead(head, s.options.version,
                   {event.type, event.flags, event.indexSeq, event.threadId, event.timestampNs},
                   static_cast<uint32_t>(payload.size()));
  Expected<void> done = s.out.add(head, sizeof head);
  if (done && !payload.empty())
    done = s.out.add(payload.data(), payload.size());
  if (!done)
    return done;
  s.totals.add(event.indexSeq, event.timestampNs, sizeof head + payload.size());
  return {};
}

Expected<void> DetailWriter::append(const DetailEvent &event, const FunctionPayload &payload) {
  if (payload.stack.size() > kMaxStackBytes)
    return state_->out.rangeError("stack_size", "at most 256", payload.stack.size(), "cut the stack to 256 bytes");
  unsigned char bytes[kMaxFunctionPayloadBytes];
  const size_t size =
      encodeFunctionPayload(bytes, {payload.functionId, payload.registers.data(), payload.lr, payload.fp, payload.sp,
                                    payload.stack.data(), payload.stack.size()});
  return append(event, std::as_bytes(std::span(bytes, size)));
}

uint64_t DetailWriter::size() const noexcept { return state_->packed ? state_->packed->size() : state_->totals.events; }

Expected<void> DetailWriter::finish() {
  State &s = *state_;
  if (s.packed)
    return s.packed->finish();
  return s.out.finish([&](uint32_t checksum) { return encodeDetailFooter(s.totals, checksum); },
                      [&] { return encodeDetailHeader(originOf(s.options), &s.totals); });
}

} // namespace ada::atf
