//===- dump_dial9.cpp - adatrace dump for dial9 streams -------------------===//
#include "exit_codes.h"
#include "foreign_file.h"
#include "json_text.h"

#include "ada/trace/dial9/gzip.h"
#include "model/convert/dial9_json.h"

#include <unordered_map>

namespace ada::cli {

namespace {

class Dial9Dump : public dial9::Visitor {
public:
  Dial9Dump(const ForeignDumpOptions &options, Output &out)
      : options(options), out(out),
        pools{[this](uint32_t id) { return find(texts, id); },
              [this](uint32_t id) { return find(stacks, id); }} {}

  void onSegment(uint64_t offset) override {
    texts.clear();
    stacks.clear();
    if (options.json)
      frame("segment", offset, "");
    else
      frame("segment", offset, fmt::format("at byte {}", offset));
  }

  void onSchema(const dial9::Schema &schema, uint64_t offset) override {
    std::string text;
    for (const dial9::Field &field : schema.fields()) {
      text += text.empty() ? "" : options.json ? "," : ", ";
      text +=
          options.json
              ? fmt::format("{{\"name\":{},\"type\":\"{}\"{}}}",
                            jsonText(field.name), typeName(field.type),
                            field.optional ? ",\"optional\":true" : "")
              : fmt::format("{}: {}{}", oneLine(field.name),
                            typeName(field.type), field.optional ? "?" : "");
    }
    if (options.json)
      frame("schema", offset,
            fmt::format(",\"type_id\":{},\"name\":{},\"has_timestamp\":{},"
                        "\"fields\":[{}]",
                        schema.typeId(), jsonText(schema.name()),
                        schema.hasTimestamp(), text));
    else
      frame("schema", offset,
            fmt::format("{} {}{} {{{}}}", schema.typeId(),
                        oneLine(schema.name()),
                        schema.hasTimestamp() ? "" : " (no time)", text));
  }

  void onEvent(const dial9::EventView &event) override;

  void onStringPool(dial9::StringPoolView entries, uint64_t offset) override {
    for (const dial9::StringPoolEntry entry : entries) {
      texts[entry.id] = entry.text;
      if (options.json)
        frame("string", offset,
              fmt::format(",\"id\":{},\"text\":{}", entry.id,
                          jsonText(entry.text)));
      else
        frame("string", offset,
              fmt::format("{} {}", entry.id, jsonText(entry.text)));
    }
  }

  void onStackPool(dial9::StackPoolView entries, uint64_t offset) override {
    for (const dial9::StackPoolEntry entry : entries) {
      stacks[entry.id].assign(entry.addresses.begin(), entry.addresses.end());
      std::string text;
      model::appendJson(text, dial9::Value::stackFrames(entry.addresses),
                        pools);
      if (options.json)
        frame("stack", offset,
              fmt::format(",\"id\":{},\"addresses\":{}", entry.id, text));
      else
        frame("stack", offset, fmt::format("{} {}", entry.id, text));
    }
  }

  void onTimestampReset(uint64_t timestampNs, uint64_t offset) override {
    if (options.json)
      frame("reset", offset, fmt::format(",\"ts\":{}", timestampNs));
    else
      frame("reset", offset, fmt::format("to {} ns", timestampNs));
  }

  void onAnnotations(uint64_t typeId, dial9::AnnotationsView entries,
                     uint64_t offset) override {
    for (const dial9::Annotation entry : entries)
      if (options.json)
        frame(
            "annotation", offset,
            fmt::format(",\"type_id\":{},\"field\":{},\"key\":{},\"value\":{}",
                        typeId, entry.fieldIndex, jsonText(entry.key),
                        jsonText(entry.value)));
      else
        frame("annotation", offset,
              fmt::format("type {} field {} {}: {}", typeId, entry.fieldIndex,
                          oneLine(entry.key), jsonText(entry.value)));
  }

private:
  template <class Map>
  static const typename Map::mapped_type *find(const Map &map, uint32_t id) {
    const auto found = map.find(id);
    return found == map.end() ? nullptr : &found->second;
  }
  // With a range of time nothing but events is shown.
  void frame(std::string_view what, uint64_t offset, const std::string &text) {
    if (!options.input.from.empty() || !options.input.to.empty())
      return;
    if (options.json)
      out.print("{{\"frame\":\"{}\",\"offset\":{}{}}}\n", what, offset, text);
    else
      out.print("{:>19} {:<10} {}\n", "", what, text);
  }

  const ForeignDumpOptions &options;
  Output &out;
  model::Dial9Pools pools;
  std::unordered_map<uint32_t, std::string> texts;
  std::unordered_map<uint32_t, std::vector<uint64_t>> stacks;
  std::optional<ForeignRange> range;
  std::string line;
};

} // namespace

void Dial9Dump::onEvent(const dial9::EventView &event) {
  if (!range && event.hasTimestamp())
    range = rangeOf(options.input, event.timestampNs);
  const bool isLimited =
      !options.input.from.empty() || !options.input.to.empty();
  if (isLimited && (!event.hasTimestamp() || !range->holds(event.timestampNs)))
    return;
  line.clear();
  if (options.json) {
    line += fmt::format(
        "{{\"frame\":\"event\",\"offset\":{},\"type_id\":{},\"name\":{}",
        event.offset, event.schema->typeId(), jsonText(event.schema->name()));
    if (event.hasTimestamp())
      line += fmt::format(",\"ts\":{}", event.timestampNs);
    line += ",\"fields\":";
    model::appendFields(line, event, pools);
    line += "}\n";
    out.write(line);
    return;
  }
  if (event.hasTimestamp())
    line += fmt::format("{:>9}.{:09} ", event.timestampNs / 1'000'000'000,
                        event.timestampNs % 1'000'000'000);
  else
    line += fmt::format("{:>19} ", "-");
  line += oneLine(event.schema->name());
  const auto fields = event.schema->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    line += ' ';
    line += oneLine(fields[i].name);
    line += '=';
    model::appendJson(line, event.values[i], pools);
  }
  line += '\n';
  out.write(line);
}

int dumpDial9(model::ByteInput &input, const ForeignDumpOptions &options) {
  Output out;
  Dial9Dump dump(options, out);
  dial9::UnzippingDecoder decoder(dump);
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    return decoder.push(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  });
  out.flush();
  if (!read)
    return fail(kCantRead, "{}", read.error().text());
  const dial9::DecodeStatus status = decoder.status();
  if (status.ok())
    return kOk;
  Error error = status.toError();
  error.file = input.name();
  return fail(status.offset < dial9::kHeaderBytes ? kCantRead : kProblemsFound,
              "{}", error.text());
}

} // namespace ada::cli
