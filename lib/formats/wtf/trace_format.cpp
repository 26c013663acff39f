// wtf-trace in the table of formats: three dialects.
#include "operations.h"

namespace ada::formats {

wtf::DecoderOptions wtfOptions(const model::ByteInput &input) {
  constexpr uint64_t kMaxPackedBytes = 64 << 20;
  wtf::DecoderOptions options;
  if (input.isPacked())
    options.maxRecordBytes = options.maxChunkBytes = kMaxPackedBytes;
  return options;
}

Expected<ReadOutcome> readWtf(model::ByteInput &input, wtf::Decoder &decoder, const std::function<bool()> &goesOn) {
  Expected<void> decoded;
  bool stopped = false;
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    decoded = decoder.push(bytes);
    stopped = goesOn && !goesOn();
    return decoded && !stopped;
  });
  if (!read)
    return read.error();
  ReadOutcome outcome;
  if (decoded && !stopped)
    decoded = decoder.finish();
  if (!decoded) {
    outcome.problem = decoded.error();
    outcome.problem->file = input.name();
  }
  if (input.damage() && (decoded || decoded.error().code == "E_TRUNCATED"))
    outcome.problem = input.damage();
  outcome.isUsable = !outcome.problem || decoder.header();
  return outcome;
}

// By number, like kVariants.
static constexpr wtf::Dialect kDialects[] = {wtf::Dialect::BigEndian, wtf::Dialect::LittleEndian,
                                             wtf::Dialect::Chunked};
static constexpr FormatVariant kVariants[] = {
    {.name = "wtf", .title = "v3-big-endian", .extension = ".wtf-trace", .keepsVariant = true},
    {.name = "wtf-le", .title = "v3-little-endian"},
    {.name = "cff", .title = "CFF v10", .extension = ".cff"},
};

static std::optional<unsigned> recognise(std::span<const std::byte> head) {
  if (!wtf::hasMagic(head))
    return std::nullopt;
  const auto dialect = wtf::sniff(head);
  for (unsigned i = 0; dialect && i < std::size(kDialects); ++i)
    if (kDialects[i] == *dialect)
      return i;
  return 0; // an unreadable version: the decoder reports it
}

extern const TraceFormat kWtfFormat;

const TraceFormat kWtfFormat = {
    .title = "wtf-trace",
    .variants = kVariants,
    .hasThreads = true,
    .recognise = recognise,
    .open = [](TraceLocation place) -> Expected<std::unique_ptr<model::TraceSource>> {
      return makeWtfSource(*std::move(place.bytes));
    },
    .makeSink =
        [](SinkTarget target, const SinkOptions &options) {
          return model::makeWtfSink(std::move(target.bytes),
                                    {.dialect = kDialects[options.variant], .exactTimes = options.exactTimes});
        },
    .copy = [](model::ByteInput &input, const model::ByteSink &bytes,
               unsigned variant) { return copyWtf(input, bytes, kDialects[variant]); },
    .copiedUnit = "record",
    .verify = verifyWtf,
    .describe = describeWtf,
    .dumpRaw = dumpWtf,
};

} // namespace ada::formats
