// Collects events until there are enough for a TraceSink::events().
#ifndef ADA_LIB_MODEL_CONVERT_BATCH_BUILDER_H
#define ADA_LIB_MODEL_CONVERT_BATCH_BUILDER_H

#include "ada/trace/model.h"

#include <memory>

namespace ada::model {

/// The last event stays here until the next one comes, so that details that
/// follow it can be added. Errors of the sink stick: everything after one is
/// ignored.
class BatchBuilder {
public:
  explicit BatchBuilder(TraceSink &sink) : sink(sink) {
    events.reserve(kEvents);
  }

  void add(const Event &event) {
    if (events.size() >= kEvents || copied >= kCopyBytes)
      flush();
    events.push_back(event);
  }
  /// A Mark or Value; copies the texts.
  void addText(Event event, std::string_view name, std::string_view json) {
    if (events.size() >= kEvents || copied >= kCopyBytes)
      flush();
    event.extra = static_cast<std::uint32_t>(texts.size());
    texts.push_back({copy(name), copy(json)});
    events.push_back(event);
  }
  bool hasLast() const noexcept { return !events.empty(); }
  const Event &last() const noexcept { return events.back(); }
  /// A detail of the last event, which must be there. False if it has as many
  /// as an event can have.
  bool addDetail(Detail detail, bool copyPayload);

  /// After this there is no last event.
  void flush();
  const Expected<void> &status() const noexcept { return state; }
  /// Takes an error of the sink that was not met here.
  void check(const Expected<void> &result) {
    if (state && !result)
      state = result;
  }

private:
  static constexpr std::size_t kEvents = 4096, kCopyBytes = 1 << 18;
  std::string_view copy(std::string_view text);

  TraceSink &sink;
  std::vector<Event> events;
  std::vector<Text> texts;
  std::vector<Detail> details;
  std::vector<std::unique_ptr<char[]>> blocks;
  std::size_t blockUsed = 0, blockSize = 0;
  std::size_t copied = 0;
  Expected<void> state;
};

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_BATCH_BUILDER_H
