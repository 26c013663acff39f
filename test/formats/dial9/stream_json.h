// Frames as the JSON of the test vectors, and the vectors' operations as calls of the encoder.
#pragma once

#include "owned.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace ada::dial9::test {

using Json = nlohmann::json;

/// Text, or {"hex": ...} if it is not UTF-8.
Json textJson(std::string_view text);
Json hexJson(std::string_view bytes);
Json valueJson(const Value &value);

/// Collects the frames as JSON.
class JsonVisitor : public Visitor {
public:
  std::vector<Json> frames;
  StringPool strings; ///< of the segment
  StackPool stacks;

  void onSchema(const Schema &schema, uint64_t offset) override;
  void onEvent(const EventView &event) override;
  void onStringPool(StringPoolView entries, uint64_t offset) override;
  void onStackPool(StackPoolView entries, uint64_t offset) override;
  void onTimestampReset(uint64_t timestampNs, uint64_t offset) override;
  void onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t offset) override;
  void onSegment(uint64_t offset) override;
};

/// The frames of an owned trace as the same JSON.
Json frameJson(const Frame &frame);

/// The answer of a decoder.
struct Answer {
  std::vector<Json> frames;
  DecodeStatus status;
};

/// The number of bytes to push next.
using ChunkSizes = std::function<size_t()>;

Answer decode(std::span<const uint8_t> bytes, DecoderOptions options, const ChunkSizes &sizes);
Answer decode(std::span<const uint8_t> bytes, DecoderOptions options = {});

/// "ok", "truncated", "error"
std::string_view outcomeName(Outcome outcome);

/// Runs the operations of a vector.
EncodeError encodeOps(Encoder &encoder, const Json &operations);

} // namespace ada::dial9::test
