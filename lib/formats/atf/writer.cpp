// Writes index and detail files in an order that a crash can't spoil.
#include "ada/trace/atf_index.h"
#include "ada/trace/atf_writer.h"

#include "formats/atf/checksum.h"
#include "formats/atf/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ada::atf {

namespace {

// A file that is appended to through a buffer, with the checksum of what went
// by.
class Output {
public:
  Output(std::string path, const WriterOptions &options)
      : path(std::move(path)),
        bufferBytes(std::max<std::size_t>(options.bufferBytes, 4096)),
        sum(options.version) {}
  Output(const Output &) = delete;
  ~Output() {
    if (fd < 0)
      return;
    (void)flush();
    ::close(fd);
  }

  Expected<void> create(bool overwrite) {
    fd = ::open(path.c_str(),
                O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL),
                0666);
    if (fd < 0)
      return fail("cannot be created");
    buffer = std::make_unique_for_overwrite<std::byte[]>(bufferBytes);
    return {};
  }

  // Opens a file that exists and cuts it to `bytes`; what is added comes behind
  // them.
  Expected<void> reopen(std::uint64_t bytes) {
    fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0)
      return fail("cannot be opened for writing");
    if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
        ::lseek(fd, 0, SEEK_END) < 0)
      return fail("cannot be cut");
    fresh = false;
    buffer = std::make_unique_for_overwrite<std::byte[]>(bufferBytes);
    return {};
  }
  // Takes bytes into the checksum that are in the file already.
  void count(std::span<const std::byte> bytes) { sum.add(bytes); }

  // Events, which the checksum covers. It is taken of whole buffers: per event
  // it would cost more than everything else.
  Expected<void> add(const void *data, std::size_t size) {
    if (failure)
      return *failure;
    if (used + size > bufferBytes)
      if (auto done = flush(); !done)
        return done;
    if (size > bufferBytes) {
      auto *bytes = static_cast<const std::byte *>(data);
      sum.add({bytes, size});
      return write(bytes, size);
    }
    put(data, size);
    return {};
  }
  // The same where there is room, else false: what nearly every event needs.
  bool tryAdd(const void *data, std::size_t size) {
    if (failure || used + size > bufferBytes)
      return false;
    put(data, size);
    return true;
  }
  // Header and footer, which it doesn't.
  Expected<void> addUnsummed(const void *data, std::size_t size) {
    if (auto done = flush(); !done)
      return done;
    return write(static_cast<const std::byte *>(data), size);
  }
  Expected<void> flush() {
    if (failure)
      return *failure;
    sum.add({buffer.get(), used});
    return write(buffer.get(), std::exchange(used, 0));
  }
  // Puts the final header over the placeholder.
  Expected<void> rewriteStart(const void *data, std::size_t size) {
    if (auto done = flush(); !done)
      return done;
    ssize_t n;
    do
      n = ::pwrite(fd, data, size, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0)
      return fail("the header cannot be written");
    if (static_cast<std::size_t>(n) != size) {
      errno = EIO;
      return fail("the header cannot be written");
    }
    return {};
  }
  Expected<void> close() {
    int old = std::exchange(fd, -1);
    if (old >= 0 && ::close(old) != 0 && errno != EINTR)
      return fail("cannot be closed");
    return {};
  }

  std::uint32_t checksum() const { return sum.value(); }
  bool isOpen() const { return fd >= 0; }
  // Made by create(): empty so far, or not opened yet.
  bool isFresh() const { return fresh; }
  const std::string path;

private:
  void put(const void *data, std::size_t size) {
    std::memcpy(buffer.get() + used, data, size);
    used += size;
  }
  Expected<void> write(const std::byte *data, std::size_t size) {
    while (size > 0) {
      ssize_t n = ::write(fd, data, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail("cannot be written");
      data += n;
      size -= static_cast<std::size_t>(n);
    }
    return {};
  }
  Error fail(const char *what) {
    failure = systemError(path, what, errno);
    return *failure;
  }

  const std::size_t bufferBytes;
  Checksum sum;
  int fd = -1;
  bool fresh = true;
  std::unique_ptr<std::byte[]> buffer; // memory comes as it is touched
  std::size_t used = 0;
  std::optional<Error> failure;
};

} // namespace

static Error rangeError(const std::string &path, const char *field,
                        std::string expected, std::uint64_t found,
                        const char *message) {
  return {.code = "E_RANGE",
          .message = message,
          .file = path,
          .field = field,
          .expected = std::move(expected),
          .found = std::to_string(found)};
}

static Error finishedError(const std::string &path) {
  return {.code = "E_IO",
          .message = "the file is finished; nothing can be added to it",
          .file = path};
}

