// Frames that own what they hold: for programs that want to keep, sort or
// change a trace rather than stream it.
//
//   ada::dial9::Trace trace = ada::dial9::decodeAll(bytes);
//   for (const ada::dial9::Frame &frame : trace.frames)
//     if (auto *event = std::get_if<ada::dial9::Event>(&frame))
//       for (const ada::dial9::Value &value : event->values())
//         if (value.type() == ada::dial9::FieldType::PooledString)
//           if (const std::string *text = trace.text(*event, value)) ...
//
// Memory: some 20 bytes a byte of input in the worst case (events of three
// bytes), about 5 in ordinary traces.
#ifndef ADA_TRACE_DIAL9_OWNED_H
#define ADA_TRACE_DIAL9_OWNED_H

#include "ada/trace/dial9/pools.h"

#include <deque>
#include <optional>
#include <variant>

namespace ada::dial9 {

/// An event with its values and everything they point to. Immutable; copies
/// share.
class Event {
public:
  /// Keeps what a decoder shows: call it in `Visitor::onEvent`.
  explicit Event(const EventView &view);

  const Schema &schema() const { return *layout; }
  std::optional<uint64_t> timestampNs() const {
    return layout->hasTimestamp() ? std::optional<uint64_t>(time)
                                  : std::nullopt;
  }
  std::span<const Value> values() const {
    return {reinterpret_cast<const Value *>(block.get()),
            layout->fields().size()};
  }
  uint64_t offset() const { return position; }

private:
  friend class FrameCollector;
  Event(const EventView &view, std::shared_ptr<std::byte> place);
  void fill(const EventView &view, std::shared_ptr<std::byte> place);

  std::shared_ptr<const Schema> layout;
  std::shared_ptr<const std::byte>
      block; // the values, then the bytes they point to
  uint64_t time;
  uint64_t position;
};

struct SchemaFrame {
  std::shared_ptr<const Schema> schema;
};
struct StringPoolFrame {
  std::vector<std::pair<uint32_t, std::string>> entries;
};
struct StackPoolFrame {
  std::vector<std::pair<uint32_t, std::vector<uint64_t>>> entries;
};
struct TimestampResetFrame {
  uint64_t timestampNs = 0;
};
struct AnnotationsFrame {
  struct Entry {
    uint16_t fieldIndex;
    std::string key;
    std::string value;
  };
  uint64_t typeId = 0;
  std::vector<Entry> entries;
};
struct SegmentFrame {};

using Frame = std::variant<Event, SchemaFrame, StringPoolFrame, StackPoolFrame,
                           TimestampResetFrame, AnnotationsFrame, SegmentFrame>;

/// A visitor that keeps every frame. With a `Decoder` of your own, for data
/// that comes in chunks. Small events share blocks of 16 KiB, which live as
/// long as any event in them; to keep a few out of many, construct an `Event`
/// from each view instead.
class FrameCollector : public Visitor {
public:
  /// Frames since the last call.
  std::deque<Frame> take();

  void onSchema(const Schema &schema, uint64_t offset) override;
  void onEvent(const EventView &event) override;
  void onStringPool(StringPoolView entries, uint64_t offset) override;
  void onStackPool(StackPoolView entries, uint64_t offset) override;
  void onTimestampReset(uint64_t timestampNs, uint64_t offset) override;
  void onAnnotations(uint64_t typeId, AnnotationsView entries,
                     uint64_t offset) override;
  void onSegment(uint64_t offset) override;

private:
  std::deque<Frame> frames;
  std::shared_ptr<std::byte[]> slab;
  size_t slabUsed = 0;
};

/// The pools of one segment, complete.
struct SegmentPools {
  uint64_t offset = 0; ///< of the segment's header
  StringPool strings;
  StackPool stacks;
};

/// A whole stream in memory.
struct Trace {
  std::deque<Frame> frames;
  DecodeStatus
      status; ///< how the stream ended; `frames` holds everything before that
  std::vector<SegmentPools> segments;

  /// What a PooledString of this event means, or null if its id is never
  /// defined.
  const std::string *text(const Event &event, const Value &value) const;
  /// What a PooledStackFrames of this event means, or null.
  const std::vector<uint64_t> *stack(const Event &event,
                                     const Value &value) const;
  /// The pools of the segment that holds this offset.
  const SegmentPools &poolsAt(uint64_t offset) const;
};

/// Decodes a stream that is in memory as a whole.
Trace decodeAll(std::span<const uint8_t> bytes, DecoderOptions options = {});

/// Writes a frame as it was read. With an `Encoder` of the same dialect,
/// writing all frames of a stream in order gives a stream of the same meaning,
/// and the same bytes if the first was written by these rules.
EncodeError encodeFrame(Encoder &encoder, const Frame &frame);

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_OWNED_H
