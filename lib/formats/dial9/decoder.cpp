// The decoder: a fast path for events that lie completely in a chunk, the scanner for everything else.
//
// The fast path writes into the type's value array, whose types are already filled in, and gives up at the first thing
// that is not plainly right. Nothing has changed then, and the scanner finds out what it is. Frames that straddle
// chunks are collected until the scanner finds their end, and then take the same path.
#include "ada/trace/dial9/decoder.h"

#include "frame_scan.h"
#include "schema_builder.h"

namespace ada::dial9 {

/// A buffer that a large frame made larger than this is freed after the frame.
static constexpr size_t kKeptBufferBytes = 1 << 20;

class Decoder::Impl {
public:
  Impl(Visitor &receiver, DecoderOptions wanted) : visitor_(receiver), options_(wanted), scan_(wanted.dialect) {
    scan_.beginHeader();
  }

  bool push(std::span<const uint8_t> chunk);
  DecodeStatus status() const;

  StreamState stream;
  std::vector<uint8_t> pending; // the beginning of an incomplete frame

private:
  const uint8_t *finishPending(const uint8_t *p, const uint8_t *end);
  const uint8_t *decodeChunk(const uint8_t *p, const uint8_t *end);
  enum class Room : bool { Exact, Roomy };
  template <Room kRoom> const uint8_t *decodeEvents(const uint8_t *p, const uint8_t *end);
  static const uint8_t *decodeValue(FieldType type, Value &value, const uint8_t *p, const uint8_t *end);
  static const uint8_t *decodeOptional(FieldType type, Value &value, const uint8_t *p, const uint8_t *end);
  void keep(const uint8_t *p, const uint8_t *end);
  void apply(const uint8_t *frame, size_t size);
  void applySchema(const uint8_t *frame);
  void applyAnnotations(const uint8_t *frame);
  void fail(DecodeError error, uint64_t offset) { failure_ = {Outcome::Error, error, offset}; }
  uint64_t offsetOf(const uint8_t *p) const { return uint64_t(reinterpret_cast<uintptr_t>(p)) + bias_; }

