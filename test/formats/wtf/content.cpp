// What the wtf-trace tests compare.
#include "content.h"

#include <fstream>
#include <iterator>

namespace wtftest {

using namespace ada::wtf;

std::span<const std::byte> bytesOf(const std::string &text) { return std::as_bytes(std::span(text)); }

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Json toJson(const Arg &arg) {
  std::string text;
  appendJson(text, arg);
  return Json::parse(text);
}

Json argsOf(const Record &record) {
  Json args = Json::object();
  for (size_t i = 0; i < record.args.size(); ++i)
    args[record.type->argDefs[i].name] = toJson(record.args[i]);
  return args;
}

void Content::onRecord(const Record &record) {
  const auto zone = timeline_.currentId();
  records.push_back({{"off", record.offset},
                     {"wireId", record.type->wireId},
                     {"us", record.timeUs},
                     {"zone", zone ? Json(*zone) : Json()},
                     {"name", record.type->name},
                     {"args", argsOf(record)}});
  offsets.push_back(record.offset);
  timeline_.onRecord(record);
}

void Content::onDefinition(const EventType &type, bool isNew) {
  if (isNew)
    types.push_back({{"wireId", type.wireId},
                     {"eventClass", type.eventClass},
                     {"flags", type.flags},
                     {"name", type.name},
                     {"args", type.args.empty() ? Json() : Json(type.args)}});
}

void decode(const std::string &file, Content &content, size_t piece, DecoderOptions options) {
  Decoder decoder(content, options);
  if (piece == 0)
    piece = file.size() + 1;
  for (size_t at = 0; at < file.size(); at += piece)
    if (auto pushed = decoder.push(file.data() + at, std::min(piece, file.size() - at)); !pushed) {
      content.error = pushed.error();
      return;
    }
  if (auto finished = decoder.finish(); !finished)
    content.error = finished.error();
}

namespace {

/// The nodes from `first` on, with all their content. Trees in tests are shallow.
Json siblings(const ZoneTree &zone, uint32_t first) {
  Json list = Json::array();
  for (uint32_t at = first; at != kNoNode; at = zone.nodes[at].next) {
    const Node &node = zone.nodes[at];
    Json json = {{"name", node.name}};
    if (node.kind == Node::Kind::Mark || node.kind == Node::Kind::TimeStamp) {
      json["kind"] = node.kind == Node::Kind::Mark ? "mark" : "timestamp";
      json["timeUs"] = node.timeUs;
      json["value"] = toJson(zone.values[node.firstValue].arg());
    } else {
      for (uint32_t i = 0; i < node.valueCount; ++i)
        json["args"][node.type->argDefs[i].name] = toJson(zone.values[node.firstValue + i].arg());
      if (node.kind == Node::Kind::Scope) {
        json["kind"] = "scope";
        json["enterUs"] = node.timeUs;
        json["leaveUs"] = node.closed ? Json(node.leaveUs) : Json();
        json["children"] = siblings(zone, node.firstChild);
        for (uint32_t i = node.firstAdded; i != kNoNode; i = zone.added[i].next)
          json["appended"][std::string(zone.added[i].name)] = toJson(zone.values[zone.added[i].value].arg());
      } else {
        json["kind"] = "instance";
        json["timeUs"] = node.timeUs;
      }
    }
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace

Json toJson(const ZoneTree &zone) {
  Json unclosed = Json::array();
  for (uint32_t node : zone.unclosed)
    unclosed.push_back(zone.nodes[node].name);
  return {{"zoneId", zone.zone.id ? Json(*zone.zone.id) : Json()},
          {"name", zone.zone.id ? Json(zone.zone.name) : Json()},
          {"type", zone.zone.id ? Json(zone.zone.type) : Json()},
          {"location", zone.zone.id ? Json(zone.zone.location) : Json()},
          {"strayLeaves", zone.zone.strayLeaves},
          {"unclosedScopes", unclosed},
          {"tree", siblings(zone, zone.first)}};
}

ada::Expected<std::string> reencode(const std::string &file, std::optional<Dialect> dialect) {
  struct Copier : Visitor {
    std::string out;
    std::optional<Dialect> dialect;
    std::optional<Encoder> encoder;
    std::optional<ada::Error> error;
    void onHeader(const FileHeader &header) override {
      FileHeader changed = header;
      changed.dialect = dialect.value_or(header.dialect);
      auto begun = Encoder::begin(
          [this](std::span<const std::byte> bytes) {
            out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            return true;
          },
          changed, {.viewerRules = false});
      if (begun)
        encoder = std::move(*begun);
      else
        error = begun.error();
    }
    void onRecord(const Record &record) override {
      if (!encoder || error)
        return;
      if (auto written = encoder->event(record.type->wireId, record.timeUs, record.args); !written)
        error = written.error();
    }
  } copier;
  copier.dialect = dialect;
  Decoder decoder(copier);
  if (auto pushed = decoder.push(bytesOf(file)); !pushed)
    return pushed.error();
  if (auto finished = decoder.finish(); !finished)
    return finished.error();
  if (copier.error)
    return *copier.error;
  if (auto finished = copier.encoder->finish(); !finished)
    return finished.error();
  return copier.out;
}

HandMade &HandMade::u8(unsigned value) {
  bytes_ += static_cast<char>(value);
  return *this;
}
HandMade &HandMade::u16(unsigned value) {
  return big_ ? u8(value >> 8).u8(value & 255) : u8(value & 255).u8(value >> 8);
}
HandMade &HandMade::u32(uint32_t value) {
  return big_ ? u16(value >> 16).u16(value & 0xFFFF) : u16(value & 0xFFFF).u16(value >> 16);
}
HandMade &HandMade::ascii(const std::string &text) { return u16(static_cast<unsigned>(text.size())).raw(text); }
HandMade &HandMade::raw(const std::string &more) {
  bytes_ += more;
  return *this;
}

HandMade &HandMade::header(const std::string &context, const std::string &metadata) {
  const auto text = [this](const std::string &value) {
    u16(static_cast<unsigned>(value.size()));
    if (big_ && !value.empty())
      u16(static_cast<unsigned>(value.size()));
    raw(value);
  };
  u32(0xDEADBEEF).u32(0x8D742800).u32(3);
  text(context);
  u32(1).u32(1000).u32(0); // flags, timebase 1000 ms
  text(metadata);
  return *this;
}

HandMade &HandMade::define(unsigned wireId, unsigned eventClass, uint32_t flags, const std::string &name,
                           const std::string &args) {
  return record(1, 0).u16(wireId).u16(eventClass).u32(flags).ascii(name).ascii(args);
}

HandMade &HandMade::builtIns() {
  for (unsigned id : {3u, 4u, 5u, 6u, 8u, 9u, 14u, 15u}) {
    const BuiltIn &type = ada::wtf::builtIns()[id - 1];
    define(id, type.eventClass, type.flags, std::string(type.name), std::string(type.args));
  }
  return *this;
}

HandMade &HandMade::zone(unsigned id, const std::string &name, const std::string &location) {
  return record(3, 0).u16(id).ascii(name).ascii("script").ascii(location);
}

} // namespace wtftest
