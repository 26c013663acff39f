// Fuzzes dial9 by decoding, encoding, and decoding again.
//
// Properties: an encoder accepts every frame that a decoder gives; its output decodes, in
// the same dialect, to frames with the same content; and encoding those gives the same
// bytes.
#include "require.h"

#include "../formats/dial9/owned.h"

using namespace ada::dial9;
using ada::fuzz::require;

namespace {
struct SameAs {
  const Frame &other;
  bool operator()(const Event &e) const {
    const Event *o = std::get_if<Event>(&other);
    return o && e.schema() == o->schema() && e.timestampNs() == o->timestampNs() &&
           std::ranges::equal(e.values(), o->values());
  }
  bool operator()(const SchemaFrame &f) const {
    const SchemaFrame *o = std::get_if<SchemaFrame>(&other);
    return o && *f.schema == *o->schema;
  }
  bool operator()(const StringPoolFrame &f) const {
    const StringPoolFrame *o = std::get_if<StringPoolFrame>(&other);
    return o && f.entries == o->entries;
  }
  bool operator()(const StackPoolFrame &f) const {
    const StackPoolFrame *o = std::get_if<StackPoolFrame>(&other);
    return o && f.entries == o->entries;
  }
  bool operator()(const TimestampResetFrame &f) const {
    const TimestampResetFrame *o = std::get_if<TimestampResetFrame>(&other);
    return o && f.timestampNs == o->timestampNs;
  }
  bool operator()(const AnnotationsFrame &f) const {
    const AnnotationsFrame *o = std::get_if<AnnotationsFrame>(&other);
    return o && f.typeId == o->typeId && std::ranges::equal(f.entries, o->entries, [](const auto &a, const auto &b) {
             return a.fieldIndex == b.fieldIndex && a.key == b.key && a.value == b.value;
           });
  }
  bool operator()(const SegmentFrame &) const { return std::holds_alternative<SegmentFrame>(other); }
};

Encoder encode(const Trace &trace, Dialect dialect) {
  Encoder encoder(dialect);
  for (const Frame &frame : trace.frames)
    require(encodeFrame(encoder, frame) == EncodeError::None, "an encoder takes what a decoder gives");
  return encoder;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (Dialect dialect : {Dialect::Seed, Dialect::Extended}) {
    const Trace trace = decodeAll({data, size}, {dialect});
    const Encoder written = encode(trace, dialect);
    const Trace again = decodeAll(written.bytes(), {dialect});
    require(again.status.ok(), "what was written decodes");
    require(again.frames.size() == trace.frames.size(), "there are as many frames");
    for (size_t i = 0; i < trace.frames.size(); ++i)
      require(std::visit(SameAs{again.frames[i]}, trace.frames[i]), "frames have the same content");
    require(std::ranges::equal(encode(again, dialect).bytes(), written.bytes()), "the encoding is stable");
    // A canonical writer needs no more bytes than any other.
    require(written.bytes().size() <= trace.status.offset + kHeaderBytes, "the encoding is the shortest");
  }
  return 0;
}
