// Finds which zone a record is in, and what it means there.
#pragma once

#include "ada/trace/wtf/timeline.h"

#include <deque>
#include <functional>
#include <unordered_map>

namespace ada::wtf {

/// Follows wtf.zone#create and wtf.zone#set.
class ZoneTracker {
public:
  using OnZone = std::function<void(const Zone &)>;
  using OnWarning = std::function<void(const Warning &)>;
  ZoneTracker(OnZone onZone, OnWarning onWarning);

  /// True if the record is about types or zones. It is consumed then, and is not an item of the timeline.
  bool take(const Record &record);

  Zone &current() { return zones[currentIndex_]; }
  std::optional<uint16_t> currentId() const { return lastSet_; }

  std::deque<Zone> zones; // the first one is there from the start, without id and name
  void warn(const char *code, std::string message);

private:
  void create(const Record &record);
  void set(const Record &record);
  void name(Zone &zone, const Record &record);

  OnZone onZone_;
  OnWarning onWarning_;
  std::unordered_map<uint16_t, uint32_t> byId_;
  std::unordered_map<std::string, uint32_t> byTriple_;
  std::vector<bool> nameless_; // zones that were used before they were created
  uint32_t currentIndex_ = 0;
  std::optional<uint16_t> lastSet_;
  std::vector<std::string> warned_;
};

/// Calls `f(item)` with each item that the record stands for. The item has kind, name, value, time, record and
/// scopeType; the caller takes care of the stack.
void forEachItem(const Record &record, const std::function<void(Item &)> &f);

} // namespace ada::wtf
