// Writes a dial9 stream again, frame by frame.
#include "ada/trace/convert.h"

#include "ada/trace/dial9/encoder.h"
#include "operations.h"
#include "trace/base/try.h"

namespace ada::formats {

using dial9::EncodeError;

namespace {

class Target : public dial9::ByteSink {
public:
  explicit Target(const model::ByteSink &bytes) : bytes_(bytes) {}
  bool write(std::span<const uint8_t> data) override { return bytes_(std::as_bytes(data)); }

private:
  const model::ByteSink &bytes_;
};

class Copier : public dial9::Visitor {
public:
  explicit Copier(Target &target) : encoder_(target) {}

  void onSchema(const dial9::Schema &schema, uint64_t) override { check(encoder_.repeatSchema(schema)); }
  void onEvent(const dial9::EventView &event) override {
    ++events;
    const uint16_t id = event.schema->typeId();
    check(event.hasTimestamp() ? encoder_.event(id, event.timestampNs, event.values)
                               : encoder_.event(id, event.values));
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    const std::vector<dial9::StringPoolEntry> list(entries.begin(), entries.end());
    check(encoder_.stringPool(list));
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    const std::vector<dial9::StackPoolEntry> list(entries.begin(), entries.end());
    check(encoder_.stackPool(list));
  }
  void onTimestampReset(uint64_t timestampNs, uint64_t) override { check(encoder_.timestampReset(timestampNs)); }
  void onAnnotations(uint64_t typeId, dial9::AnnotationsView entries, uint64_t) override {
    const std::vector<dial9::Annotation> list(entries.begin(), entries.end());
    check(encoder_.annotations(typeId, list));
  }
  void onSegment(uint64_t) override { check(encoder_.segment()); }

  EncodeError finish() {
    check(encoder_.flush());
    return error_;
  }
  EncodeError status() const { return error_; }
  uint64_t events = 0;

private:
  void check(EncodeError result) {
    if (error_ == EncodeError::None)
      error_ = result;
  }
  dial9::Encoder encoder_;
  EncodeError error_ = EncodeError::None;
};

} // namespace

} // namespace ada::formats

namespace ada::model {

Expected<CopyResult> copyDial9(ByteInput &input, const ByteSink &bytes) {
  formats::Target target(bytes);
  formats::Copier copier(target);
  const auto read =
      ADA_TRY(formats::readDial9(input, copier, [&] { return copier.status() == dial9::EncodeError::None; }));
  if (const dial9::EncodeError error = copier.finish(); error != dial9::EncodeError::None)
    return Error{.code = error == dial9::EncodeError::SinkFailed ? "E_IO" : "E_RANGE",
                 .message = std::string(dial9::message(error))};
  if (!read.isUsable)
    return *read.problem;
  CopyResult result;
  result.events = copier.events;
  result.problem = read.problem;
  return result;
}

} // namespace ada::model
