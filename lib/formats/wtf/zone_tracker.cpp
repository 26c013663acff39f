// Finds which zone a record is in, and what it means there.
#include "zone_tracker.h"

#include <algorithm>

namespace ada::wtf {
namespace {

std::string_view textOf(const Record &record, std::string_view argName) {
  const int index = record.type->indexOf(argName);
  return index < 0 ? std::string_view() : record.args[static_cast<size_t>(index)].text;
}

Arg valueOf(const Record &record) {
  const int index = record.type->indexOf("value");
  return index < 0 ? Arg::null(ArgType::Any) : record.args[static_cast<size_t>(index)];
}

uint16_t zoneIdOf(const Record &record) {
  return static_cast<uint16_t>(record.args[static_cast<size_t>(record.type->indexOf("zoneId"))].bits);
}

} // namespace

ZoneTracker::ZoneTracker(OnZone onZone, OnWarning onWarning)
    : onZone_(std::move(onZone)), onWarning_(std::move(onWarning)) {
  zones.emplace_back();
  nameless_.push_back(true);
}

void ZoneTracker::warn(const char *code, std::string message) {
  if (std::find(warned_.begin(), warned_.end(), code) != warned_.end())
    return;
  warned_.push_back(code);
  onWarning_({code, std::move(message)});
}

bool ZoneTracker::take(const Record &record) {
  switch (record.type->role) {
  case Role::ZoneCreate:
    create(record);
    return true;
  case Role::ZoneSet:
    set(record);
    return true;
  case Role::Define:
  case Role::ZoneDelete: // all readers keep the number usable
    return true;
  default:
    return false;
  }
}

void ZoneTracker::name(Zone &zone, const Record &record) {
  zone.id = zoneIdOf(record);
  zone.name = textOf(record, "name");
  zone.type = textOf(record, "type");
  zone.location = textOf(record, "location");
  nameless_[zone.index] = false;
  byId_[*zone.id] = zone.index;
  onZone_(zone);
}

void ZoneTracker::create(const Record &record) {
  const uint16_t id = zoneIdOf(record);
  std::string triple;
  for (std::string_view part : {"name", "type", "location"}) {
    const std::string_view text = textOf(record, part);
    triple += std::to_string(text.size()) + ':';
    triple += text;
  }
  const auto same = byTriple_.find(triple);
  if (const auto known = byId_.find(id); known != byId_.end()) {
    if (same != byTriple_.end() && same->second == known->second)
      return; // created once more, as in real files
    if (nameless_[known->second]) {
      name(zones[known->second], record);
      byTriple_.emplace(std::move(triple), known->second);
      return;
    }
  }
  if (same != byTriple_.end())
    warn("W_SAME_ZONE",
         "at byte " + std::to_string(record.offset) + ": zones " + std::to_string(*zones[same->second].id) + " and " +
             std::to_string(id) +
             " have the same name, type and location; they are kept apart here, but viewers mix them up");
  uint32_t index = 0;
  if (zones.front().id) { // otherwise events before this one belong to
                          // the first zone that is created
    index = static_cast<uint32_t>(zones.size());
    zones.emplace_back().index = index;
    nameless_.push_back(true);
  }
  name(zones[index], record);
  byTriple_.insert_or_assign(std::move(triple), index);
}

void ZoneTracker::set(const Record &record) {
  const uint16_t id = zoneIdOf(record);
  auto known = byId_.find(id);
  if (known == byId_.end()) {
    warn("W_UNKNOWN_ZONE", "at byte " + std::to_string(record.offset) + ": the file switches to zone " +
                               std::to_string(id) + ", which it did not create; viewers fail here");
    const auto index = static_cast<uint32_t>(zones.size());
    Zone &zone = zones.emplace_back();
    zone.index = index;
    zone.id = id;
    nameless_.push_back(true);
    known = byId_.emplace(id, index).first;
    onZone_(zone);
  }
  currentIndex_ = known->second;
  lastSet_ = id;
}

void forEachItem(const Record &record, const std::function<void(Item &)> &f) {
  const EventType &type = *record.type;
  Item item;
  item.timeUs = record.timeUs;
  item.record = &record;
  item.name = type.name;
  switch (type.role) {
  case Role::ScopeLeave:
    item.kind = ItemKind::Leave;
    break;
  case Role::Mark:
  case Role::TimeStamp:
  case Role::AppendData:
    item.kind = type.role == Role::Mark        ? ItemKind::Mark
                : type.role == Role::TimeStamp ? ItemKind::TimeStamp
                                               : ItemKind::AppendData;
    item.name = textOf(record, "name");
    item.value = valueOf(record);
    break;
  default:
    if (type.isScope()) {
      item.kind = ItemKind::Enter;
      item.scopeType = &type;
      if (const std::string_view name = type.role == Role::ScopeEnter ? textOf(record, "name") : ""; !name.empty())
        item.name = name;
    } else if (type.flags & kAppendScopeData) { // all its arguments become the scope's
      item.kind = ItemKind::AppendData;
      for (size_t i = 0; i < record.args.size(); ++i) {
        item.name = type.argDefs[i].name;
        item.value = record.args[i];
        f(item);
      }
      return;
    }
    break;
  }
  f(item);
}

} // namespace ada::wtf
