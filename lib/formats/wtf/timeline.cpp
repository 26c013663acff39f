// Turns records, as they come, into zones and scopes, with a stack per zone.
#include "ada/trace/wtf/timeline.h"

#include "zone_tracker.h"

namespace ada::wtf {

TimelineVisitor::~TimelineVisitor() = default;

struct Timeline::State {
  explicit State(TimelineVisitor &visitor)
      : visitor(visitor), zones([this](const Zone &zone) { this->visitor.onZone(zone); },
                                [this](const Warning &warning) { this->visitor.onWarning(warning); }) {}

  struct Open {
    const EventType *type;
    uint64_t enterUs;
    std::string name; // empty if it is the type's
  };
  struct Stack {
    std::vector<Open> open;
    uint64_t lastUs = 0;
  };

  void take(Item &item);
  void close(Item &item, Stack &stack);

  TimelineVisitor &visitor;
  ZoneTracker zones;
  std::vector<Stack> stacks; // by Zone::index
  uint64_t lastUs = 0;
  bool announced = false; // the first zone was, although nothing created it
};

Timeline::Timeline(TimelineVisitor &visitor) : state_(std::make_unique<State>(visitor)) {}
Timeline::Timeline(Timeline &&) noexcept = default;
Timeline &Timeline::operator=(Timeline &&) noexcept = default;
Timeline::~Timeline() = default;

void Timeline::State::close(Item &item, Stack &stack) {
  Open &top = stack.open.back();
  item.depth = stack.open.size() - 1;
  item.enterUs = top.enterUs;
  item.scopeType = top.type;
  item.name = top.name.empty() ? std::string_view(top.type->name) : top.name;
  visitor.onItem(item);
  stack.open.pop_back();
}

void Timeline::State::take(Item &item) {
  Zone &zone = zones.current();
  if (zone.index == 0 && !zone.id && !announced) {
    announced = true;
    visitor.onZone(zone);
  }
  if (stacks.size() <= zone.index)
    stacks.resize(zone.index + 1);
  Stack &stack = stacks[zone.index];
  if (item.timeUs < stack.lastUs) {
    zone.outOfOrder = true;
    zones.warn("W_TIME_ORDER", "at byte " + std::to_string(item.record->offset) + ": a record of zone \"" + zone.name +
                                   "\" is earlier than the one before it; the zone needs sorting");
  }
  stack.lastUs = item.timeUs;
  lastUs = std::max(lastUs, item.timeUs);
  item.zone = &zone;
  item.depth = stack.open.size();
  switch (item.kind) {
  case ItemKind::Enter: {
    visitor.onItem(item);
    const bool ownName = item.scopeType->role == Role::ScopeEnter;
    stack.open.push_back({item.scopeType, item.timeUs, ownName ? std::string(item.name) : std::string()});
    return;
  }
  case ItemKind::Leave:
    if (!stack.open.empty())
      return close(item, stack);
    item.kind = ItemKind::StrayLeave;
    ++zone.strayLeaves;
    break;
  case ItemKind::AppendData:
    zone.lostData += stack.open.empty();
    break;
  default:
    break;
  }
  visitor.onItem(item);
}

void Timeline::onHeader(const FileHeader &header) { state_->visitor.onHeader(header); }
void Timeline::onWarning(const Warning &warning) { state_->visitor.onWarning(warning); }

void Timeline::onRecord(const Record &record) {
  if (!state_->zones.take(record))
    forEachItem(record, [this](Item &item) { state_->take(item); });
}

void Timeline::finish() {
  for (size_t index = 0; index < state_->stacks.size(); ++index) {
    State::Stack &stack = state_->stacks[index];
    while (!stack.open.empty()) {
      Item item;
      item.kind = ItemKind::Unclosed;
      item.zone = &state_->zones.zones[index];
      item.timeUs = state_->lastUs;
      state_->close(item, stack);
    }
  }
}

size_t Timeline::zoneCount() const noexcept { return state_->zones.zones.size(); }
const Zone &Timeline::zone(size_t index) const noexcept { return state_->zones.zones[index]; }
const Zone &Timeline::currentZone() const noexcept { return state_->zones.current(); }
std::optional<uint16_t> Timeline::currentId() const noexcept { return state_->zones.currentId(); }

} // namespace ada::wtf
