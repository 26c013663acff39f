// Writes a dial9 stream again, frame by frame.
#include "ada/trace/convert.h"

#include "ada/trace/dial9/encoder.h"
#include "ada/trace/dial9/gzip.h"

namespace ada::model {

using dial9::EncodeError;

namespace {

class Target : public dial9::ByteSink {
public:
  explicit Target(const model::ByteSink &bytes) : bytes(bytes) {}
  bool write(std::span<const uint8_t> data) override {
    return bytes(std::as_bytes(data));
  }

private:
  const model::ByteSink &bytes;
};

class Copier : public dial9::Visitor {
public:
  explicit Copier(Target &target) : encoder(target) {}

  void onSchema(const dial9::Schema &schema, uint64_t) override {
    check(encoder.repeatSchema(schema));
  }
  void onEvent(const dial9::EventView &event) override {
    ++events;
    const std::uint16_t id = event.schema->typeId();
    check(event.hasTimestamp()
              ? encoder.event(id, event.timestampNs, event.values)
              : encoder.event(id, event.values));
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    const std::vector<dial9::StringPoolEntry> list(entries.begin(),
                                                   entries.end());
    check(encoder.stringPool(list));
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    const std::vector<dial9::StackPoolEntry> list(entries.begin(),
                                                  entries.end());
    check(encoder.stackPool(list));
  }
  void onTimestampReset(uint64_t timestampNs, uint64_t) override {
    check(encoder.timestampReset(timestampNs));
  }
  void onAnnotations(uint64_t typeId, dial9::AnnotationsView entries,
                     uint64_t) override {
    const std::vector<dial9::Annotation> list(entries.begin(), entries.end());
    check(encoder.annotations(typeId, list));
  }
  void onSegment(uint64_t) override { check(encoder.segment()); }

  EncodeError finish() {
    check(encoder.flush());
    return error;
  }
  EncodeError status() const { return error; }
  std::uint64_t events = 0;

private:
  void check(EncodeError result) {
    if (error == EncodeError::None)
      error = result;
  }
  dial9::Encoder encoder;
  EncodeError error = EncodeError::None;
};

} // namespace

Expected<CopyResult> copyDial9(ByteInput &input, const ByteSink &bytes) {
  Target target(bytes);
  Copier copier(target);
  dial9::UnzippingDecoder decoder(copier);
  const auto failed = [&](EncodeError error) {
    return Error{.code = error == EncodeError::SinkFailed ? "E_IO" : "E_RANGE",
                 .message = std::string(dial9::message(error))};
  };
  for (;;) {
    auto piece = input.read();
    if (!piece)
      return piece.error();
    if (piece->empty() ||
        !decoder.push(
            {reinterpret_cast<const uint8_t *>(piece->data()), piece->size()}))
      break;
    if (copier.status() != EncodeError::None)
      return failed(copier.status());
  }
  if (const EncodeError error = copier.finish(); error != EncodeError::None)
    return failed(error);
  CopyResult result;
  result.events = copier.events;
  if (const dial9::DecodeStatus status = decoder.status(); !status.ok()) {
    Error error = status.toError();
    error.file = input.name();
    if (status.offset < dial9::kHeaderBytes)
      return error; // nothing of use was there
    result.problem = std::move(error);
  }
  return result;
}

} // namespace ada::model
