// Finds the events in Chrome's trace JSON, however large it is.
#pragma once

#include "ada/trace/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ada::formats {

/// Cuts the text at the braces of its events without looking inside them. The text is an array of events, or an object
/// with such an array as `traceEvents`. An array may end anywhere between two events, because Chrome leaves it like
/// that. Memory: one event.
class EventSplitter {
public:
  struct Visitor {
    virtual ~Visitor() = default;
    /// An object of the array, valid during the call. Return false to stop.
    virtual bool onEvent(std::string_view json, uint64_t offset) = 0;
    /// Another member of the outer object: `"name":value`. Long ones come without their value.
    virtual void onMember(std::string_view name, std::string_view json) = 0;
    /// Something other than an object where an event should be, or an event that is too long.
    virtual void onUnusable(uint64_t offset) = 0;
  };
  explicit EventSplitter(Visitor &visitor, size_t mostEventBytes = 16 << 20)
      : visitor_(visitor), mostEventBytes_(mostEventBytes) {}

  /// Takes the next bytes, in pieces of any size. False if the visitor stopped, or there is a problem().
  bool push(std::string_view bytes);
  /// Call after the last bytes.
  void finish();

  bool foundEvents() const { return foundEvents_; } ///< there is a list of events, even if it is empty
  /// Why reading ended early: E_BAD_JSON, E_TRUNCATED.
  const std::optional<Error> &problem() const { return problem_; }

private:
  enum class State : uint8_t { Begin, Events, Event, Skipped, Members, Key, Colon, Value, Collected, Done };

  bool step(char c);
  void openValue(char c);
  bool closeEvent();
  void fail(const char *code, std::string message);

  Visitor &visitor_;
  size_t mostEventBytes_;
  State state_ = State::Begin;
  bool isObject_ = false, foundEvents_ = false;
  bool isInString_ = false, isEscaped_ = false, isTooLong_ = false, isStopped_ = false;
  uint64_t depth_ = 0; // within the event or value
  uint64_t offset_ = 0, eventAt_ = 0;
  std::string text_; // of the event, or the value
  std::string key_;
  std::optional<Error> problem_;
};

} // namespace ada::formats
