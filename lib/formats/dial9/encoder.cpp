// The encoder: writes a frame after the committed bytes, and commits it when the complete frame is correct.
#include "ada/trace/dial9/encoder.h"

#include "plan.h"

#include <cstring>

namespace ada::dial9 {

ByteSink::~ByteSink() = default;

/// An event's head is one store of this many bytes, and the values overwrite the surplus bytes.
static constexpr size_t kHeadStoreBytes = sizeof(uint64_t);

/// With a sink, bytes are handed over when this many are buffered.
static constexpr size_t kBufferBytes = 64 << 10;

class Encoder::Impl {
public:
  Impl(ByteSink *target, Dialect allowed) : sink_(target), dialect_(allowed) {
    (void)makeRoom(nullptr, kHeaderBytes);
    putHeader(committed_);
  }

  EncodeError schema(const Schema &wanted, bool writeAgain);
  template <bool kTimed> EncodeError event(uint16_t typeId, uint64_t timestampNs, std::span<const Value> values);
  template <class Entry, class ListOf>
  EncodeError pool(FrameTag tag, std::span<const Entry> entries, size_t each, ListOf listOf);
  EncodeError stringPool(std::span<const StringPoolEntry> entries);
  EncodeError stackPool(std::span<const StackPoolEntry> entries);
  EncodeError annotations(uint64_t typeId, std::span<const Annotation> entries);
  EncodeError timestampReset(uint64_t timestampNs);
  EncodeError segment();
  EncodeError flush(size_t unfinished = 0);
  void reserve(size_t bytes);

  uint8_t *begin() const { return buffer_.get(); }
  size_t buffered() const { return size_t(committed_ - begin()); }
  uint64_t handedOver = 0;

private:
  static void putHeader(uint8_t *&p) {
    putBytes(p, kMagic.data(), kMagic.size());
    put(p, kVersion);
  }
  /// Makes room for a frame that needs at least `bytes`; null if the sink failed.
  uint8_t *frame(size_t bytes) { return room(committed_, bytes); }
  /// Makes sure that `bytes` fit at `p`, in the frame that is being written. The frame may move: use what is returned.
  uint8_t *room(uint8_t *p, size_t bytes) { return size_t(limit_ - p) >= bytes ? p : makeRoom(p, bytes); }
  uint8_t *makeRoom(uint8_t *p, size_t bytes);
  uint8_t *refuse(EncodeError why) {
    refusal_ = why;
    return nullptr;
  }
  uint8_t *putRuns(const Plan &plan, uint8_t *p, const Value *value);
  uint8_t *putValue(uint8_t *p, const Value &value, size_t after, int depth);
  uint8_t *putPair(uint8_t *p, StringPair pair, size_t after);
  uint8_t *putElement(uint8_t *p, const Value &value, size_t after, int depth);

