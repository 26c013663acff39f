// Describes a dial9 stream for `info`.
#include "operations.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ada::formats {

namespace {

struct TimeSpan {
  uint64_t low = ~uint64_t(0), high = 0;
  void add(uint64_t time) {
    low = std::min(low, time);
    high = std::max(high, time);
  }
  bool isEmpty() const { return low > high; }
};

class Dial9Info : public dial9::Visitor {
public:
  struct Type {
    std::string name, fields;
    uint64_t count = 0;
    TimeSpan times;
  };

  void onSegment(uint64_t) override { ++segments; }
  void onSchema(const dial9::Schema &schema, uint64_t) override {
    std::string fields;
    for (const dial9::Field &field : schema.fields())
      fields += fmt::format("{}{}: {}{}", fields.empty() ? "" : ", ", oneLine(field.name), typeName(field.type),
                            field.optional ? "?" : "");
    auto [found, isNew] = types.try_emplace({std::string(schema.name()), std::move(fields)});
    byId[schema.typeId()] = &found->second;
  }
  void onEvent(const dial9::EventView &event) override {
    Type &type = *byId[event.schema->typeId()];
    ++type.count;
    ++events;
    if (event.timestampNs) // symbol tables and the like have 0
      times.add(event.timestampNs);
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override { strings += entries.size(); }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override { stacks += entries.size(); }
  void onTimestampReset(uint64_t, uint64_t) override { ++resets; }
  void onAnnotations(uint64_t, dial9::AnnotationsView entries, uint64_t) override { annotations += entries.size(); }

  std::map<std::pair<std::string, std::string>, Type> types; // by name and fields
  std::unordered_map<uint16_t, Type *> byId;
  uint64_t segments = 1, events = 0, strings = 0, stacks = 0, resets = 0, annotations = 0;
  TimeSpan times;
};

} // namespace

Expected<Description> describeDial9(TraceLocation &place, bool absolute) {
  model::ByteInput &input = *place.bytes;
  Dial9Info info;
  const auto read = ADA_TRY(readDial9(input, info));
  if (!read.isUsable)
    return *read.problem;
  Description description;
  description.problem = read.problem;
  InfoSection &section = description.whole;
  const uint64_t bytes = input.size().value_or(input.position());
  section.title = fmt::format("{}: dial9-trace-format 1{}, {}", place.name(), input.isPacked() ? " in gzip" : "",
                              formatBytes(bytes));
  section.members.text("path", place.name()).text("format", "dial9").boolean("packed", input.isPacked());
  section.members.number("bytes", bytes);
  const auto field = [&](const char *label, std::string text, JsonMembers members) {
    section.fields.push_back({label, std::move(text), std::move(members)});
  };
  std::string events = formatCount(info.events);
  if (const TimeSpan &times = info.times; !times.isEmpty())
    events += " in " + formatRange(times.low, times.high, absolute ? std::nullopt : std::optional(times.low));
  field("events", std::move(events), JsonMembers().number("stream_events", info.events));
  field("segments", formatCount(info.segments), JsonMembers().number("segments", info.segments));
  field("pools", fmt::format("{} strings, {} stacks", formatCount(info.strings), formatCount(info.stacks)),
        JsonMembers().number("pooled_strings", info.strings).number("pooled_stacks", info.stacks));
  field("resets", formatCount(info.resets), JsonMembers().number("resets", info.resets));
  if (info.annotations)
    field("annotations", formatCount(info.annotations), JsonMembers().number("annotations", info.annotations));
  std::vector<const decltype(info.types)::value_type *> types;
  for (const auto &type : info.types)
    types.push_back(&type);
  std::ranges::stable_sort(types, std::ranges::greater(), [](const auto *type) { return type->second.count; });
  InfoTable table{.key = "event_types", .what = "event types", .heading = fmt::format("{:>14}  event type", "events")};
  for (const auto *type : types)
    table.rows.push_back({.text = fmt::format("{:>14}  ", formatCount(type->second.count)),
                          .name = oneLine(type->first.first),
                          .rest = fmt::format(" {{{}}}", type->first.second),
                          .members = JsonMembers()
                                         .text("name", type->first.first)
                                         .text("fields", type->first.second)
                                         .number("events", type->second.count)});
  section.tables.push_back(std::move(table));
  return description;
}

} // namespace ada::formats
