// Frames that own their content, for tests that compare whole streams.
//
//   ada::dial9::Trace trace = ada::dial9::decodeAll(bytes);
//   for (const ada::dial9::Frame &frame : trace.frames)
//     if (auto *event = std::get_if<ada::dial9::Event>(&frame))
//       for (const ada::dial9::Value &value : event->values())
//         if (value.type() == ada::dial9::FieldType::PooledString)
//           if (const std::string *text = trace.text(*event, value)) ...
#pragma once

#include "ada/trace/dial9.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <variant>

namespace ada::dial9 {

/// The definitions of one segment's pool, with their history.
template <class Content> class Pool {
public:
  /// From here (the offset of the defining frame) on, `id` means `content`.
  /// Offsets must not go back.
  void define(uint32_t id, Content content, uint64_t offset) {
    definitions_[id].push_back({offset, std::move(content)});
  }
  /// The latest definition, or null.
  const Content *find(uint32_t id) const {
    auto found = definitions_.find(id);
    return found == definitions_.end() ? nullptr : &found->second.back().content;
  }
  /// What `id` means to an event at `offset`: the latest definition before it;
  /// if there is none, the pool at the end of the segment decides.
  /// Null if the id is never defined, which is not an error of the stream.
  const Content *findAt(uint32_t id, uint64_t offset) const {
    auto found = definitions_.find(id);
    if (found == definitions_.end())
      return nullptr;
    const std::vector<Definition> &history = found->second;
    auto after =
        std::partition_point(history.begin(), history.end(), [&](const Definition &d) { return d.offset < offset; });
    return after == history.begin() ? &history.back().content : &std::prev(after)->content;
  }
  void clear() { definitions_.clear(); }
  size_t size() const { return definitions_.size(); }
  bool empty() const { return definitions_.empty(); }
  /// Calls `visit(id, content)` with each id's latest definition, in no
  /// particular order.
  template <class Visit> void forEach(Visit visit) const {
    for (const auto &[id, history] : definitions_)
      visit(id, history.back().content);
  }

private:
  struct Definition {
    uint64_t offset;
    Content content;
  };
  std::unordered_map<uint32_t, std::vector<Definition>> definitions_;
};

class StringPool : public Pool<std::string> {
public:
  void add(StringPoolView entries, uint64_t offset) {
    for (StringPoolEntry entry : entries)
      define(entry.id, std::string(entry.text), offset);
  }
};

class StackPool : public Pool<std::vector<uint64_t>> {
public:
  void add(StackPoolView entries, uint64_t offset) {
    for (StackPoolEntry entry : entries)
      define(entry.id, {entry.addresses.begin(), entry.addresses.end()}, offset);
  }
};

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

/// A visitor that keeps every frame.
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