  ByteSink *sink_;
  Dialect dialect_;
  bool sinkFailed_ = false; // if true, there is no room for anything
  EncodeError refusal_ = EncodeError::None;
  std::unique_ptr<uint8_t[]> buffer_;
  uint8_t *committed_ = nullptr, *limit_ = nullptr;
  uint64_t base_ = 0;
  TypeTable<Plan> types_;
};

uint8_t *Encoder::Impl::makeRoom(uint8_t *p, size_t bytes) {
  size_t unfinished = size_t(p - committed_);
  if (flush(unfinished) != EncodeError::None)
    return refuse(EncodeError::SinkFailed);
  size_t capacity = size_t(limit_ - begin()), needed = buffered() + unfinished + bytes;
  if (capacity < needed) {
    size_t grown = std::max({kBufferBytes, needed, 2 * capacity});
    // Not zeroed: pages that are never written cost nothing.
    std::unique_ptr<uint8_t[]> larger(new uint8_t[grown]);
    if (p)
      std::memcpy(larger.get(), begin(), buffered() + unfinished);
    committed_ = larger.get() + buffered();
    buffer_ = std::move(larger);
    limit_ = begin() + grown;
  }
  return committed_ + unfinished;
}

// Hands over the complete frames and moves the bytes of an unfinished one to the front.
EncodeError Encoder::Impl::flush(size_t unfinished) {
  if (sinkFailed_)
    return EncodeError::SinkFailed;
  if (!sink_ || committed_ == begin())
    return EncodeError::None;
  if (!sink_->write({begin(), buffered()})) {
    sinkFailed_ = true;
    limit_ = committed_;
    return EncodeError::SinkFailed;
  }
  handedOver += buffered();
  std::memmove(begin(), committed_, unfinished);
  committed_ = begin();
  return EncodeError::None;
}

void Encoder::Impl::reserve(size_t bytes) {
  if (!sink_)
    (void)room(committed_, bytes);
}

EncodeError Encoder::Impl::schema(const Schema &wanted, bool writeAgain) {
  if (wanted.name().size() > kMaxNameBytes)
    return EncodeError::NameTooLong;
  if (wanted.fields().size() > kMaxFields)
    return EncodeError::TooManyFields;
  size_t bytes = 1 + 2 + 2 + wanted.name().size() + 1 + 2;
  for (const Field &field : wanted.fields()) {
    if (field.name.size() > kMaxNameBytes)
      return EncodeError::NameTooLong;
    if (!isFieldType(uint8_t(field.type), dialect_) || (field.optional && dialect_ == Dialect::Seed))
      return EncodeError::BadFieldType;
    bytes += 2 + field.name.size() + 1;
  }
  const Plan *known = types_.find(wanted.typeId());
  if (known && *known->schema != wanted)
    return EncodeError::SchemaConflict;
  if (known && !writeAgain)
    return EncodeError::None;

  uint8_t *p = frame(bytes);
  if (!p)
    return EncodeError::SinkFailed;
  auto putName = [&](std::string_view name) {
    put(p, uint16_t(name.size()));
    putBytes(p, name.data(), name.size());
  };
  put(p, FrameTag::Schema);
  put(p, wanted.typeId());
  putName(wanted.name());
  put(p, uint8_t(wanted.hasTimestamp()));
  put(p, uint16_t(wanted.fields().size()));
  for (const Field &field : wanted.fields()) {
    putName(field.name);
    put(p, uint8_t(uint8_t(field.type) | (field.optional ? kOptionalBit : 0)));
  }
  if (!known)
    types_.add(wanted.typeId(), std::make_unique<Plan>(wanted.shared_from_this()));
  committed_ = p;
  return EncodeError::None;
}

template <bool kTimed>
inline EncodeError Encoder::Impl::event(uint16_t typeId, uint64_t timestampNs, std::span<const Value> values) {
  const Plan *const plan = types_.find(typeId);
  if (!plan) [[unlikely]]
    return EncodeError::UnknownTypeId;
  if (plan->hasTimestamp != kTimed) [[unlikely]]
    return kTimed ? EncodeError::TimestampUnexpected : EncodeError::TimestampMissing;
  if (values.size() != plan->fieldCount) [[unlikely]]
    return EncodeError::WrongValueCount;

  // From here on every fixed part fits. Only bytes that follow a length prefix ask for room again.
  uint8_t *p = committed_;
  const size_t fixed = kResetBytes + plan->boundedBytes + kHeadStoreBytes - kTimedEventBytes;
  if (size_t(limit_ - p) < fixed) [[unlikely]]
    if (p = makeRoom(p, fixed); !p)
      return refusal_;
  if constexpr (kTimed) {
    uint64_t delta = timestampNs - base_;
    if (timestampNs < base_ || delta > kMaxDeltaNs) [[unlikely]] {
      put(p, FrameTag::TimestampReset);
      put(p, timestampNs);
      delta = 0;
    }
    put(p, plan->head | delta << 24);
    p -= kHeadStoreBytes - kTimedEventBytes;
  } else {
    put(p, FrameTag::Event);
    put(p, typeId);
  }

  const Value *value = values.data();
  for (const Value *const last = value + plan->leadingVarints; value != last; ++value) {
    if (value->type() != FieldType::Varint) [[unlikely]]
      return EncodeError::WrongValueType;
    putVarint(p, ValueAccess::payload(*value));
  }
  if (!plan->runs.empty())
    if (p = putRuns(*plan, p, value); !p) [[unlikely]]
      return refusal_;
  if constexpr (kTimed)
    base_ = timestampNs;
  committed_ = p;
  return EncodeError::None;
}

// Writes the fields after the leading varints; their fixed parts fit at `p`. Returns the place after them, or null with
// the reason in `refusal_`. This is not part of `event`, so that events without such fields save no registers.
[[gnu::noinline]] uint8_t *Encoder::Impl::putRuns(const Plan &plan, uint8_t *p, const Value *value) {
  for (const Run &run : plan.runs) {
    const Value *const last = value + run.count; // at least one
    auto fixed = [&]<class T>(T) {
      do {
        if (value->type() != run.type) [[unlikely]]
          return false;
        put(p, T(ValueAccess::payload(*value)));
      } while (++value != last);
      return true;
    };
    switch (run.kind) {
    case RunKind::Varint:
      do {
        if (value->type() != FieldType::Varint) [[unlikely]]
          return refuse(EncodeError::WrongValueType);
        putVarint(p, ValueAccess::payload(*value));
      } while (++value != last);
      continue;
    case RunKind::Bool: // a Value's payload is 0 or 1
    case RunKind::Bytes1:
      if (!fixed(uint8_t()))
        return refuse(EncodeError::WrongValueType);
      continue;
    case RunKind::Bytes2:
      if (!fixed(uint16_t()))
        return refuse(EncodeError::WrongValueType);
      continue;
    case RunKind::Bytes4:
      if (!fixed(uint32_t()))
        return refuse(EncodeError::WrongValueType);
      continue;
    case RunKind::Bytes8:
      if (!fixed(uint64_t()))
        return refuse(EncodeError::WrongValueType);
      continue;
    case RunKind::Stack:
    case RunKind::Text:
      do {
        if (value->type() != run.type) [[unlikely]]
          return refuse(EncodeError::WrongValueType);
        if (ValueAccess::tooLong(*value)) [[unlikely]]
          return refuse(EncodeError::LengthTooLarge);
        const uint32_t count = ValueAccess::count(*value);
        const size_t bytes = run.kind == RunKind::Stack ? count * sizeof(uint64_t) : count;
        if (p = room(p, bytes + plan.boundedBytes); !p) [[unlikely]]
          return nullptr;
        put(p, count);
        putBytes(p, ValueAccess::bytes(*value), bytes);
      } while (++value != last);
      continue;
    case RunKind::Container:
    case RunKind::Optional:
      do {
        if (value->type() != run.type && !(value->isAbsent() && run.kind == RunKind::Optional))
          return refuse(EncodeError::WrongValueType);
        if (run.kind == RunKind::Optional)
          put(p, uint8_t(!value->isAbsent()));
        if (!value->isAbsent())
          p = putValue(p, *value, plan.boundedBytes, 1);
        if (!p)
          return nullptr;
      } while (++value != last);
      continue;
    }
    __builtin_unreachable(); // there are no other kinds; this spares the switch
                             // a comparison
  }
  return p;
}

// Writes a value of any type and returns the place after it, or null with the reason in `refusal_`. The value's fixed
// part fits at `p`. What comes after a count does not fit yet: it asks for room for itself and `after` more bytes, the
// most that the rest of the frame takes without asking.
uint8_t *Encoder::Impl::putValue(uint8_t *p, const Value &value, size_t after, int depth) {
  if (ValueAccess::tooLong(value))
    return refuse(EncodeError::LengthTooLarge);
  const uint64_t payload = ValueAccess::payload(value);
  const uint32_t count = ValueAccess::count(value);
  auto putCounted = [&](size_t bytes) {
    if ((p = room(p, sizeof count + bytes + after))) {
      put(p, count);
      putBytes(p, ValueAccess::bytes(value), bytes);
    }
    return p;
  };
  switch (value.type()) {
  case FieldType::I64:
  case FieldType::F64:
    put(p, payload);
    return p;
  case FieldType::Bool:
  case FieldType::U8:
    put(p, uint8_t(payload));
    return p;
  case FieldType::U16:
    put(p, uint16_t(payload));
    return p;
  case FieldType::U32:
  case FieldType::PooledString:
  case FieldType::PooledStackFrames:
    put(p, uint32_t(payload));
    return p;
  case FieldType::Varint:
    putVarint(p, payload);
    return p;
  case FieldType::String:
  case FieldType::Bytes:
    return putCounted(count);
  case FieldType::StackFrames:
    return putCounted(count * sizeof(uint64_t));
  case FieldType::StringMap:
    put(p, count);
    for (StringPair pair : value.asStringMap())
      if (!(p = putPair(p, pair, after)))
        break;
    return p;
  case FieldType::DynamicList:
    if (depth > kMaxNesting)
      return refuse(EncodeError::Depth);
    put(p, count);
    for (const Value &element : value.asList())
      if (!(p = putElement(p, element, after, depth)))
        break;
    return p;
  case FieldType::DynamicMap:
    if (depth > kMaxNesting)
      return refuse(EncodeError::Depth);
    put(p, count);
    for (const ValuePair &entry : value.asMap())
      if (!(p = putElement(p, entry.key, after, depth)) || !(p = putElement(p, entry.value, after, depth)))
        break;
    return p;
  case FieldType::Absent:
    break;
  }
  return refuse(EncodeError::WrongValueType);
}

uint8_t *Encoder::Impl::putPair(uint8_t *p, StringPair pair, size_t after) {
  if (std::max(pair.key.size(), pair.value.size()) > UINT32_MAX)
    return refuse(EncodeError::LengthTooLarge);
  if (!(p = room(p, 2 * sizeof(uint32_t) + pair.key.size() + pair.value.size() + after)))
    return nullptr;
  for (std::string_view text : {pair.key, pair.value}) {
    put(p, uint32_t(text.size()));
    putBytes(p, text.data(), text.size());
  }
  return p;
}

// Recursive, at most kMaxNesting levels.
uint8_t *Encoder::Impl::putElement(uint8_t *p, const Value &value, size_t after, int depth) {
  if (!(p = room(p, 1 + kMaxVarintBytes + after))) // the tag and the longest fixed part
    return nullptr;
  put(p, value.type());
  return putValue(p, value, after, depth + 1);
}

// `listOf(entry)` is what an entry holds under its number: letters, or addresses, of `each` bytes.
template <class Entry, class ListOf>
EncodeError Encoder::Impl::pool(FrameTag tag, std::span<const Entry> entries, size_t each, ListOf listOf) {
  size_t bytes = 1 + sizeof(uint32_t);
  for (const Entry &entry : entries) {
    if (listOf(entry).size() > UINT32_MAX)
      return EncodeError::LengthTooLarge;
    bytes += 2 * sizeof(uint32_t) + listOf(entry).size() * each;
  }
  if (entries.size() > UINT32_MAX)
    return EncodeError::LengthTooLarge;
  uint8_t *p = frame(bytes);
  if (!p)
    return EncodeError::SinkFailed;
  put(p, tag);
  put(p, uint32_t(entries.size()));
  for (const Entry &entry : entries) {
    put(p, entry.id);
    put(p, uint32_t(listOf(entry).size()));
    putBytes(p, listOf(entry).data(), listOf(entry).size() * each);
  }
  committed_ = p;
  return EncodeError::None;
}

EncodeError Encoder::Impl::stringPool(std::span<const StringPoolEntry> entries) {
  return pool(FrameTag::StringPool, entries, 1, [](const StringPoolEntry &entry) { return entry.text; });
}

EncodeError Encoder::Impl::stackPool(std::span<const StackPoolEntry> entries) {
  if (dialect_ == Dialect::Seed)
    return EncodeError::NotInDialect;
  return pool(FrameTag::StackPool, entries, sizeof(uint64_t),
              [](const StackPoolEntry &entry) { return entry.addresses; });
}

EncodeError Encoder::Impl::annotations(uint64_t typeId, std::span<const Annotation> entries) {
  if (dialect_ == Dialect::Seed)
    return EncodeError::NotInDialect;
  if (entries.size() > UINT16_MAX)
    return EncodeError::TooManyFields;
  size_t bytes = 1 + kMaxVarintBytes + sizeof(uint16_t);
  for (const Annotation &entry : entries) {
    if (entry.key.size() > kMaxNameBytes)
      return EncodeError::NameTooLong;
    if (entry.value.size() > UINT32_MAX)
      return EncodeError::LengthTooLarge;
    bytes += 2 * sizeof(uint16_t) + entry.key.size() + sizeof(uint32_t) + entry.value.size();
  }
  uint8_t *p = frame(bytes);
  if (!p)
    return EncodeError::SinkFailed;
  put(p, FrameTag::Annotations);
  putVarint(p, typeId);
  put(p, uint16_t(entries.size()));
  for (const Annotation &entry : entries) {
    put(p, entry.fieldIndex);
    put(p, uint16_t(entry.key.size()));
    putBytes(p, entry.key.data(), entry.key.size());
    put(p, uint32_t(entry.value.size()));
    putBytes(p, entry.value.data(), entry.value.size());
  }
  committed_ = p;
  return EncodeError::None;
}

EncodeError Encoder::Impl::timestampReset(uint64_t timestampNs) {
  uint8_t *p = frame(kResetBytes);
  if (!p)
    return EncodeError::SinkFailed;
  put(p, FrameTag::TimestampReset);
  put(p, timestampNs);
  base_ = timestampNs;
  committed_ = p;
  return EncodeError::None;
}

EncodeError Encoder::Impl::segment() {
  if (dialect_ == Dialect::Seed)
    return EncodeError::NotInDialect;
  uint8_t *p = frame(kHeaderBytes);
  if (!p)
    return EncodeError::SinkFailed;
  putHeader(p);
  types_.clear();
  base_ = 0;
  committed_ = p;
  return EncodeError::None;
}

Encoder::Encoder(Dialect dialect) : impl_(std::make_unique<Impl>(nullptr, dialect)) {}
Encoder::Encoder(ByteSink &sink, Dialect dialect) : impl_(std::make_unique<Impl>(&sink, dialect)) {}
Encoder::~Encoder() {
  if (impl_) // not moved from
    (void)impl_->flush();
}
Encoder::Encoder(Encoder &&) noexcept = default;
Encoder &Encoder::operator=(Encoder &&other) noexcept {
  if (impl_ && this != &other)
    (void)impl_->flush();
  impl_ = std::move(other.impl_);
  return *this;
}

EncodeError Encoder::schema(uint16_t typeId, std::string_view name, bool hasTimestamp, std::span<const Field> fields) {
  return impl_->schema(*Schema::make(typeId, name, hasTimestamp, fields), false);
}
EncodeError Encoder::schema(const Schema &schema) { return impl_->schema(schema, false); }
EncodeError Encoder::repeatSchema(const Schema &schema) { return impl_->schema(schema, true); }
EncodeError Encoder::event(uint16_t typeId, uint64_t timestampNs, std::span<const Value> values) {
  return impl_->event<true>(typeId, timestampNs, values);
}
EncodeError Encoder::event(uint16_t typeId, std::span<const Value> values) {
  return impl_->event<false>(typeId, 0, values);
}
EncodeError Encoder::stringPool(std::span<const StringPoolEntry> entries) { return impl_->stringPool(entries); }
EncodeError Encoder::stackPool(std::span<const StackPoolEntry> entries) { return impl_->stackPool(entries); }
EncodeError Encoder::annotations(uint64_t typeId, std::span<const Annotation> entries) {
  return impl_->annotations(typeId, entries);
}
EncodeError Encoder::timestampReset(uint64_t timestampNs) { return impl_->timestampReset(timestampNs); }
EncodeError Encoder::segment() { return impl_->segment(); }
uint64_t Encoder::size() const { return impl_->handedOver + impl_->buffered(); }
std::span<const uint8_t> Encoder::bytes() const { return {impl_->begin(), impl_->buffered()}; }
void Encoder::reserve(size_t bytes) { impl_->reserve(bytes); }
EncodeError Encoder::flush() { return impl_->flush(); }

} // namespace ada::dial9