static std::optional<Error> checkOptions(const std::string &path,
                                         const WriterOptions &options) {
  if (options.version == 1 || options.version == 2)
    return std::nullopt;
  return Error{.code = "E_BAD_VERSION",
               .message = "only versions 1 and 2 can be written",
               .file = path,
               .field = "version",
               .expected = "1 or 2",
               .found = std::to_string(options.version)};
}

//===--- index
//-------------------------------------------------------------===//

struct IndexWriter::State {
  State(const std::string &path, const WriterOptions &options)
      : out(path, options), options(options) {}

  template <class Raw> Expected<void> writeHeader(bool final, bool hasDetail) {
    Raw raw{};
    std::memcpy(raw.magic, "ATI2", 4);
    raw.endian = kLittleEndian;
    raw.version = options.version;
    raw.arch = options.arch;
    raw.os = options.os;
    raw.threadId = options.threadId;
    raw.clockType = options.clockType;
    raw.eventSize = kIndexEventBytes;
    raw.eventsOffset = kHeaderBytes;
    raw.footerOffset = kHeaderBytes + count * kIndexEventBytes;
    if (!final)
      return out.isFresh() ? out.addUnsummed(&raw, sizeof raw)
                           : out.rewriteStart(&raw, sizeof raw);
    raw.flags = hasDetail ? kFlagHasDetail : 0;
    if constexpr (std::is_same_v<Raw, RawIndexHeaderV1>)
      raw.eventCount = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(count, kNoDetailV1)); // the footer is right
    else
      raw.eventCount = count;
    raw.timeStartNs = firstNs;
    raw.timeEndNs = lastNs;
    return out.rewriteStart(&raw, sizeof raw);
  }
  Expected<void> header(bool final, bool hasDetail) {
    return options.version == 1
               ? writeHeader<RawIndexHeaderV1>(final, hasDetail)
               : writeHeader<RawIndexHeaderV2>(final, hasDetail);
  }

  Output out;
  WriterOptions options;
  std::uint64_t count = 0, firstNs = 0, lastNs = 0;
};

IndexWriter::IndexWriter(std::unique_ptr<State> state)
    : state(std::move(state)) {}
IndexWriter::IndexWriter(IndexWriter &&) noexcept = default;
IndexWriter &IndexWriter::operator=(IndexWriter &&) noexcept = default;
IndexWriter::~IndexWriter() = default;

Expected<IndexWriter> IndexWriter::create(const std::string &path,
                                          const WriterOptions &options) {
  if (auto error = checkOptions(path, options))
    return *error;
  auto state = std::make_unique<State>(path, options);
  if (auto made = state->out.create(options.overwrite); !made)
    return made.error();
  if (auto written = state->header(false, false); !written)
    return written.error();
  return IndexWriter(std::move(state));
}

Expected<IndexWriter> IndexWriter::resume(const std::string &path,
                                          std::uint64_t keep) {
  std::uint64_t first = 0, last = 0;
  WriterOptions options;
  std::unique_ptr<State> state;
  {
    auto reader = IndexReader::open(path, {.checksum = ChecksumPolicy::Defer});
    if (!reader)
      return reader.error();
    const IndexHeader &header = reader->header();
    if (header.eventsOffset != kHeaderBytes)
      return Error{.code = "E_BAD_OFFSET",
                   .message = "only a file whose events follow its header at "
                              "once can be continued",
                   .file = path,
                   .field = "events_offset"};
    options.version = header.version;
    options.arch = header.arch;
    options.os = header.os;
    options.clockType = header.clockType;
    options.threadId = header.threadId;
    keep = std::min(keep, reader->size());
    state = std::make_unique<State>(path, options);
    state->out.count(header.version == 1
                         ? std::as_bytes(reader->recordsV1().first(keep))
                         : std::as_bytes(reader->recordsV2().first(keep)));
    if (keep > 0) {
      first = (*reader)[0].timestampNs;
      last = (*reader)[keep - 1].timestampNs;
    }
  } // unmapped: the file is cut next
  if (auto opened = state->out.reopen(kHeaderBytes + keep * kIndexEventBytes);
      !opened)
    return opened.error();
  // The placeholder: a header that is final would hide what is appended.
  if (auto written = state->header(false, false); !written)
    return written.error();
  state->count = keep;
  state->firstNs = first;
  state->lastNs = last;
  return IndexWriter(std::move(state));
}

