// Streaming decoder: push bytes in chunks of any size; a visitor sees each frame as soon as its last byte is there.
//
//   struct Counter : ada::dial9::Visitor {
//     uint64_t n = 0;
//     void onEvent(const ada::dial9::EventView &e) override { n += e.schema->name() == "PollStart"; }
//   } counter;
//   ada::dial9::Decoder decoder(counter);
//   while (size_t got = read(...))
//     if (!decoder.push({buffer, got}))
//       break;
//   ada::dial9::DecodeStatus end = decoder.status();
//   if (!end.ok()) std::cerr << end.message() << '\n';
//
// How the data is cut into chunks changes neither what the visitor sees nor the answer.
// A frame inside one chunk is read in place; only a frame that straddles two chunks is copied.
// Once the schemas are known, that one buffer is all that decoding allocates. It grows with the bytes that have
// arrived, and never by a length that a file claims.
//
// A frame takes effect only when it is complete and correct: a truncated or
// wrong frame has no effect at all.
//
// Threads: use a decoder in one thread at a time; different decoders are
// independent. A visitor must not push into the decoder that calls it. If it
// throws, the decoder must not be used any more.
#ifndef ADA_TRACE_DIAL9_DECODER_H
#define ADA_TRACE_DIAL9_DECODER_H

#include "ada/trace/dial9/schema.h"
#include "ada/trace/dial9/value.h"

namespace ada::dial9 {

/// An event. Everything in it is valid until `onEvent` returns.
struct EventView {
  const Schema *schema = nullptr;
  uint64_t timestampNs = 0; ///< absolute; 0 if the schema has no timestamp
  /// One value per field, in the schema's order.
  std::span<const Value> values;
  uint64_t offset = 0; ///< of the frame, from the first byte pushed

  bool hasTimestamp() const { return schema->hasTimestamp(); }
};

struct StringPoolEntry {
  uint32_t id = 0;
  std::string_view text; ///< need not be UTF-8
};

struct StackPoolEntry {
  uint32_t id = 0;
  AddressList addresses;
};

struct Annotation {
  uint16_t fieldIndex = 0;
  std::string_view key;
  std::string_view value;
};

namespace detail {
StringPoolEntry readStringPoolEntry(const uint8_t *&p);
StackPoolEntry readStackPoolEntry(const uint8_t *&p);
Annotation readAnnotation(const uint8_t *&p);
} // namespace detail

using StringPoolView = detail::EntryRange<StringPoolEntry, detail::readStringPoolEntry>;
using StackPoolView = detail::EntryRange<StackPoolEntry, detail::readStackPoolEntry>;
using AnnotationsView = detail::EntryRange<Annotation, detail::readAnnotation>;

/// Receives the frames in file order. Override what you need.
///
/// The decoder keeps no pools, because whether memory may grow with the input is
/// the visitor's decision. `StringPool` and `StackPool` (pools.h) do it in one
/// line each.
class Visitor {
public:
  virtual ~Visitor();

  /// Each schema frame, also those that register an identical schema again. The
  /// schema may be kept: `shared_from_this()`.
  virtual void onSchema(const Schema &schema, uint64_t offset);
  virtual void onEvent(const EventView &event);
  virtual void onStringPool(StringPoolView entries, uint64_t offset);
  virtual void onStackPool(StackPoolView entries, uint64_t offset);
  virtual void onTimestampReset(uint64_t timestampNs, uint64_t offset);
  /// The type need not be known, and the fields need not exist: annotations never change how events are read.
  virtual void onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t offset);
  /// A header in mid-stream (not the first one): schemas, pools and timestamps
  /// start again from nothing.
  virtual void onSegment(uint64_t offset);
};

struct DecoderOptions {
  Dialect dialect = Dialect::Extended;
  /// Largest frame that may be collected from several chunks. For servers that read data from strangers;
  /// by default a frame may be as large as the data that arrives.
  uint64_t maxBufferedBytes = UINT64_MAX;
};

class Decoder {
public:
  explicit Decoder(Visitor &visitor, DecoderOptions options = {});
  ~Decoder();
  Decoder(Decoder &&) noexcept;
  Decoder &operator=(Decoder &&) noexcept;

  /// Decodes what is complete and keeps the rest. False after an error: more data
  /// can't change the answer then, and is ignored.
  bool push(std::span<const uint8_t> chunk);

  /// The answer if there is no more data: complete, cut inside a frame, or wrong.
  /// You may ask and then push more.
  DecodeStatus status() const;

  /// The schema that events of this id have at this point, or null.
  const Schema *schema(uint16_t typeId) const;

  /// Bytes of the incomplete frame that the decoder holds.
  size_t bufferedBytes() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_DECODER_H
