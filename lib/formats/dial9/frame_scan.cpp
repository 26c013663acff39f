// Scans each kind of frame. One step takes one head, field or entry, all or nothing.
#include "frame_scan.h"

namespace ada::dial9 {

DecoderType::DecoderType(std::shared_ptr<const Schema> schema) : plan(std::move(schema)) {
  values.reserve(plan.schema->fields().size());
  for (const Field &field : plan.schema->fields())
    values.push_back(ValueAccess::blank(field.type));
  view.schema = plan.schema.get();
  view.values = values;
}

Scan FrameScan::run(const uint8_t *frame, size_t size, const StreamState &stream) {
  while (step_ != Step::End) {
    Scan answer = single(frame, size, stream);
    if (answer != Scan::Done)
      return answer;
  }
  return Scan::Done;
}

Scan FrameScan::single(const uint8_t *frame, size_t size, const StreamState &stream) {
  const uint8_t *p = frame + state_.position;
  const size_t left = size - state_.position;
  switch (step_) {
  case Step::Header:
    return header(frame, size, DecodeError::BadMagic);
  case Step::Segment:
    return header(frame, size, DecodeError::UnknownTag);
  case Step::Tag:
    return left ? tag(*p) : state_.lacks(1);
  case Step::SchemaHead:
    return schemaHead(p, left);
  case Step::SchemaField:
    return schemaField(p, left);
  case Step::EventHead:
    return eventHead(p, left, stream);
  case Step::EventField:
    return eventField(frame, size);
  case Step::EventContainer: {
    Scan answer = container_.run(frame, size, state_);
    return answer == Scan::Done ? (step_ = Step::EventField, advanceItem(0)) : answer;
  }
  case Step::StringPoolHead:
    return poolHead(p, left, Step::StringPoolEntry);
  case Step::StringPoolEntry:
    return poolEntry(p, left, 1);
  case Step::StackPoolHead:
    return poolHead(p, left, Step::StackPoolEntry);
  case Step::StackPoolEntry:
    return poolEntry(p, left, sizeof(uint64_t));
  case Step::Reset:
    return left < sizeof(uint64_t) ? state_.lacks(sizeof(uint64_t) - left) : advance(sizeof(uint64_t), Step::End);
  case Step::AnnotationsHead:
    return annotationsHead(p, left);
  case Step::Annotation:
    return annotation(p, left);
  case Step::End:
    break;
  }
  return Scan::Done;
}

Scan FrameScan::advance(size_t bytes, Step next) {
  state_.position += bytes;
  step_ = next;
  return Scan::Done;
}

Scan FrameScan::advanceItem(size_t bytes) { return advance(bytes, --remaining_ ? step_ : Step::End); }

Scan FrameScan::tag(uint8_t tag) {
  if (dialect_ == Dialect::Extended)
    switch (FrameTag(tag)) {
    case FrameTag::StackPool:
      return advance(1, Step::StackPoolHead);
    case FrameTag::Annotations:
      return advance(1, Step::AnnotationsHead);
    case FrameTag::Segment:
      return advance(0, Step::Segment);
    default:
      break;
    }
  switch (FrameTag(tag)) {
  case FrameTag::Schema:
    return advance(1, Step::SchemaHead);
  case FrameTag::Event:
    return advance(1, Step::EventHead);
  case FrameTag::StringPool:
    return advance(1, Step::StringPoolHead);
  case FrameTag::TimestampReset:
    return advance(1, Step::Reset);
  default:
    return state_.wrong(DecodeError::UnknownTag);
  }
}

Scan FrameScan::header(const uint8_t *frame, size_t size, DecodeError otherBytes) {
  if (!std::equal(frame, frame + std::min(size, kMagic.size()), kMagic.begin()))
    return state_.wrong(otherBytes);
  if (size < kHeaderBytes)
    return state_.lacks(kHeaderBytes - size);
  if (frame[kMagic.size()] != kVersion)
    return state_.wrong(DecodeError::BadVersion);
  return advance(kHeaderBytes, Step::End);
}

// u16 type id, u16 length, name, u8 has_timestamp, u16 number of fields
Scan FrameScan::schemaHead(const uint8_t *p, size_t left) {
  size_t need = 2 + 2;
  if (left >= need)
    need += load<uint16_t>(p + 2) + 1 + 2;
  if (left < need)
    return state_.lacks(need - left);
  remaining_ = load<uint16_t>(p + need - 2);
  return advance(need, remaining_ ? Step::SchemaField : Step::End);
}

// u16 length, name, u8 type
Scan FrameScan::schemaField(const uint8_t *p, size_t left) {
  size_t need = 2;
  if (left >= need)
    need += load<uint16_t>(p) + 1;
  if (left < need)
    return state_.lacks(need - left);
  uint8_t fieldType = p[need - 1];
  if (dialect_ == Dialect::Extended)
    fieldType &= uint8_t(~kOptionalBit);
  if (!isFieldType(fieldType, dialect_))
    return state_.wrong(DecodeError::BadFieldType);
  return advanceItem(need);
}

// u16 type id, u24 delta if the type has a timestamp
Scan FrameScan::eventHead(const uint8_t *p, size_t left, const StreamState &stream) {
  size_t need = kUntimedEventBytes - 1;
  if (left < need)
    return state_.lacks(need - left);
  type_ = stream.types.find(load<uint16_t>(p));
  if (!type_)
    return state_.wrong(DecodeError::UnknownTypeId);
  if (type_->plan.schema->hasTimestamp()) {
    need = kTimedEventBytes - 1;
    if (left < need)
      return state_.lacks(need - left);
    uint32_t delta = load<uint16_t>(p + 2) | uint32_t(p[4]) << 16;
    if (delta > UINT64_MAX - stream.base)
      return state_.wrong(DecodeError::TimestampOverflow);
  }
  remaining_ = type_->values.size();
  return advance(need, remaining_ ? Step::EventField : Step::End);
}

Scan FrameScan::eventField(const uint8_t *frame, size_t size) {
  std::span<const Field> fields = type_->plan.schema->fields();
  const Field &field = fields[fields.size() - remaining_];
  const size_t start = state_.position;
  if (field.optional) {
    if (start == size)
      return state_.lacks(1);
    uint8_t presence = frame[start];
    if (presence > 1)
      return state_.wrong(DecodeError::BadPresence);
    if (!presence)
      return advanceItem(1);
    ++state_.position;
  }
  if (ContainerScan::handles(field.type)) {
    container_.begin(field.type);
    return advance(0, Step::EventContainer);
  }
  Scan answer = scanLeaf(field.type, frame, size, state_);
  if (answer == Scan::Done)
    return advanceItem(0);
  state_.position = start; // presence byte and value are read together, so
                           // that no state is needed between them
  return answer;
}

// u32 number of entries
Scan FrameScan::poolHead(const uint8_t *p, size_t left, Step entries) {
  constexpr size_t kCount = sizeof(uint32_t), kSmallestEntry = 8;
  if (left < kCount)
    return state_.lacks(kCount - left);
  remaining_ = load<uint32_t>(p);
  size_t room = left - kCount;
  if (remaining_ > room / kSmallestEntry)
    return state_.lacks(size_t(remaining_) * kSmallestEntry - room);
  return advance(kCount, remaining_ ? entries : Step::End);
}

// u32 id, u32 number of units, units
Scan FrameScan::poolEntry(const uint8_t *p, size_t left, size_t unit) {
  size_t need = 8;
  if (left >= need)
    need += load<uint32_t>(p + 4) * unit;
  if (left < need)
    return state_.lacks(need - left);
  return advanceItem(need);
}

// LEB128 type id, u16 number of annotations
Scan FrameScan::annotationsHead(const uint8_t *p, size_t left) {
  uint64_t typeId;
  const uint8_t *at = p;
  switch (readVarintBounded(at, p + left, typeId)) {
  case VarintEnd::Short:
    return state_.lacks(1);
  case VarintEnd::Overflow:
    return state_.wrong(DecodeError::VarintOverflow);
  case VarintEnd::Ok:
    break;
  }
  size_t need = size_t(at - p) + 2;
  if (left < need)
    return state_.lacks(need - left);
  remaining_ = load<uint16_t>(at);
  return advance(need, remaining_ ? Step::Annotation : Step::End);
}

// u16 field index, u16 length, key, u32 length, value
Scan FrameScan::annotation(const uint8_t *p, size_t left) {
  size_t need = 2 + 2;
  if (left >= need) {
    need += load<uint16_t>(p + 2) + sizeof(uint32_t);
    if (left >= need)
      need += load<uint32_t>(p + need - sizeof(uint32_t));
  }
  if (left < need)
    return state_.lacks(need - left);
  return advanceItem(need);
}

} // namespace ada::dial9
