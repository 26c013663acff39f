// Owned frames: an event's values and their bytes in one block, and a stream as a list of frames.
#include "owned.h"

#include "value_access.h"

#include <algorithm>
#include <new>

namespace ada::dial9 {

// How many bytes a decoder's value covers, from its address on.
static size_t payloadBytes(const Value &value) {
  if (!pointsToBytes(value.type()))
    return 0;
  assert(!ValueAccess::isArray(value)); // only for an EventView of a decoder
  const uint8_t *start = ValueAccess::bytes(value), *p = start;
  skipCounted(value.type(), ValueAccess::count(value), p);
  return size_t(p - start);
}

static size_t blockBytes(const EventView &view) {
  size_t bytes = view.values.size_bytes();
  for (const Value &value : view.values)
    bytes += payloadBytes(value);
  return bytes;
}

Event::Event(const EventView &view)
    : layout_(view.schema->shared_from_this()), time_(view.timestampNs), position_(view.offset) {
  const std::shared_ptr<std::byte[]> place(new std::byte[blockBytes(view)]);
  Value *values = reinterpret_cast<Value *>(place.get());
  uint8_t *next = reinterpret_cast<uint8_t *>(place.get() + view.values.size_bytes());
  for (const Value &source : view.values) {
    Value *value = new (values++) Value(source);
    if (!pointsToBytes(value->type()))
      continue;
    const size_t bytes = payloadBytes(source);
    ValueAccess::point(*value, next, ValueAccess::count(source));
    putBytes(next, ValueAccess::bytes(source), bytes);
  }
  block_ = {place, place.get()};
}

void FrameCollector::onEvent(const EventView &event) { frames_.emplace_back(std::in_place_type<Event>, event); }

std::deque<Frame> FrameCollector::take() { return std::exchange(frames_, {}); }

void FrameCollector::onSchema(const Schema &schema, uint64_t) {
  frames_.emplace_back(SchemaFrame{schema.shared_from_this()});
}

void FrameCollector::onStringPool(StringPoolView entries, uint64_t) {
  StringPoolFrame frame;
  frame.entries.reserve(entries.size());
  for (StringPoolEntry entry : entries)
    frame.entries.emplace_back(entry.id, entry.text);
  frames_.emplace_back(std::move(frame));
}

void FrameCollector::onStackPool(StackPoolView entries, uint64_t) {
  StackPoolFrame frame;
  frame.entries.reserve(entries.size());
  for (StackPoolEntry entry : entries)
    frame.entries.emplace_back(entry.id, std::vector<uint64_t>(entry.addresses.begin(), entry.addresses.end()));
  frames_.emplace_back(std::move(frame));
}

void FrameCollector::onTimestampReset(uint64_t timestampNs, uint64_t) {
  frames_.emplace_back(TimestampResetFrame{timestampNs});
}

void FrameCollector::onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t) {
  AnnotationsFrame frame{typeId, {}};
  frame.entries.reserve(entries.size());
  for (Annotation entry : entries)
    frame.entries.push_back({entry.fieldIndex, std::string(entry.key), std::string(entry.value)});
  frames_.emplace_back(std::move(frame));
}

void FrameCollector::onSegment(uint64_t) { frames_.emplace_back(SegmentFrame{}); }

namespace {
// Keeps the frames, and also the pools of each segment.
class TraceCollector : public FrameCollector {
public:
  std::vector<SegmentPools> segments = std::vector<SegmentPools>(1);

  void onStringPool(StringPoolView entries, uint64_t offset) override {
    segments.back().strings.add(entries, offset);
    FrameCollector::onStringPool(entries, offset);
  }
  void onStackPool(StackPoolView entries, uint64_t offset) override {
    segments.back().stacks.add(entries, offset);
    FrameCollector::onStackPool(entries, offset);
  }
  void onSegment(uint64_t offset) override {
    segments.emplace_back().offset = offset;
    FrameCollector::onSegment(offset);
  }
};
} // namespace

Trace decodeAll(std::span<const uint8_t> bytes, DecoderOptions options) {
  TraceCollector collector;
  Decoder decoder(collector, options);
  decoder.push(bytes);
  return {collector.take(), decoder.status(), std::move(collector.segments)};
}

const SegmentPools &Trace::poolsAt(uint64_t offset) const {
  auto after = std::partition_point(segments.begin(), segments.end(),
                                    [&](const SegmentPools &segment) { return segment.offset <= offset; });
  return *std::prev(after); // the first begins at 0
}

const std::string *Trace::text(const Event &event, const Value &value) const {
  return poolsAt(event.offset()).strings.findAt(value.poolId(), event.offset());
}

const std::vector<uint64_t> *Trace::stack(const Event &event, const Value &value) const {
  return poolsAt(event.offset()).stacks.findAt(value.poolId(), event.offset());
}

namespace {
struct FrameWriter {
  Encoder &encoder;

  EncodeError operator()(const Event &event) const {
    std::optional<uint64_t> time = event.timestampNs();
    const uint16_t typeId = event.schema().typeId();
    return time ? encoder.event(typeId, *time, event.values()) : encoder.event(typeId, event.values());
  }
  EncodeError operator()(const SchemaFrame &frame) const { return encoder.repeatSchema(*frame.schema); }
  EncodeError operator()(const StringPoolFrame &frame) const {
    std::vector<StringPoolEntry> entries;
    for (const auto &[id, text] : frame.entries)
      entries.push_back({id, text});
    return encoder.stringPool(entries);
  }
  EncodeError operator()(const StackPoolFrame &frame) const {
    std::vector<StackPoolEntry> entries;
    for (const auto &[id, addresses] : frame.entries)
      entries.push_back({id, AddressList(std::span(addresses))});
    return encoder.stackPool(entries);
  }
  EncodeError operator()(const TimestampResetFrame &frame) const { return encoder.timestampReset(frame.timestampNs); }
  EncodeError operator()(const AnnotationsFrame &frame) const {
    std::vector<Annotation> entries;
    for (const AnnotationsFrame::Entry &entry : frame.entries)
      entries.push_back({entry.fieldIndex, entry.key, entry.value});
    return encoder.annotations(frame.typeId, entries);
  }
  EncodeError operator()(const SegmentFrame &) const { return encoder.segment(); }
};
} // namespace

EncodeError encodeFrame(Encoder &encoder, const Frame &frame) { return std::visit(FrameWriter{encoder}, frame); }

} // namespace ada::dial9
