// Writes index and detail files in an order that leaves them readable after a crash.
#include "formats/atf/files/writer.h"
#include "ada/trace/atf_index.h"

#include "formats/atf/files/checksum.h"
#include "formats/packed/detail_writer.h"
#include "formats/packed/writer.h"
#include "shared/encode/atf.h"
#include "trace/base/file_bytes.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"
#include "trace/base/write_all.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace ada::atf {

namespace {

// A file that is appended to through a buffer, with a running checksum.
class Output {
public:
  Output(std::string path, const WriterOptions &options)
      : path(std::move(path)), bufferBytes_(std::max<size_t>(options.bufferBytes, 4096)), sum_(options.version) {}
  Output(const Output &) = delete;
  ~Output() {
    if (file_)
      (void)flush();
  }

  Expected<void> create(const WriterOptions &options) {
    if (options.noLinks) {
      file_ = ADA_TRY(openForWriting(path, O_WRONLY | O_CREAT | (options.overwrite ? 0 : O_EXCL), 0600));
    } else {
      file_ =
          FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (options.overwrite ? 0 : O_EXCL), 0600));
    }
    if (!file_ || (options.overwrite && ::ftruncate(file_.get(), 0) != 0))
      return fail("cannot be created");
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(bufferBytes_);
    return {};
  }

  // Opens an existing file and cuts it to `bytes`; new data is added after them.
  Expected<void> reopen(uint64_t bytes) {
    file_ = ADA_TRY(openForWriting(path, O_RDWR));
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0 || ::lseek(file_.get(), 0, SEEK_END) < 0)
      return fail("cannot be cut");
    fresh_ = false;
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(bufferBytes_);
    return {};
  }
  // Adds bytes that are already in the file to the checksum.
  void count(std::span<const std::byte> bytes) { sum_.add(bytes); }

  // Adds events, which the checksum covers. It is computed for whole buffers: for each event it would cost more than
  // everything else.
  Expected<void> add(const void *data, size_t size) {
    if (failure_)
      return *failure_;
    if (used_ + size > bufferBytes_)
      ADA_TRY(flush());
    if (size > bufferBytes_) {
      auto *bytes = static_cast<const std::byte *>(data);
      sum_.add({bytes, size});
      return write(bytes, size);
    }
    put(data, size);
    return {};
  }
  // The same if there is room, otherwise false. This is enough for nearly every event.
  bool tryAdd(const void *data, size_t size) {
    if (failure_ || used_ + size > bufferBytes_)
      return false;
    put(data, size);
    return true;
  }
  // Adds a header or footer, which the checksum doesn't cover.
  Expected<void> addUnsummed(const void *data, size_t size) {
    ADA_TRY(flush());
    return write(static_cast<const std::byte *>(data), size);
  }
  Expected<void> flush() {
    if (failure_)
      return *failure_;
    sum_.add({buffer_.get(), used_});
    return write(buffer_.get(), std::exchange(used_, 0));
  }
  // Writes the placeholder of a new file, or replaces a header.
  Expected<void> header(const Frame &frame, bool final) {
    return !final && fresh_ ? addUnsummed(frame.bytes, sizeof frame) : rewriteStart(frame.bytes, sizeof frame);
  }
  Expected<void> rewriteStart(const void *data, size_t size) {
    ADA_TRY(flush());
    return writeAllAt(file_.get(), data, size, 0) ? Expected<void>() : fail("the header cannot be written");
  }
  Expected<void> close() {
    if (file_ && ::close(file_.release()) != 0 && errno != EINTR)
      return fail("cannot be closed");
    return {};
  }

  uint32_t checksum() const { return sum_.value(); }
  bool isOpen() const { return bool(file_); }
  const std::string path;

private:
  void put(const void *data, size_t size) {
    std::memcpy(buffer_.get() + used_, data, size);
    used_ += size;
  }
  Expected<void> write(const std::byte *data, size_t size) {
    return writeAll(file_.get(), data, size) ? Expected<void>() : fail("cannot be written");
  }
  Error fail(const char *what) {
    failure_ = systemError(path, what, errno);
    return *failure_;
  }

  const size_t bufferBytes_;
  Checksum sum_;
  FileDescriptor file_;
  bool fresh_ = true;                   // made by create(): empty so far, or not opened yet
  std::unique_ptr<std::byte[]> buffer_; // the system provides memory as it is touched
  size_t used_ = 0;
  std::optional<Error> failure_;
};

} // namespace

static Error rangeError(const std::string &path, const char *field, std::string expected, uint64_t found,
                        const char *message) {
  return {.code = "E_RANGE",
          .message = message,
          .file = path,
          .field = field,
          .expected = std::move(expected),
          .found = std::to_string(found)};
}

static Error finishedError(const std::string &path) {
  return {.code = "E_IO", .message = "the file is finished; nothing can be added to it", .file = path};
}

static Error gapError(const std::string &path) {
  return {.code = "E_BAD_OFFSET",
          .message = "only a file whose events follow its header at once can "
                     "be continued",
          .file = path,
          .field = "events_offset"};
}

static Expected<void> checkOptions(const std::string &path, const WriterOptions &options) {
  if (options.version == 1 || options.version == 2)
    return {};
  return Error{.code = "E_BAD_VERSION",
               .message = "only versions 1 and 2 can be written",
               .file = path,
               .field = "version",
               .expected = "1 or 2",
               .found = std::to_string(options.version)};
}

static FileOrigin originOf(const WriterOptions &options) {
  return {options.version, options.arch, options.os, options.clockType, options.threadId};
}

//===--- index ------------------------------------------------------------===//

