// dial9 in the table of formats.
#include "operations.h"

#include "ada/trace/dial9/format.h"

#include <algorithm>

namespace ada::formats {

// The limit is needed because a packed stream can make a decoder collect a frame of any size from a few bytes.
static constexpr uint64_t kMaxPackedFrameBytes = 64 << 20;

Expected<ReadOutcome> readDial9(model::ByteInput &input, dial9::Visitor &visitor, const std::function<bool()> &goesOn) {
  dial9::DecoderOptions options;
  if (input.isPacked())
    options.maxBufferedBytes = kMaxPackedFrameBytes;
  dial9::Decoder decoder(visitor, options);
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    return decoder.push({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}) && (!goesOn || goesOn());
  });
  if (!read)
    return read.error();
  ReadOutcome outcome;
  const dial9::DecodeStatus status = decoder.status();
  if (!status.ok()) {
    outcome.problem = status.toError();
    outcome.problem->file = input.name();
  }
  if (status.outcome != dial9::Outcome::Error && input.damage())
    outcome.problem = input.damage();
  outcome.isUsable = !outcome.problem || outcome.problem->offset.value_or(0) >= dial9::kHeaderBytes;
  return outcome;
}

static constexpr FormatVariant kVariants[] = {{.name = "dial9", .title = "dial9-trace-format 1", .extension = ".trc"}};

extern const TraceFormat kDial9Format;

const TraceFormat kDial9Format = {
    .title = "dial9",
    .variants = kVariants,
    .recognise = [](std::span<const std::byte> head) -> std::optional<unsigned> {
      const auto magic = std::as_bytes(std::span(dial9::kMagic));
      if (head.size() < magic.size() || !std::ranges::equal(head.first(magic.size()), magic))
        return std::nullopt;
      return 0;
    },
    .open = [](TraceLocation place) -> Expected<std::unique_ptr<model::TraceSource>> {
      return makeDial9Source(*std::move(place.bytes));
    },
    .makeSink = [](SinkTarget target, const SinkOptions &) { return model::makeDial9Sink(std::move(target.bytes)); },
    .copy = [](model::ByteInput &input, const model::ByteSink &bytes, unsigned) { return copyDial9(input, bytes); },
    .verify = verifyDial9,
    .describe = describeDial9,
    .dumpRaw = dumpDial9,
};

} // namespace ada::formats
