// Reads track events and their annotations.
#include "formats/import/slice_walk.h"
#include "packet_reader.h"

namespace ada::formats::perfetto {

// Reads one member of an object, or one element of an array if `about` is null and it has no name.
void PacketReader::annotate(pbf_reader annotation, const Sequence &sequence, JsonMembers &out, Annotations *about,
                            unsigned depth) {
  constexpr unsigned kDeepest = 32;
  std::optional<std::string_view> name;
  std::string json;
  const auto text = [&](std::string_view value) { appendJsonString(json, value); };
  using Type = protozero::pbf_wire_type;
  JsonMembers members, elements;
  bool hasMembers = false, hasElements = false;
  std::string_view plain;
  while (annotation.next())
    switch (annotation.tag_and_type()) {
    case protozero::tag_and_type(1, Type::varint):
      if (const auto found = sequence.annotationNames.find(annotation.get_uint64());
          found != sequence.annotationNames.end())
        name = found->second;
      break;
    case protozero::tag_and_type(10, Type::length_delimited):
      name = viewOf(annotation);
      break;
    case protozero::tag_and_type(2, Type::varint):
      json = annotation.get_bool() ? "true" : "false";
      break;
    case protozero::tag_and_type(3, Type::varint):
      json = std::to_string(annotation.get_uint64());
      break;
    case protozero::tag_and_type(4, Type::varint):
      json = std::to_string(annotation.get_int64());
      break;
    case protozero::tag_and_type(5, Type::fixed64):
      JsonText(json).real({}, annotation.get_double());
      break;
    case protozero::tag_and_type(6, Type::length_delimited):
      plain = viewOf(annotation);
      text(plain);
      break;
    case protozero::tag_and_type(7, Type::varint):
      JsonText(json).hex({}, annotation.get_uint64());
      break;
    case protozero::tag_and_type(9, Type::length_delimited):
      if (const std::string_view raw = viewOf(annotation); isJson(raw)) {
        json.resize(raw.size());
        size_t size = 0;
        if (simdjson::minify(raw.data(), raw.size(), json.data(), size))
          size = 0;
        json.resize(size);
      } else {
        text(raw);
      }
      break;
    case protozero::tag_and_type(11, Type::length_delimited):
    case protozero::tag_and_type(12, Type::length_delimited): {
      const bool isMember = annotation.tag() == 11;
      (isMember ? hasMembers : hasElements) = true;
      const pbf_reader inner = annotation.get_message();
      if (depth < kDeepest)
        annotate(inner, sequence, isMember ? members : elements, nullptr, depth + 1);
      break;
    }
    case protozero::tag_and_type(17, Type::varint):
      if (const auto found = sequence.texts.find(annotation.get_uint64()); found != sequence.texts.end())
        text(found->second);
      break;
    default:
      annotation.skip();
    }
  if (hasMembers)
    json = members.object();
  else if (hasElements)
    json = "[" + elements.list() + "]";
  if (json.empty())
    return;
  if (about && name == "end" &&
      (plain == "exception" || plain == "inferred" || plain == "missing" || plain == "return")) {
    about->end = plain;
    return;
  }
  out.json(name ? TextPiece(*name) : TextPiece(), json);
}

enum EventType : uint64_t { kNoType = 0, kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

// Chrome's older events have a letter instead.
static EventType phaseType(char phase) {
  switch (phase) {
  case 'B':
  case 'X':
    return kBegin;
  case 'E':
    return kEnd;
  case 'I':
  case 'i':
  case 'R':
    return kInstant;
  default:
    return kNoType;
  }
}

// Long because it is one list of fields and what follows from them.
void PacketReader::addEvent(pbf_reader fields, uint64_t timeNs, Sequence &sequence) {
  using Type = protozero::pbf_wire_type;
  uint64_t type = 0, durationUs = 0;
  char phase = 0;
  std::optional<uint64_t> track;
  std::optional<uint32_t> name;
  Annotations annotations;
  JsonMembers members;
  bool hasMembers = false;
  const auto nameById = [&](uint64_t id) {
    const auto found = sequence.eventNames.find(id);
    return found == sequence.eventNames.end() ? nameOf("name " + std::to_string(id)) : found->second;
  };
  while (fields.next())
    switch (fields.tag_and_type()) {
    case protozero::tag_and_type(4, Type::length_delimited):
      hasMembers = true;
      annotate(fields.get_message(), sequence, members, &annotations, 0);
      break;
    case protozero::tag_and_type(6, Type::length_delimited):
      for (pbf_reader legacy = fields.get_message(); legacy.next();)
        if (legacy.tag_and_type() == protozero::tag_and_type(1, Type::varint))
          name = name ? *name : nameById(legacy.get_uint64());
        else if (legacy.tag_and_type() == protozero::tag_and_type(2, Type::varint))
          phase = static_cast<char>(legacy.get_int32());
        else if (legacy.tag_and_type() == protozero::tag_and_type(3, Type::varint))
          durationUs = static_cast<uint64_t>(legacy.get_int64());
        else
          legacy.skip();
      break;
    case protozero::tag_and_type(9, Type::varint):
      type = fields.get_uint64();
      break;
    case protozero::tag_and_type(10, Type::varint):
      name = nameById(fields.get_uint64());
      break;
    case protozero::tag_and_type(11, Type::varint):
      track = fields.get_uint64();
      break;
    case protozero::tag_and_type(23, Type::length_delimited):
      name = nameOf(viewOf(fields));
      break;
    default:
      fields.skip();
    }
  if (type == 0 && phase)
    type = phaseType(phase);
  if (type == kCounter)
    return lost_.add("counters");
  if (type < kBegin || type > kCounter)
    return lost_.add("track events that are neither slices nor instants");
  LooseEvent event;
  event.timeNs = event.endNs = timeNs;
  if (!track)
    track = sequence.defaultTrack;
  event.thread = track ? trackOf(*track) : sequence.threadTrack != kNoTrack ? sequence.threadTrack : trackOf(0);
  if (tracks_[event.thread].isOffCpu) { // not a call, and the model has off-CPU times from sessions only
    ++usable;
    return lost_.add("off-CPU times: only sessions are read with them", type == kBegin);
  }
  tracks_[event.thread].hasEvents = true;
  std::string text = hasMembers ? members.object() : std::string();
  if (text == "{}")
    text.clear();
  if (type == kInstant) {
    // AdaTrace writes all data of a mark as one member.
    constexpr std::string_view kData = "{\"data\":{";
    if (text.starts_with(kData))
      if (const std::string inner = text.substr(kData.size() - 1, text.size() - kData.size()); isJson(inner))
        text = inner;
    std::string mark = name ? *byNumber_[*name] : std::string();
    text = mark + '\0' + text;
  }
  event.function = type == kEnd || !name ? SliceWalk::kNoName : *name;
  if (type != kEnd && !name)
    event.function = nameOf("");
  event.type = type == kInstant                 ? SliceWalk::kInstant
               : type == kBegin                 ? phase == 'X' ? SliceWalk::kComplete : SliceWalk::kBegin
               : annotations.end == "exception" ? SliceWalk::kEndByException
               : annotations.end == "inferred"  ? SliceWalk::kEndInferred
               : annotations.end == "missing"   ? SliceWalk::kEndMissing
                                                : SliceWalk::kEnd;
  if (event.type == SliceWalk::kComplete) {
    if (durationUs > 1'000'000'000'000'000) // thirty years: it is negative, or damaged
      return lost_.add("slices without a usable duration");
    event.endNs = timeNs + durationUs * 1000;
    event.tie = ~(durationUs * 1000);
  }
  ++usable;
  if (status)
    status = events_.add(event, text);
}

} // namespace ada::formats::perfetto
