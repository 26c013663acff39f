// Writes the model as a dial9 stream, which has everything except off-CPU times.
#include "ada/trace/convert.h"

#include "ada/trace/dial9/encoder.h"
#include "ada_schemas.h"
#include "trace/base/try.h"
#include "trace/loss_list.h"

#include <array>
#include <functional>
#include <utility>

namespace ada::formats {

using dial9::EncodeError;

namespace {

class ByteSinkAdapter : public dial9::ByteSink {
public:
  explicit ByteSinkAdapter(model::ByteSink bytes) : sink_(std::move(bytes)) {}
  bool write(std::span<const uint8_t> bytes) override { return sink_(std::as_bytes(bytes)); }

private:
  model::ByteSink sink_;
};

class Dial9Sink : public model::TraceSink {
public:
  explicit Dial9Sink(model::ByteSink bytes) : target_(std::move(bytes)), encoder_(target_, dial9::Dialect::Seed) {}

  Expected<void> begin(const model::TraceInfo &info) override;
  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override {
    return tell([this, thread] { return now(Dial9Type::ThreadEnd, {{dial9::Value::varint(thread)}}); });
  }
  Expected<void> finish() override {
    ADA_TRY(tellAll());
    return check(encoder_.flush());
  }
  bool wantsDetails() const override { return true; }
  std::vector<model::Loss> losses() const override { return lost_.list(); }

private:
  using Values = std::span<const dial9::Value>;
  static uint16_t idOf(Dial9Type type) { return static_cast<uint16_t>(type); }
  static Expected<void> check(EncodeError error) {
    if (error == EncodeError::None)
      return {};
    return Error{.code = error == EncodeError::SinkFailed ? "E_IO" : "E_RANGE",
                 .message = std::string(dial9::message(error))};
  }
  // Writes an event with the time of the last event.
  Expected<void> now(Dial9Type type, std::initializer_list<dial9::Value> values) {
    return check(encoder_.event(idOf(type), timeNs_, Values(values.begin(), values.size())));
  }
  // Announcements before the first event wait for it, because they get its time.
  template <class Write> Expected<void> tell(Write &&write) {
    if (hasTime_)
      return write();
    waiting_.push_back(std::forward<Write>(write));
    return {};
  }
  Expected<void> tellAll() {
    hasTime_ = true;
    for (const auto &write : std::exchange(waiting_, {}))
      ADA_TRY(write());
    return {};
  }
  Expected<void> writeFunction(const model::Function &function);
  EncodeError write(const model::Event &event, const model::Batch &batch);

  bool hasTime_ = false;
  uint64_t timeNs_ = 0;
  std::vector<std::function<Expected<void>()>> waiting_;
  ByteSinkAdapter target_;
  dial9::Encoder encoder_;
  model::LossList lost_;
};

} // namespace

using V = dial9::Value;

Expected<void> Dial9Sink::begin(const model::TraceInfo &info) {
  for (size_t i = 0; i < kDial9Types; ++i) {
    const Dial9Layout &layout = layoutOf(static_cast<Dial9Type>(i));
    ADA_TRY(check(encoder_.schema(static_cast<uint16_t>(i), layout.name, true, layout.fields)));
  }
  return tell([this, isRoot = info.isRoot] { return now(Dial9Type::Trace, {V::u8(1), V::boolean(isRoot)}); });
}

Expected<void> Dial9Sink::addProcess(const model::Process &process) {
  return tell([this, process] {
    return now(Dial9Type::Process,
               {V::varint(process.index), V::string(process.name), V::boolean(process.pid.has_value()),
                V::varint(process.pid.value_or(0)), V::u8(process.clockType), V::string(process.executable),
                V::string(process.description.get()), V::string(process.label)});
  });
}

Expected<void> Dial9Sink::addThread(const model::Thread &thread) {
  lost_.addOffCpu(thread);
  return tell([this, thread] {
    return now(Dial9Type::Thread, {V::varint(thread.index), V::varint(thread.process), V::varint(thread.number),
                                   V::varint(thread.tid), V::string(thread.name), V::u8(thread.arch), V::u8(thread.os),
                                   V::boolean(thread.fileThreadId.has_value()), V::u32(thread.fileThreadId.value_or(0)),
                                   V::string(thread.description.get()), V::string(thread.label)});
  });
}

Expected<void> Dial9Sink::addFunction(const model::Function &announced) {
  return tell([this, function = announced] { return writeFunction(function); });
}

Expected<void> Dial9Sink::writeFunction(const model::Function &function) {
  const dial9::StringPoolEntry name = {function.index, function.displayName};
  ADA_TRY(check(encoder_.stringPool({&name, 1})));
  return now(Dial9Type::Function, {V::pooledString(function.index), V::varint(function.process), V::varint(function.id),
                                   V::string(function.name), V::string(function.file), V::string(function.signature),
                                   V::string(function.types), V::varint(function.line), V::varint(function.address)});
}

EncodeError Dial9Sink::write(const model::Event &event, const model::Batch &batch) {
  const V thread = V::varint(event.thread);
  const V function = V::pooledString(event.function);
  const auto emit = [&](Dial9Type type, const auto &values) {
    return encoder_.event(idOf(type), event.timeNs, values);
  };
  switch (event.kind) {
  case model::Kind::Call:
    return emit(Dial9Type::Call, std::array{thread, function});
  case model::Kind::Return:
    return emit(Dial9Type::Return, std::array{thread, function});
  case model::Kind::Exception:
    return emit(Dial9Type::Exception, std::array{thread, function});
  case model::Kind::Mark:
  case model::Kind::Value: {
    const model::Text &text = batch.texts[event.extra];
    return emit(event.kind == model::Kind::Mark ? Dial9Type::Mark : Dial9Type::Value,
                std::array{thread, V::string(text.name), V::string(text.json)});
  }
  default: // the schema has no more kinds: readers before these show an event that they don't know
    return emit(Dial9Type::Other, std::array{thread, function, V::u32(static_cast<uint32_t>(event.kind))});
  }
  return EncodeError::None;
}

Expected<void> Dial9Sink::events(const model::Batch &batch) {
  if (!hasTime_ && !batch.events.empty()) {
    timeNs_ = batch.events.front().timeNs;
    ADA_TRY(tellAll());
  }
  for (const model::Event &event : batch.events) {
    EncodeError error = write(event, batch);
    if (error == EncodeError::None && event.details)
      for (const model::Detail &detail : batch.details.subspan(event.extra, event.details)) {
        const std::array values = {
            V::varint(event.thread), V::u16(detail.type), V::u16(detail.flags),
            V::bytes({reinterpret_cast<const uint8_t *>(detail.payload.data()), detail.payload.size()})};
        error = encoder_.event(idOf(Dial9Type::Detail), detail.timeNs, values);
        if (error != EncodeError::None)
          break;
      }
    if (error != EncodeError::None)
      return check(error);
  }
  if (!batch.events.empty())
    timeNs_ = batch.events.back().timeNs;
  return {};
}

} // namespace ada::formats

namespace ada::model {

std::unique_ptr<TraceSink> makeDial9Sink(ByteSink bytes) {
  return std::make_unique<formats::Dial9Sink>(std::move(bytes));
}

} // namespace ada::model