Expected<void> IndexWriter::append(const IndexEvent &event) {
  State &s = *state;
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  Expected<void> done;
  if (s.options.version == 1) {
    if (event.detailSeq >= kNoDetailV1 && event.detailSeq != kNoDetail)
      return rangeError(s.out.path, "detail_seq", "at most 4294967294",
                        event.detailSeq,
                        "version 1 can't number more details; write version 2");
    RawIndexEventV1 raw{};
    raw.timestampNs = event.timestampNs;
    raw.functionId = event.functionId;
    raw.threadId = event.threadId;
    raw.kind = static_cast<std::uint32_t>(event.kind);
    raw.depth = event.storedDepth == kNoDepth ? 0 : event.storedDepth;
    raw.detailSeq = event.detailSeq == kNoDetail
                        ? kNoDetailV1
                        : static_cast<std::uint32_t>(event.detailSeq);
    if (!s.out.tryAdd(&raw, sizeof raw))
      done = s.out.add(&raw, sizeof raw);
  } else {
    auto kind = static_cast<std::uint32_t>(event.kind);
    if (kind > 255)
      return rangeError(s.out.path, "event_kind", "at most 255", kind,
                        "version 2 has one byte for it; write version 1");
    RawIndexEventV2 raw{};
    raw.timestampNs = event.timestampNs;
    raw.functionId = event.functionId;
    raw.detailSeq = event.detailSeq;
    raw.kind = static_cast<std::uint8_t>(kind);
    if (!s.out.tryAdd(&raw, sizeof raw))
      done = s.out.add(&raw, sizeof raw);
  }
  if (!done)
    return done;
  if (s.count++ == 0)
    s.firstNs = event.timestampNs;
  s.lastNs = event.timestampNs;
  return {};
}

std::uint64_t IndexWriter::size() const noexcept { return state->count; }

Expected<void> IndexWriter::finish(bool hasDetail) {
  State &s = *state;
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  if (auto done = s.out.flush(); !done) // completes the checksum
    return done;
  RawIndexFooter raw{};
  std::memcpy(raw.magic, "2ITA", 4);
  raw.checksum = s.out.checksum();
  raw.eventCount = s.count;
  raw.timeStartNs = s.firstNs;
  raw.timeEndNs = s.lastNs;
  raw.bytesWritten = s.count * kIndexEventBytes;
  if (auto done = s.out.addUnsummed(&raw, sizeof raw); !done)
    return done;
  if (auto done = s.header(true, hasDetail); !done)
    return done;
  return s.out.close();
}

//===--- detail
//------------------------------------------------------------===//

struct DetailWriter::State {
  State(const std::string &path, const WriterOptions &options)
      : out(path, options), options(options) {}

  Expected<void> header(bool final) {
    RawDetailHeader raw{};
    std::memcpy(raw.magic, "ATD2", 4);
    raw.endian = kLittleEndian;
    raw.version = options.version;
    raw.arch = options.arch;
    raw.os = options.os;
    raw.threadId = options.threadId;
    raw.eventsOffset = kHeaderBytes;
    if (!final)
      return out.isFresh() ? out.addUnsummed(&raw, sizeof raw)
                           : out.rewriteStart(&raw, sizeof raw);
    raw.eventCount = count;
    raw.bytesLength = bytes;
    raw.indexSeqStart = count ? lowestSeq : 0;
    raw.indexSeqEnd = highestSeq;
    return out.rewriteStart(&raw, sizeof raw);
  }

  Output out;
  WriterOptions options;
  std::uint64_t count = 0, bytes = 0, firstNs = 0, lastNs = 0;
  std::uint64_t lowestSeq = ~std::uint64_t{0}, highestSeq = 0;
};

DetailWriter::DetailWriter(std::unique_ptr<State> state)
    : state(std::move(state)) {}
DetailWriter::DetailWriter(DetailWriter &&) noexcept = default;
DetailWriter &DetailWriter::operator=(DetailWriter &&) noexcept = default;
DetailWriter::~DetailWriter() = default;

Expected<DetailWriter> DetailWriter::create(const std::string &path,
                                            const WriterOptions &options) {
  if (auto error = checkOptions(path, options))
    return *error;
  auto state = std::make_unique<State>(path, options);
  if (auto made = state->out.create(options.overwrite); !made)
    return made.error();
  if (auto written = state->header(false); !written)
    return written.error();
  return DetailWriter(std::move(state));
}

