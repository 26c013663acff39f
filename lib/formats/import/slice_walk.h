// Turns slices sorted by thread and time into calls. A slice is a begin and an end, or both in one event.
#pragma once

#include "event_sorter.h"
#include "formats/byte_source.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace ada::formats {

/// Walks one thread after the other with a stack of open calls, which shows where the ends of whole slices belong among
/// the other events.
class SliceWalk {
public:
  /// LooseEvent::type.
  enum Type : uint8_t {
    kBegin,
    kComplete, ///< from timeNs to endNs
    kEnd,      ///< ends the innermost kBegin, or the innermost one of this function
    kEndByException,
    kEndInferred,
    kEndMissing, ///< an end is known to be missing
    kInstant,    ///< the text is the mark's name, '\0', and an object or nothing
  };
  /// LooseEvent::function of an end without a name.
  static constexpr uint32_t kNoName = ~uint32_t{0};
  /// Returns the function's number in the model. Called for each slice.
  using FunctionOf = std::function<uint32_t(uint32_t thread, uint32_t function)>;

  SliceWalk(TraceBuilder &out, model::LossList &lost, FunctionOf functionOf);
  ~SliceWalk();

  /// The text of all but kInstant is a JSON object, or nothing; its members become values of the call.
  void take(const LooseEvent &event, std::string_view text);
  /// Call when no more events of the thread come.
  void leave();

private:
  struct Open {
    uint32_t function;
    uint64_t endNs;
    bool isComplete;
  };
  struct Parsers;

  void put(model::Kind kind, uint64_t timeNs, uint32_t function);
  void putValues(uint64_t timeNs, std::string_view json);
  void open(const LooseEvent &event, uint64_t endNs, std::string_view text);
  void close(const LooseEvent &event, std::string_view text);
  void closeUntil(uint64_t timeNs, bool alsoAtOnce);

  static constexpr uint64_t kNever = ~uint64_t{0};
  static constexpr uint32_t kNone = ~uint32_t{0};
  TraceBuilder &out_;
  model::LossList &lost_;
  FunctionOf functionOf_;
  uint32_t thread_ = kNone;
  std::vector<Open> stack_;
  std::vector<size_t> complete_; // places of whole slices in it; the innermost ends first
  std::unique_ptr<Parsers> parsers_;
};

} // namespace ada::formats
