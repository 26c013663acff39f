// Finds where a frame ends and whether it is correct, in bytes that arrive in pieces of any size.
//
// The decoder's fast path handles only events that are complete and correct; everything else is decided here. A scan
// keeps its place between calls, so a frame that arrives byte by byte costs no more than one that arrives at once.
#pragma once

#include "plan.h"
#include "value_scan.h"

#include "ada/trace/dial9/decoder.h"

namespace ada::dial9 {

/// What a decoder knows about one type.
struct DecoderType {
  explicit DecoderType(std::shared_ptr<const Schema> schema);

  Plan plan;
  /// One per field, with its type already filled in: decoding an event stores only numbers and addresses.
  std::vector<Value> values;
  /// What the visitor sees. Everything except time and offset is always the same.
  EventView view;
};

/// What the frames so far have established. Only complete frames change it.
struct StreamState {
  uint64_t base = 0;
  TypeTable<DecoderType> types;
};

class FrameScan {
public:
  explicit FrameScan(Dialect allowed) : dialect_(allowed) {}

  /// The next bytes are the stream's header.
  void beginHeader() { begin(Step::Header); }
  /// The next bytes are a frame.
  void beginFrame() { begin(Step::Tag); }

  /// `frame` must begin with the frame's first byte each time; `size` grows. On Done, `place().position` is the frame's
  /// size.
  Scan run(const uint8_t *frame, size_t size, const StreamState &stream);
  const ScanState &place() const { return state_; }

private:
  enum class Step : uint8_t {
    Header,
    Tag,
    SchemaHead,
    SchemaField,
    EventHead,
    EventField,
    EventContainer,
    StringPoolHead,
    StringPoolEntry,
    StackPoolHead,
    StackPoolEntry,
    Reset,
    AnnotationsHead,
    Annotation,
    Segment,
    End,
  };

  void begin(Step first) {
    step_ = first;
    state_ = {};
    state_.missing = 1;
  }
  Scan single(const uint8_t *frame, size_t size, const StreamState &stream);
  Scan tag(uint8_t tag);
  Scan header(const uint8_t *frame, size_t size, DecodeError otherBytes);
  Scan schemaHead(const uint8_t *p, size_t left);
  Scan schemaField(const uint8_t *p, size_t left);
  Scan eventHead(const uint8_t *p, size_t left, const StreamState &stream);
  Scan eventField(const uint8_t *frame, size_t size);
  Scan poolHead(const uint8_t *p, size_t left, Step entries);
  Scan poolEntry(const uint8_t *p, size_t left, size_t unit);
  Scan annotationsHead(const uint8_t *p, size_t left);
  Scan annotation(const uint8_t *p, size_t left);
  Scan advance(size_t bytes, Step next);
  /// One item of `remaining_` is done.
  Scan advanceItem(size_t bytes);

  Dialect dialect_;
  Step step_ = Step::Header;
  ScanState state_;
  uint64_t remaining_ = 0;            // entries or fields still to come
  const DecoderType *type_ = nullptr; // of an event
  ContainerScan container_;
};

} // namespace ada::dial9
