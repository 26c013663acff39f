// Every frame of a dial9 stream, as text or JSON.
#include "event_json.h"
#include "operations.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/text.h"

#include <unordered_map>

namespace ada::formats {

namespace {

class Dial9Dump : public dial9::Visitor {
public:
  Dial9Dump(const RawDumpOptions &options, const RawDumpOutput &out)
      : options_(options), out_(out),
        pools_{[this](uint32_t id) { return find(texts_, id); }, [this](uint32_t id) { return find(stacks_, id); }} {}

  void onSegment(uint64_t offset) override {
    texts_.clear();
    stacks_.clear();
    frame("segment", offset, [](JsonMembers &) {}, [&] { return fmt::format("at byte {}", offset); });
  }

  void onSchema(const dial9::Schema &schema, uint64_t offset) override {
    frame(
        "schema", offset,
        [&](JsonMembers &json) {
          json.number("type_id", schema.typeId()).text("name", schema.name());
          json.boolean("has_timestamp", schema.hasTimestamp()).beginArray("fields");
          for (const dial9::Field &field : schema.fields()) {
            json.beginObject().text("name", field.name).text("type", typeName(field.type));
            (field.optional ? json.boolean("optional", true) : json).endObject();
          }
          json.endArray();
        },
        [&] {
          std::string text;
          for (const dial9::Field &field : schema.fields())
            text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", oneLine(field.name), typeName(field.type),
                                field.optional ? "?" : "");
          return fmt::format("{} {}{} {{{}}}", schema.typeId(), oneLine(schema.name()),
                             schema.hasTimestamp() ? "" : " (no time)", text);
        });
  }

  void onEvent(const dial9::EventView &event) override;

  void onStringPool(dial9::StringPoolView entries, uint64_t offset) override {
    for (const dial9::StringPoolEntry entry : entries) {
      texts_[entry.id] = entry.text;
      frame(
          "string", offset, [&](JsonMembers &json) { json.number("id", entry.id).text("text", entry.text); },
          [&] { return fmt::format("{} {}", entry.id, jsonString(entry.text)); });
    }
  }

  void onStackPool(dial9::StackPoolView entries, uint64_t offset) override {
    for (const dial9::StackPoolEntry entry : entries) {
      stacks_[entry.id].assign(entry.addresses.begin(), entry.addresses.end());
      std::string text;
      appendJson(text, dial9::Value::stackFrames(entry.addresses), pools_);
      frame(
          "stack", offset, [&](JsonMembers &json) { json.number("id", entry.id).json("addresses", text); },
          [&] { return fmt::format("{} {}", entry.id, text); });
    }
  }

  void onTimestampReset(uint64_t timestampNs, uint64_t offset) override {
    frame(
        "reset", offset, [&](JsonMembers &json) { json.number("ts", timestampNs); },
        [&] { return fmt::format("to {} ns", timestampNs); });
  }

  void onAnnotations(uint64_t typeId, dial9::AnnotationsView entries, uint64_t offset) override {
    for (const dial9::Annotation entry : entries)
      frame(
          "annotation", offset,
          [&](JsonMembers &json) {
            json.number("type_id", typeId).number("field", entry.fieldIndex);
            json.text("key", entry.key).text("value", entry.value);
          },
          [&] {
            return fmt::format("type {} field {} {}: {}", typeId, entry.fieldIndex, oneLine(entry.key),
                               jsonString(entry.value));
          });
  }

private:
  template <class Map> static const typename Map::mapped_type *find(const Map &map, uint32_t id) {
    const auto found = map.find(id);
    return found == map.end() ? nullptr : &found->second;
  }
  // With a time range, only events are shown.
  template <class Members, class Text>
  void frame(std::string_view what, uint64_t offset, Members &&members, Text &&text) {
    if (options_.range)
      return;
    if (!options_.json)
      return out_.text(fmt::format("{:>19} {:<10} {}\n", "", what, text()));
    JsonMembers json;
    json.text("frame", what).number("offset", offset);
    members(json);
    out_.text(json.object() + "\n");
  }

  const RawDumpOptions &options_;
  const RawDumpOutput &out_;
  Dial9Pools pools_;
  std::unordered_map<uint32_t, std::string> texts_;
  std::unordered_map<uint32_t, std::vector<uint64_t>> stacks_;
  std::optional<TimeRange> range_;
  std::string line_;
};

} // namespace

void Dial9Dump::onEvent(const dial9::EventView &event) {
  if (options_.range && !range_ && event.hasTimestamp())
    range_ = options_.range(event.timestampNs);
  if (options_.range && (!event.hasTimestamp() || !range_->holds(event.timestampNs)))
    return;
  line_.clear();
  if (options_.json) {
    JsonText json(line_);
    json.beginObject().text("frame", "event").number("offset", event.offset).number("type_id", event.schema->typeId());
    json.text("name", event.schema->name());
    if (event.hasTimestamp())
      json.number("ts", event.timestampNs);
    json.json("fields", "");
    appendFields(line_, event, pools_);
    json.endObject();
    line_ += '\n';
    out_.text(line_);
    return;
  }
  if (event.hasTimestamp())
    line_ += fmt::format("{:>9}.{:09} ", event.timestampNs / 1'000'000'000, event.timestampNs % 1'000'000'000);
  else
    line_ += fmt::format("{:>19} ", "-");
  line_ += oneLine(event.schema->name());
  const auto fields = event.schema->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    line_ += ' ';
    line_ += oneLine(fields[i].name);
    line_ += '=';
    appendJson(line_, event.values[i], pools_);
  }
  line_ += '\n';
  out_.text(line_);
}

Expected<ReadOutcome> dumpDial9(TraceLocation &place, const RawDumpOptions &options, const RawDumpOutput &out) {
  Dial9Dump dump(options, out);
  return readDial9(*place.bytes, dump);
}

} // namespace ada::formats
