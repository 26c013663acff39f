// Encoder: turns schemas, events and pools into a stream, byte for byte as the rules determine it.
//
//   ada::dial9::Encoder encoder; // collects in memory; or Encoder(sink)
//   ada::dial9::Field fields[] = {{"worker", ada::dial9::FieldType::Varint},
//                                 {"name", ada::dial9::FieldType::String}};
//   encoder.schema(0, "PollStart", true, fields);
//   ada::dial9::Value values[] = {ada::dial9::Value::varint(3), ada::dial9::Value::string("main")};
//   encoder.event(0, 1'000'000, values);
//   write(encoder.bytes());
//
// Every operation either writes complete frames or refuses and changes nothing;
// `EncodeError::None` is success. The encoder inserts timestamp reset frames
// where a step doesn't fit 24 bits or goes back. It writes the shortest LEB128,
// and bools as 0 or 1. So the same operations always give the same bytes.
//
// Threads: use an encoder in one thread at a time.
#ifndef ADA_TRACE_DIAL9_ENCODER_H
#define ADA_TRACE_DIAL9_ENCODER_H

#include "ada/trace/dial9/decoder.h"

namespace ada::dial9 {

/// Where an encoder's bytes go. Called with some ten kilobytes at a time.
class ByteSink {
public:
  virtual ~ByteSink();
  /// False if the bytes could not be taken; the encoder then refuses
  /// everything.
  virtual bool write(std::span<const uint8_t> bytes) = 0;
};

class Encoder {
public:
  /// Collects the stream in memory, starting with the header.
  explicit Encoder(Dialect dialect = Dialect::Extended);
  /// Hands the stream to `sink` as its buffer fills, and on `flush`. The sink
  /// must outlive the encoder; the destructor flushes.
  explicit Encoder(ByteSink &sink, Dialect dialect = Dialect::Extended);
  ~Encoder();
  Encoder(Encoder &&) noexcept;
  Encoder &operator=(Encoder &&) noexcept;

  /// Registers an event type; must come before its first event. Registering the
  /// same schema again is allowed and writes nothing; another schema under the
  /// same id is refused.
  EncodeError schema(uint16_t typeId, std::string_view name, bool hasTimestamp, std::span<const Field> fields);
  EncodeError schema(const Schema &schema);
  /// As `schema`, but writes the frame even if the type is known: for copying a
  /// stream frame by frame.
  EncodeError repeatSchema(const Schema &schema);

  /// An event of a type with a timestamp. Times may go back; each step back costs
  /// a frame of 9 bytes.
  EncodeError event(uint16_t typeId, uint64_t timestampNs, std::span<const Value> values);
  /// An event of a type without a timestamp.
  EncodeError event(uint16_t typeId, std::span<const Value> values);

  /// One string pool frame. The caller chooses the ids.
  EncodeError stringPool(std::span<const StringPoolEntry> entries);
  /// One stack pool frame. Extended.
  EncodeError stackPool(std::span<const StackPoolEntry> entries);
  /// One annotation frame. Extended.
  EncodeError annotations(uint64_t typeId, std::span<const Annotation> entries);
  /// A reset frame that the next event may not need.
  EncodeError timestampReset(uint64_t timestampNs);
  /// Another header: forgets schemas, pools and time. Extended.
  EncodeError segment();

  /// Bytes produced since the beginning, whether handed over or not.
  uint64_t size() const;

  /// In memory: the whole stream. With a sink: what is not yet handed over.
  /// Good until the next operation.
  std::span<const uint8_t> bytes() const;
  /// Reserves memory, so that the buffer need not grow step by step.
  void reserve(size_t bytes);
  /// Hands over what is buffered. Without a sink there is nothing to do.
  EncodeError flush();

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_ENCODER_H