Expected<DetailWriter> DetailWriter::resume(const std::string &path,
                                            std::uint64_t keep) {
  std::unique_ptr<State> state;
  {
    auto reader = DetailReader::open(path, {.checksum = ChecksumPolicy::Defer});
    if (!reader)
      return reader.error();
    const DetailHeader &header = reader->header();
    if (header.eventsOffset != kHeaderBytes)
      return Error{.code = "E_BAD_OFFSET",
                   .message = "only a file whose events follow its header at "
                              "once can be continued",
                   .file = path,
                   .field = "events_offset"};
    WriterOptions options;
    options.version = header.version;
    options.arch = header.arch;
    options.os = header.os;
    options.threadId = header.threadId;
    state = std::make_unique<State>(path, options);
    keep = std::min(keep, reader->size());
    for (std::uint64_t seq = 0; seq < keep; ++seq) {
      const DetailEvent event = (*reader)[seq];
      // The event's header lies right before its payload.
      state->out.count({event.payload.data() - kDetailEventHeaderBytes,
                        event.totalLength});
      state->bytes += event.totalLength;
      if (state->count++ == 0)
        state->firstNs = event.timestampNs;
      state->lastNs = event.timestampNs;
      state->lowestSeq = std::min(state->lowestSeq, event.indexSeq);
      state->highestSeq = std::max(state->highestSeq, event.indexSeq);
    }
  } // unmapped: the file is cut next
  if (auto opened = state->out.reopen(kHeaderBytes + state->bytes); !opened)
    return opened.error();
  if (auto written = state->header(false); !written)
    return written.error();
  return DetailWriter(std::move(state));
}

Expected<void> DetailWriter::append(const DetailEvent &event,
                                    std::span<const std::byte> payload) {
  State &s = *state;
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  constexpr std::uint64_t kMax32 = 0xffffffff;
  if (payload.size() > kMax32 - kDetailEventHeaderBytes)
    return rangeError(s.out.path, "total_length", "at most 4294967295",
                      payload.size(), "a detail event can't be that long");
  auto length =
      static_cast<std::uint32_t>(kDetailEventHeaderBytes + payload.size());
  Expected<void> done;
  if (s.options.version == 1) {
    if (event.indexSeq > kMax32)
      return rangeError(s.out.path, "index_seq", "at most 4294967295",
                        event.indexSeq,
                        "version 1 can't link so far; write version 2");
    if (s.count >= kMax32)
      return rangeError(s.out.path, "detail_seq", "at most 4294967294", s.count,
                        "version 1 can't number more details; write version 2");
    RawDetailEventV1 raw{};
    raw.totalLength = length;
    raw.type = event.type;
    raw.flags = event.flags;
    raw.indexSeq = static_cast<std::uint32_t>(event.indexSeq);
    raw.threadId = event.threadId;
    raw.timestampNs = event.timestampNs;
    done = s.out.add(&raw, sizeof raw);
  } else {
    RawDetailEventV2 raw{};
    raw.totalLength = length;
    raw.type = event.type;
    raw.flags = event.flags;
    raw.indexSeq = event.indexSeq;
    raw.timestampNs = event.timestampNs;
    done = s.out.add(&raw, sizeof raw);
  }
  if (done && !payload.empty())
    done = s.out.add(payload.data(), payload.size());
  if (!done)
    return done;
  if (s.count++ == 0)
    s.firstNs = event.timestampNs;
  s.lastNs = event.timestampNs;
  s.bytes += length;
  s.lowestSeq = std::min(s.lowestSeq, event.indexSeq);
  s.highestSeq = std::max(s.highestSeq, event.indexSeq);
  return {};
}

Expected<void> DetailWriter::append(const DetailEvent &event,
                                    const FunctionPayload &payload) {
  if (payload.stack.size() > kMaxStackBytes)
    return rangeError(state->out.path, "stack_size", "at most 256",
                      payload.stack.size(), "cut the stack to 256 bytes");
  RawFunctionPayload raw{};
  raw.functionId = payload.functionId;
  for (std::size_t i = 0; i < payload.registers.size(); ++i)
    raw.registers[i] = payload.registers[i];
  raw.lr = payload.lr;
  raw.fp = payload.fp;
  raw.sp = payload.sp;
  raw.stackBytes = static_cast<std::uint16_t>(payload.stack.size());
  std::byte bytes[kFunctionPayloadBytes + kMaxStackBytes];
  std::memcpy(bytes, &raw, sizeof raw);
  std::copy(payload.stack.begin(), payload.stack.end(), bytes + sizeof raw);
  return append(event, {bytes, sizeof raw + payload.stack.size()});
}

std::uint64_t DetailWriter::size() const noexcept { return state->count; }

Expected<void> DetailWriter::finish() {
  State &s = *state;
  if (!s.out.isOpen())
    return finishedError(s.out.path);
  if (auto done = s.out.flush(); !done) // completes the checksum
    return done;
  RawDetailFooter raw{};
  std::memcpy(raw.magic, "2DTA", 4);
  raw.checksum = s.out.checksum();
  raw.eventCount = s.count;
  raw.bytesLength = s.bytes;
  raw.timeStartNs = s.firstNs;
  raw.timeEndNs = s.lastNs;
  if (auto done = s.out.addUnsummed(&raw, sizeof raw); !done)
    return done;
  if (auto done = s.header(true); !done)
    return done;
  return s.out.close();
}

} // namespace ada::atf