struct IndexWriter::State {
  State(const std::string &path, const WriterOptions &options) : out(path, options), options(options) {}

  Expected<void> header(bool final, bool hasDetail) {
    return out.header(encodeIndexHeader(originOf(options), final ? &totals : nullptr, hasDetail), final);
  }

  Output out;
  WriterOptions options;
  IndexTotals totals;
  std::unique_ptr<packed::Writer> packed; // used instead of all other members
};

IndexWriter::IndexWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
IndexWriter::IndexWriter(IndexWriter &&) noexcept = default;
IndexWriter &IndexWriter::operator=(IndexWriter &&) noexcept = default;
IndexWriter::~IndexWriter() = default;

Expected<IndexWriter> IndexWriter::create(const std::string &path, const WriterOptions &options) {
  ADA_TRY(checkOptions(path, options));
  auto state = std::make_unique<State>(path, options);
  if (options.packed) {
    state->packed = ADA_TRY(packed::Writer::create(path, options));
    return IndexWriter(std::move(state));
  }
  ADA_TRY(state->out.create(options));
  ADA_TRY(state->header(false, false));
  return IndexWriter(std::move(state));
}

Expected<IndexWriter> IndexWriter::resume(const std::string &path, uint64_t keep) {
  IndexTotals kept;
  WriterOptions options;
  std::unique_ptr<State> state;
  {
    auto reader = ADA_TRY(IndexReader::open(path, {.checksum = ChecksumPolicy::Defer}));
    if (reader.isPacked()) {
      auto made = ADA_TRY(packed::Writer::resume(path, keep));
      state = std::make_unique<State>(path, options);
      state->packed = std::move(made);
      return IndexWriter(std::move(state));
    }
    const IndexHeader &header = reader.header();
    if (header.eventsOffset != kHeaderBytes)
      return gapError(path);
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
  // Write the placeholder: a final header would hide what is appended.
  ADA_TRY(state->header(false, false));
  state->totals = kept;
  return IndexWriter(std::move(state));
}

Expected<void> IndexWriter::append(const IndexEvent &event) {
  State &s = *state_;
  if (s.packed)
    return s.packed->append(event);
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  if (event.detailSeq != kNoDetail && !canLink(s.options.version, event.detailSeq))
    return rangeError(s.out.path, "detail_seq", "at most 4294967294", event.detailSeq,
                      "version 1 can't number more details; write version 2");
  if (auto kind = static_cast<uint32_t>(inAtf(event.kind)); s.options.version != 1 && kind > 255)
    return rangeError(s.out.path, "event_kind", "at most 255", kind, "version 2 has one byte for it; write version 1");
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
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  ADA_TRY(s.out.flush()); // completes the checksum
  const Frame footer = encodeIndexFooter(s.totals, s.out.checksum());
  ADA_TRY(s.out.addUnsummed(footer.bytes, sizeof footer));
  ADA_TRY(s.header(true, hasDetail));
  return s.out.close();
}

//===--- detail -----------------------------------------------------------===//

struct DetailWriter::State {
  State(const std::string &path, const WriterOptions &options) : out(path, options), options(options) {}

  Expected<void> header(bool final) {
    return out.header(encodeDetailHeader(originOf(options), final ? &totals : nullptr), final);
  }

  Output out;
  WriterOptions options;
  DetailTotals totals;
  std::unique_ptr<packed::DetailWriter> packed; // used instead of all other members
};

DetailWriter::DetailWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
DetailWriter::DetailWriter(DetailWriter &&) noexcept = default;
DetailWriter &DetailWriter::operator=(DetailWriter &&) noexcept = default;
DetailWriter::~DetailWriter() = default;

Expected<DetailWriter> DetailWriter::create(const std::string &path, const WriterOptions &options) {
  ADA_TRY(checkOptions(path, options));
  auto state = std::make_unique<State>(path, options);
  if (options.packed) {
    state->packed = ADA_TRY(packed::DetailWriter::create(path, options));
    return DetailWriter(std::move(state));
  }
  ADA_TRY(state->out.create(options));
  ADA_TRY(state->header(false));
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
      return gapError(path);
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
  ADA_TRY(state->header(false));
  return DetailWriter(std::move(state));
}

Expected<void> DetailWriter::append(const DetailEvent &event, std::span<const std::byte> payload) {
  State &s = *state_;
  if (!s.packed && !s.out.isOpen())
    return finishedError(s.out.path);
  constexpr uint64_t kMost32 = 0xffffffff;
  if (payload.size() > kMost32 - kDetailEventHeaderBytes)
    return rangeError(s.out.path, "total_length", "at most 4294967295", payload.size(),
                      "a detail event can't be that long");
  if (s.packed)
    return s.packed->append({event.type, event.flags, event.indexSeq, event.threadId, event.timestampNs}, payload);
  if (s.options.version == 1) {
    if (event.indexSeq > kMost32)
      return rangeError(s.out.path, "index_seq", "at most 4294967295", event.indexSeq,
                        "version 1 can't link that far; write version 2");
    if (s.totals.events >= kMost32)
      return rangeError(s.out.path, "detail_seq", "at most 4294967294", s.totals.events,
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
    return rangeError(state_->out.path, "stack_size", "at most 256", payload.stack.size(),
                      "cut the stack to 256 bytes");
  unsigned char bytes[kMostFunctionPayloadBytes];
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
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  ADA_TRY(s.out.flush()); // completes the checksum
  const Frame footer = encodeDetailFooter(s.totals, s.out.checksum());
  ADA_TRY(s.out.addUnsummed(footer.bytes, sizeof footer));
  ADA_TRY(s.header(true));
  return s.out.close();
}

} // namespace ada::atf
