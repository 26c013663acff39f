// ATF in the table of formats: sessions and index files, and detail files alone.
#include "formats/native/detail/detail_blocks.h"
#include "formats/native/index/index_blocks.h"
#include "formats/native/operations.h"
#include "trace/base/try.h"

#include <cstring>

namespace ada::formats {

static bool beginsWith(std::span<const std::byte> head, const char *magic) {
  return head.size() >= 4 && std::memcmp(head.data(), magic, 4) == 0;
}

// Version 2 is the default for directories and single files; --to can choose version 1.
static constexpr FormatVariant kVariants[] = {
    {.name = "atf1", .title = "ATF version 1"},
    {.name = "atf2", .title = "ATF version 2", .extension = ".atf", .alias = "atf"},
    {.name = "packed", .title = "packed", .extension = ".atp", .alias = "atp"},
    {.name = "packed-zstd", .title = "packed, compressed with zstd"},
};

static constexpr unsigned kPacked = 2, kPackedZstd = 3; // indices in kVariants

static std::optional<unsigned> recogniseIndex(std::span<const std::byte> head) {
  if (beginsWith(head, packed::IndexKind::kMagic))
    return kPacked;
  if (!beginsWith(head, "ATI2"))
    return std::nullopt;
  return head.size() > 5 && head[5] == std::byte{1} ? 0 : 1;
}

static std::optional<unsigned> recogniseDetail(std::span<const std::byte> head) {
  return beginsWith(head, "ATD2") || beginsWith(head, packed::DetailKind::kMagic) ? std::optional(0u) : std::nullopt;
}

Expected<atf::Session> openAtf(TraceLocation &place, const atf::OpenOptions &options) {
  if (!place.bytes)
    return atf::Session::open(place.path, options);
  auto path = ADA_TRY(place.bytes->asFile());
  auto session = atf::Session::open(path, options);
  if (session || path == place.path)
    return session;
  Error error = session.error();
  error.file = place.name();
  return error;
}

namespace {

// A source whose file came through a pipe or was packed, and must stay open.
class OwningSource : public model::TraceSource {
public:
  OwningSource(std::unique_ptr<model::TraceSource> source, model::ByteInput input)
      : input_(std::move(input)), source_(std::move(source)) {}
  Expected<void> read(model::TraceSink &sink) override {
    auto done = source_->read(sink);
    problems_ = source_->problems();
    if (input_.damage())
      problems_.push_back(*input_.damage());
    return done;
  }
  bool knowsRange() const override { return source_->knowsRange(); }
  std::optional<double> progress() const override { return source_->progress(); }
  const std::vector<Error> &problems() const override { return problems_; }
  const std::vector<Warning> &warnings() const override { return source_->warnings(); }
  std::vector<model::Loss> losses() const override { return source_->losses(); }

private:
  model::ByteInput input_;
  std::unique_ptr<model::TraceSource> source_;
  std::vector<Error> problems_;
};

Expected<std::unique_ptr<model::TraceSource>> openSource(TraceLocation place) {
  auto session = ADA_TRY(openAtf(place, {.checksum = atf::ChecksumPolicy::Defer, .detail = false, .lowMemory = true}));
  auto source = model::makeAtfSource(std::move(session));
  // A file under its own name can be read in any order, like a session.
  if (!place.bytes)
    return source;
  if (const auto file = place.bytes->asFile(); file && *file == place.path)
    return source;
  return std::unique_ptr<model::TraceSource>(
      std::make_unique<OwningSource>(std::move(source), *std::move(place.bytes)));
}

Expected<std::unique_ptr<model::TraceSource>> refuseDetail(TraceLocation place) {
  return Error{
      .code = "E_BAD_MAGIC",
      .message =
          "an ATF detail file can't be read without its index file; name the thread's directory or its index.atf",
      .file = place.name()};
}

// TraceFormat::makeSink has this type.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
std::unique_ptr<model::TraceSink> makeSink(SinkTarget target, const SinkOptions &options) {
  const bool isPacked = options.variant >= kPacked;
  const model::AtfSinkOptions atf = {.version = static_cast<uint8_t>(isPacked ? 2 : options.variant + 1),
                                     .packed = isPacked,
                                     .compress = options.variant == kPackedZstd};
  return target.isDirectory ? makeAtfSessionSink(target.path, atf) : makeAtfFileSink(target.path, atf);
}

} // namespace

extern const TraceFormat kAtfFormat, kAtfDetailFormat;

const TraceFormat kAtfFormat = {
    .title = "ATF",
    .variants = kVariants,
    .shape = Shape::DirectoryOrFile,
    .hasThreads = true,
    .recognise = recogniseIndex,
    .recogniseDirectory = [](const std::string &) { return true; }, // open() says what is wrong with others
    .open = openSource,
    .makeSink = makeSink,
    .verify = verifyAtf,
    .describe = describeAtf,
};

const TraceFormat kAtfDetailFormat = {
    .title = "ATF detail",
    .variants = {},
    .recognise = recogniseDetail,
    .open = refuseDetail,
    .verify = verifyAtfDetail,
    .describe = describeAtfDetail,
    .dumpRaw = dumpAtfDetail,
};

} // namespace ada::formats