  Visitor &visitor_;
  DecoderOptions options_;
  FrameScan scan_;
  bool headerSeen_ = false;
  uint64_t consumed_ = 0; // bytes of whole frames before `pending`
  uint64_t bias_ = 0;     // turns an address in the current bytes into an offset when added
  DecodeStatus failure_;
};

bool Decoder::Impl::push(std::span<const uint8_t> chunk) {
  const uint8_t *p = chunk.data(), *end = p + chunk.size();
  while (p != end && failure_.ok())
    p = !headerSeen_ || !pending.empty() ? finishPending(p, end) : decodeChunk(p, end);
  return failure_.ok();
}

DecodeStatus Decoder::Impl::status() const {
  if (!failure_.ok())
    return failure_;
  if (!headerSeen_)
    return {Outcome::Error, DecodeError::HeaderTruncated, 0};
  return {pending.empty() ? Outcome::Ok : Outcome::Truncated, DecodeError::None, consumed_};
}

// Adds only the bytes that the frame needs, so that the next frames are decoded in place again.
const uint8_t *Decoder::Impl::finishPending(const uint8_t *p, const uint8_t *end) {
  Scan answer = Scan::Short;
  while (answer == Scan::Short && p != end && failure_.ok()) {
    size_t take = std::min(scan_.place().missing, size_t(end - p));
    keep(p, p + take);
    p += take;
    answer = scan_.run(pending.data(), pending.size(), stream);
  }
  if (answer == Scan::Wrong)
    fail(scan_.place().error, consumed_);
  if (answer != Scan::Done || !failure_.ok())
    return p;

  bias_ = consumed_ - reinterpret_cast<uintptr_t>(pending.data());
  if (headerSeen_)
    apply(pending.data(), pending.size());
  headerSeen_ = true;
  if (failure_.ok())
    consumed_ += pending.size();
  pending.clear();
  if (pending.capacity() > kKeptBufferBytes)
    pending.shrink_to_fit();
  return p;
}

void Decoder::Impl::keep(const uint8_t *p, const uint8_t *end) {
  if (size_t(end - p) > options_.maxBufferedBytes || pending.size() > options_.maxBufferedBytes - size_t(end - p))
    return fail(DecodeError::FrameTooLarge, consumed_);
  pending.insert(pending.end(), p, end);
}

const uint8_t *Decoder::Impl::decodeChunk(const uint8_t *p, const uint8_t *end) {
  bias_ = consumed_ - reinterpret_cast<uintptr_t>(p);
  while (p != end) {
    p = decodeEvents<Room::Roomy>(p, end);
    p = decodeEvents<Room::Exact>(p, end);
    if (p == end)
      break;
    scan_.beginFrame();
    Scan answer = scan_.run(p, size_t(end - p), stream);
    consumed_ = offsetOf(p);
    if (answer == Scan::Wrong) {
      fail(scan_.place().error, consumed_);
      return end;
    }
    if (answer == Scan::Short) {
      keep(p, end);
      return end;
    }
    apply(p, scan_.place().position);
    if (!failure_.ok())
      return end;
    p += scan_.place().position;
  }
  consumed_ = offsetOf(end);
  return end;
}

// Decodes one value of a type that has no loop in `decodeEvents`.
const uint8_t *Decoder::Impl::decodeValue(FieldType type, Value &value, const uint8_t *p, const uint8_t *end) {
  if (ContainerScan::handles(type)) {
    ContainerScan container;
    container.begin(type);
    ScanState state;
    if (container.run(p, size_t(end - p), state) != Scan::Done)
      return nullptr;
    ValueAccess::point(value, p + sizeof(uint32_t), load<uint32_t>(p));
    return p + state.position;
  }
  ScanState state;
  if (scanLeaf(type, p, size_t(end - p), state) != Scan::Done)
    return nullptr;
  value = readChecked(type, p);
  return p;
}

const uint8_t *Decoder::Impl::decodeOptional(FieldType type, Value &value, const uint8_t *p, const uint8_t *end) {
  if (p == end || *p > 1)
    return nullptr;
  bool present = *p++;
  value = present ? ValueAccess::blank(type) : Value::absent();
  return present ? decodeValue(type, value, p, end) : p;
}

// Decodes and delivers events from `frame` on, and returns the place of the first frame that is something else, or
// incomplete, or wrong.
//
// Roomy checks once per event whether all its fixed parts fit, with a reserve. It stops where that is not certain,
// which is some bytes before the end of the chunk. Exact checks each value.
//
// Long because the speed of reading depends on this loop, whose state should stay in registers.
template <Decoder::Impl::Room kRoom>
const uint8_t *Decoder::Impl::decodeEvents(const uint8_t *frame, const uint8_t *const end) {
  constexpr bool kRoomy = kRoom == Room::Roomy;
  constexpr size_t kReserve = kVarintLookBytes;
  for (;;) {
    const uint8_t *p = frame;
    const size_t left = size_t(end - p);
    if (left < (kRoomy ? kReserve : kUntimedEventBytes)) [[unlikely]]
      return frame;
    // The head as one word: tag, type id, delta.
    const uint64_t head = kRoomy ? load<uint64_t>(p) : load<uint16_t>(p) | uint32_t(p[2]) << 16;
    if (uint8_t(head) != uint8_t(FrameTag::Event)) [[unlikely]]
      return frame;
    DecoderType *const type = stream.types.find(uint16_t(head >> 8));
    if (!type || (kRoomy && left < type->plan.boundedBytes + kReserve)) [[unlikely]]
      return frame;
    uint64_t time = 0, base = stream.base;
    if (type->plan.hasTimestamp) [[likely]] {
      if (!kRoomy && left < kTimedEventBytes)
        return frame;
      time = base + (kRoomy ? head >> 24 & kMaxDeltaNs : load<uint16_t>(p + 3) | uint32_t(p[5]) << 16);
      if (time < base) [[unlikely]]
        return frame;
      base = time;
      p += kTimedEventBytes;
    } else {
      p += kUntimedEventBytes;
    }

    // True if `bytes` more fixed bytes can be read.
    auto has = [&](size_t bytes) { return kRoomy || size_t(end - p) >= bytes; };
    auto varint = [&](uint64_t &number) {
      if (has(kVarintLookBytes)) [[likely]]
        return (p = readVarintRoomy(p, number)) != nullptr;
      return readVarintBounded(p, end, number) == VarintEnd::Ok;
    };
    Value *value = type->values.data();
    for (Value *const last = value + type->plan.leadingVarints; value != last; ++value)
      if (!varint(ValueAccess::payload(*value))) [[unlikely]]
        return frame;
    for (const Run &run : type->plan.runs) {
      Value *const last = value + run.count; // at least one
      auto fixed = [&]<class T>(T) {
        if (!has(run.count * sizeof(T))) [[unlikely]]
          return false;
        do {
          ValueAccess::payload(*value) = load<T>(p);
          p += sizeof(T);
        } while (++value != last);
        return true;
      };
      switch (run.kind) {
      case RunKind::Varint:
        do
          if (!varint(ValueAccess::payload(*value))) [[unlikely]]
            return frame;
        while (++value != last);
        continue;
      case RunKind::Bytes1:
        if (!fixed(uint8_t()))
          return frame;
        continue;
      case RunKind::Bytes2:
        if (!fixed(uint16_t()))
          return frame;
        continue;
      case RunKind::Bytes4:
        if (!fixed(uint32_t()))
          return frame;
        continue;
      case RunKind::Bytes8:
        if (!fixed(uint64_t()))
          return frame;
        continue;
      case RunKind::Bool:
        if (!has(run.count))
          return frame;
        do
          ValueAccess::payload(*value) = *p++ != 0;
        while (++value != last);
        continue;
      case RunKind::Text:
      case RunKind::Stack:
        do {
          if (!has(sizeof(uint32_t))) [[unlikely]]
            return frame;
          const uint32_t count = load<uint32_t>(p);
          p += sizeof count;
          const size_t bytes = run.kind == RunKind::Stack ? count * sizeof(uint64_t) : count;
          if (size_t(end - p) < bytes + (kRoomy ? type->plan.boundedBytes + kReserve : 0)) [[unlikely]]
            return frame;
          ValueAccess::point(*value, p, count);
          p += bytes;
        } while (++value != last);
        continue;
      case RunKind::Container:
      case RunKind::Optional:
        do {
          p = run.kind == RunKind::Optional ? decodeOptional(run.type, *value, p, end)
                                            : decodeValue(run.type, *value, p, end);
          // Only the count of a container is among the bounded bytes.
          if (!p || size_t(end - p) < (kRoomy ? type->plan.boundedBytes + kReserve : 0))
            return frame;
        } while (++value != last);
        continue;
      }
      __builtin_unreachable(); // there are no other kinds; this spares the switch
                               // a comparison
    }

    stream.base = base;
    type->view.timestampNs = time;
    type->view.offset = offsetOf(frame);
    visitor_.onEvent(type->view);
    frame = p;
  }
}

// The frame is complete and, apart from anything that depends on earlier frames, correct.
void Decoder::Impl::apply(const uint8_t *frame, size_t size) {
  const uint64_t offset = offsetOf(frame);
  constexpr size_t kPoolHead = 1 + sizeof(uint32_t);
  switch (FrameTag(*frame)) {
  case FrameTag::Schema:
    return applySchema(frame);
  case FrameTag::Event: {
    [[maybe_unused]] const uint8_t *end = decodeEvents<Room::Exact>(frame, frame + size);
    assert(end == frame + size);
    return;
  }
  case FrameTag::StringPool:
    return visitor_.onStringPool({frame + kPoolHead, load<uint32_t>(frame + 1)}, offset);
  case FrameTag::StackPool:
    return visitor_.onStackPool({frame + kPoolHead, load<uint32_t>(frame + 1)}, offset);
  case FrameTag::TimestampReset:
    stream.base = load<uint64_t>(frame + 1);
    return visitor_.onTimestampReset(stream.base, offset);
  case FrameTag::Annotations:
    return applyAnnotations(frame);
  case FrameTag::Segment:
    stream.base = 0;
    stream.types.clear();
    return visitor_.onSegment(offset);
  }
}

void Decoder::Impl::applySchema(const uint8_t *frame) {
  const uint64_t offset = offsetOf(frame);
  const uint8_t *p = frame + 1;
  auto number = [&]<class T>(T) {
    T value = load<T>(p);
    p += sizeof(T);
    return value;
  };
  auto text = [&] {
    size_t size = number(uint16_t());
    p += size;
    return detail::text(p - size, size);
  };
  const uint16_t typeId = number(uint16_t());
  const std::string_view name = text();
  const bool hasTimestamp = number(uint8_t()) != 0;
  const size_t fieldCount = number(uint16_t());
  const uint8_t *const firstField = p;
  size_t nameBytes = name.size();
  for (size_t i = 0; i < fieldCount; ++i, ++p)
    nameBytes += text().size();

  SchemaBuilder builder(typeId, name, hasTimestamp, fieldCount, nameBytes);
  p = firstField;
  for (size_t i = 0; i < fieldCount; ++i) {
    std::string_view fieldName = text();
    uint8_t type = number(uint8_t());
    builder.add({fieldName, FieldType(type & ~kOptionalBit), (type & kOptionalBit) != 0});
  }
  std::shared_ptr<const Schema> schema = builder.finish();

  if (const DecoderType *known = stream.types.find(typeId)) {
    if (*known->plan.schema != *schema)
      return fail(DecodeError::SchemaConflict, offset);
    return visitor_.onSchema(*known->plan.schema, offset);
  }
  stream.types.add(typeId, std::make_unique<DecoderType>(schema));
  visitor_.onSchema(*schema, offset);
}

void Decoder::Impl::applyAnnotations(const uint8_t *frame) {
  const uint8_t *p = frame + 1;
  uint64_t typeId = 0;
  (void)readVarintBounded(p, p + kMaxVarintBytes, typeId);
  visitor_.onAnnotations(typeId, {p + sizeof(uint16_t), load<uint16_t>(p)}, offsetOf(frame));
}

Decoder::Decoder(Visitor &visitor, DecoderOptions options) : impl_(std::make_unique<Impl>(visitor, options)) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder &&) noexcept = default;
Decoder &Decoder::operator=(Decoder &&) noexcept = default;

bool Decoder::push(std::span<const uint8_t> chunk) { return impl_->push(chunk); }
DecodeStatus Decoder::status() const { return impl_->status(); }
size_t Decoder::bufferedBytes() const { return impl_->pending.size(); }

const Schema *Decoder::schema(uint16_t typeId) const {
  const DecoderType *type = impl_->stream.types.find(typeId);
  return type ? type->plan.schema.get() : nullptr;
}

} // namespace ada::dial9
