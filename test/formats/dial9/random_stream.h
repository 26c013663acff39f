// Random streams, written by a second, plain writer, together with their content.
// The writer shares nothing with the library's encoder.
#pragma once

#include "ada/trace/dial9.h"

#include <deque>
#include <map>
#include <random>

namespace ada::dial9::test {

/// A frame with its intended meaning.
struct Meant {
  FrameTag kind;
  std::shared_ptr<const Schema> schema; // Schema, Event
  uint64_t number = 0;                  // time of an event or reset; type id of annotations
  std::vector<Value> values;
  std::vector<StringPoolEntry> strings;
  std::vector<StackPoolEntry> stacks;
  std::vector<Annotation> annotations;
  bool implied = false; ///< a reset that an encoder adds by itself
};

/// Canonical: what an encoder writes. Free: what a decoder must accept as well, such as longer varints than needed,
/// other bytes for true, and unnecessary resets.
enum class Writing : uint8_t { Canonical, Free };

class RandomStream {
public:
  RandomStream(uint32_t seed, Writing style, Dialect allowed);

  std::vector<uint8_t> bytes;
  std::vector<Meant> frames;

private:
  template <class T> T below(T end) { return std::uniform_int_distribution<T>(0, end - 1)(random_); }
  bool chance(unsigned oneIn) { return below(oneIn) == 0; }
  uint64_t number();
  std::string_view text();
  std::span<const uint64_t> stack();
  FieldType fieldType();
  Value value(FieldType type, int depth);

  void header();
  void schema();
  void schemaAgain();
  void event();
  void stringPool();
  void stackPool();
  void reset(uint64_t time);
  void annotations();

  void little(uint64_t number, int size);
  void varint(uint64_t number);
  void counted(std::string_view text, int size);
  void raw(std::string_view text);
  void addresses(AddressList list);
  void writeSchema(const Schema &schema);
  void writeValue(const Value &value);

  std::mt19937 random_;
  Writing style_;
  Dialect dialect_;
  uint64_t base_ = 0;
  std::map<uint16_t, std::shared_ptr<const Schema>> types_;
  // Memory that the values point to.
  std::deque<std::string> texts_;
  std::deque<std::vector<uint64_t>> stackStore_;
  std::deque<std::vector<StringPair>> mapStore_;
  std::deque<std::vector<Value>> listStore_;
  std::deque<std::vector<ValuePair>> entryStore_;
};

/// Makes the encoder calls that the stream means.
EncodeError encodeMeant(Encoder &encoder, const Meant &frame);

/// Compares a decoder's output with the intended meaning.
class MeantVisitor : public Visitor {
public:
  explicit MeantVisitor(std::span<const Meant> expected) : frames_(expected) {}
  bool complete() const { return right_ && next_ == frames_.size(); }

  void onSchema(const Schema &schema, uint64_t offset) override;
  void onEvent(const EventView &event) override;
  void onStringPool(StringPoolView entries, uint64_t offset) override;
  void onStackPool(StackPoolView entries, uint64_t offset) override;
  void onTimestampReset(uint64_t timestampNs, uint64_t offset) override;
  void onAnnotations(uint64_t typeId, AnnotationsView entries, uint64_t offset) override;
  void onSegment(uint64_t offset) override;

private:
  const Meant *expect(FrameTag kind);
  void check(bool same) { right_ = right_ && same; }

  std::span<const Meant> frames_;
  size_t next_ = 0;
  bool right_ = true;
};

} // namespace ada::dial9::test
