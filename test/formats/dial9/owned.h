// Frames that own their content, for programs that keep, sort or change a trace instead of streaming it.
//
//   ada::dial9::Trace trace = ada::dial9::decodeAll(bytes);
//   for (const ada::dial9::Frame &frame : trace.frames)
//     if (auto *event = std::get_if<ada::dial9::Event>(&frame))
//       for (const ada::dial9::Value &value : event->values())
//         if (value.type() == ada::dial9::FieldType::PooledString)
//           if (const std::string *text = trace.text(*event, value)) ...
//
// Memory: about 20 bytes per byte of input in the worst case (events of three
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

  const Schema &schema() const { return *layout_; }
  std::optional<uint64_t> timestampNs() const {
    return layout_->hasTimestamp() ? std::optional<uint64_t>(time_) : std::nullopt;
  }
  std::span<const Value> values() const {
    return {reinterpret_cast<const Value *>(block_.get()), layout_->fields().size()};
  }
  uint64_t offset() const { return position_; }

private:
  friend class FrameCollector;
  Event(const EventView &view, std::shared_ptr<std::byte> place);
  void fill(const EventView &view, std::shared_ptr<std::byte> place);

  std::shared_ptr<const Schema> layout_;
  std::shared_ptr<const std::byte> block_; // the values, then the bytes they point to
  uint64_t time_;
  uint64_t position_;
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

using Frame = std::variant<Event, SchemaFrame, StringPoolFrame, StackPoolFrame, TimestampResetFrame, AnnotationsFrame,
                           SegmentFrame>;

/// A visitor that keeps every frame. Use it with a `Decoder` of your own for data
/// that arrives in chunks. Small events share blocks of 16 KiB, which live as
/// long as any event in them. To keep a few events out of many, construct an
/// `Event` from each view instead.
class FrameCollector : public Visitor {
public:
  /// Frames since the last call.
  std::deque<Frame> take();

  void onSchema(const Schema &schema, uint64_t offset) override;
  void onEvent(const EventView &event) override;
  void onStringPool(StringPoolView entries, uint64_t offset) override;
  void onStackPool(StackPoolView entries, uint64_t offset) override;
  void onTimestampReset(uint64_t timestampNs, uint64_t offset) override;
  void onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t offset) override;
  void onSegment(uint64_t offset) override;

private:
  std::deque<Frame> frames_;
  std::shared_ptr<std::byte[]> slab_;
  size_t slabUsed_ = 0;
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
  DecodeStatus status; ///< how the stream ended; `frames` holds everything before that
  std::vector<SegmentPools> segments;

  /// What a PooledString of this event means, or null if its id is never
  /// defined.
  const std::string *text(const Event &event, const Value &value) const;
  /// What a PooledStackFrames of this event means, or null.
  const std::vector<uint64_t> *stack(const Event &event, const Value &value) const;
  /// The pools of the segment that holds this offset.
  const SegmentPools &poolsAt(uint64_t offset) const;
};

/// Decodes a stream that is completely in memory.
Trace decodeAll(std::span<const uint8_t> bytes, DecoderOptions options = {});

/// Writes a frame as it was read. With an `Encoder` of the same dialect,
/// writing all frames of a stream in order gives a stream of the same meaning,
/// and the same bytes if the first was written by these rules.
EncodeError encodeFrame(Encoder &encoder, const Frame &frame);

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_OWNED_H
