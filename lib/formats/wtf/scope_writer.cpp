// Threads and calls to records: zone switches, one event type a name, open scopes.
#include "ada/trace/wtf/scope_writer.h"

#include "bytes.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace ada::wtf {
namespace {

constexpr ScopeWriter::TypeId kFirstDynamic = 0x10000; // TypeIds of scopes that carry their name

/// What viewers accept as a name that is an argument.
bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_.#:$[]\"'-").find(c) != std::string_view::npos;
}

Arg jsonOrNull(std::string_view json) { return json.empty() ? Arg::null(ArgType::Any) : Arg::any(json); }

} // namespace

struct ScopeWriter::State {
  explicit State(Encoder encoder) : encoder(std::move(encoder)) {}

  struct ZoneState {
    std::uint64_t lastUs = 0;
    std::size_t depth = 0;
  };

  Expected<void> enterZone(ZoneId zone, std::uint64_t timeUs);
  Expected<void> write(ZoneId zone, std::uint32_t wireId, std::uint64_t timeUs, std::span<const Arg> args);
  Expected<TypeId> typeOf(std::uint16_t eventClass, std::string_view name, std::string_view args, std::uint32_t flags);
  Expected<TypeId> dynamicType(std::string_view name, std::string_view args);

  Encoder encoder;
  std::vector<ZoneState> zones; // of zone id - 1
  std::unordered_set<std::string> triples;
  std::unordered_map<std::string, TypeId> typeIds; // class, flags, args and name in one key
  std::unordered_set<std::string> names;
  std::vector<std::string> dynamicNames;
  std::uint32_t nextWireId = kFirstFreeWireId;
  ZoneId current = 0;
  std::uint64_t lastUs = 0;
  Statistics statistics;
};

/// Checks zone and time, and switches to the zone.
Expected<void> ScopeWriter::State::enterZone(ZoneId zone, std::uint64_t timeUs) {
  if (zone == 0 || zone > zones.size())
    return errorOf("E_UNKNOWN_ZONE", "there is no zone " + std::to_string(zone));
  ZoneState &state = zones[zone - 1u];
  if (timeUs < state.lastUs)
    return errorOf("E_TIME_ORDER", "in zone " + std::to_string(zone) + ", the time " + std::to_string(timeUs) +
                                       " us is earlier than " + std::to_string(state.lastUs) +
                                       " us of the record before it");
  if (zone != current) {
    const Arg id = Arg::uint16(zone);
    if (auto set = encoder.event(wireIdOf(Role::ZoneSet), timeUs, {&id, 1}); !set)
      return set;
    current = zone;
  }
  return {};
}

Expected<void> ScopeWriter::State::write(ZoneId zone, std::uint32_t wireId, std::uint64_t timeUs,
                                         std::span<const Arg> args) {
  if (auto entered = enterZone(zone, timeUs); !entered)
    return entered;
  if (auto written = encoder.event(wireId, timeUs, args); !written)
    return written;
  zones[zone - 1u].lastUs = timeUs;
  lastUs = std::max(lastUs, timeUs);
  return {};
}

Expected<ScopeWriter::TypeId> ScopeWriter::State::dynamicType(std::string_view name, std::string_view args) {
  if (!args.empty())
    return errorOf("E_RANGE", "more than 65518 event types: no number is left for \"" + std::string(name) + "\"");
  std::string plain(name);
  if (!std::all_of(plain.begin(), plain.end(), isPlain)) {
    std::replace_if(plain.begin(), plain.end(), [](char c) { return !isPlain(c); }, '_');
    ++statistics.renamedScopes;
  }
  dynamicNames.push_back(plain.empty() ? "_" : std::move(plain));
  return kFirstDynamic + static_cast<TypeId>(dynamicNames.size() - 1);
}

Expected<ScopeWriter::TypeId> ScopeWriter::State::typeOf(std::uint16_t eventClass, std::string_view name,
                                                         std::string_view args, std::uint32_t flags) {
  std::string key = std::to_string(eventClass) + ' ' + std::to_string(flags) + ' ' + std::string(args) + '\n';
  key += name;
  if (const auto known = typeIds.find(key); known != typeIds.end())
    return known->second;
  Expected<TypeId> id = TypeId{0};
  if (nextWireId > 0xFFFF) {
    if (eventClass != kScope)
      return errorOf("E_RANGE", "more than 65518 event types: no number is left for \"" + std::string(name) + "\"");
    id = dynamicType(name, args);
    if (!id)
      return id;
  } else {
    std::string unique(name); // a name has one signature, or viewers misread
    for (int n = 2; names.contains(unique); ++n)
      unique = std::string(name) + " (" + std::to_string(n) + ')';
    const auto wireId = static_cast<std::uint16_t>(nextWireId);
    if (auto defined = encoder.define({wireId, eventClass, flags, unique, args}); !defined)
      return defined.error();
    statistics.renamedTypes += unique != name;
    names.insert(std::move(unique));
    id = TypeId{nextWireId++};
  }
  typeIds.emplace(std::move(key), *id);
  return id;
}

ScopeWriter::ScopeWriter(std::unique_ptr<State> state) : state(std::move(state)) {}
ScopeWriter::ScopeWriter(ScopeWriter &&) noexcept = default;
ScopeWriter &ScopeWriter::operator=(ScopeWriter &&) noexcept = default;
ScopeWriter::~ScopeWriter() = default;

Expected<ScopeWriter> ScopeWriter::begin(Sink sink, const FileHeader &header, EncoderOptions options) {
  auto encoder = Encoder::begin(std::move(sink), header, options);
  if (!encoder)
    return encoder.error();
  if (auto defined = encoder->defineBuiltIns(); !defined)
    return defined.error();
  auto state = std::make_unique<State>(std::move(*encoder));
  for (const BuiltIn &builtIn : builtIns())
    state->names.emplace(builtIn.name);
  return ScopeWriter(std::move(state));
}

Expected<ScopeWriter::ZoneId> ScopeWriter::addZone(std::string_view name, std::string_view location,
                                                   std::string_view type) {
  std::string triple;
  for (std::string_view part : {name, location, type}) {
    triple += std::to_string(part.size()) + ':';
    triple += part;
  }
  if (state->triples.contains(triple))
    return errorOf("E_NAME_CONFLICT", "there is a zone \"" + std::string(name) +
                                          "\" of this type and location: viewers would mix the two up");
  if (state->zones.size() >= 0xFFFF)
    return errorOf("E_RANGE", "a file can't have more than 65535 zones");
  const auto id = static_cast<ZoneId>(state->zones.size() + 1);
  const Arg args[] = {Arg::uint16(id), Arg::ascii(name), Arg::ascii(type), Arg::ascii(location)};
  if (auto created = state->encoder.event(wireIdOf(Role::ZoneCreate), 0, args); !created)
    return created.error();
  state->triples.insert(std::move(triple));
  state->zones.emplace_back();
  return id;
}

Expected<ScopeWriter::TypeId> ScopeWriter::scopeType(std::string_view name, std::string_view args) {
  return state->typeOf(kScope, name, args, 0);
}
Expected<ScopeWriter::TypeId> ScopeWriter::instanceType(std::string_view name, std::string_view args,
                                                        std::uint32_t flags) {
  return state->typeOf(kInstance, name, args, flags);
}

Expected<void> ScopeWriter::enter(ZoneId zone, TypeId type, std::uint64_t timeUs, std::span<const Arg> args) {
  Expected<void> written;
  if (type >= kFirstDynamic && type - kFirstDynamic < state->dynamicNames.size()) {
    const Arg name = Arg::ascii(state->dynamicNames[type - kFirstDynamic]);
    written = state->write(zone, wireIdOf(Role::ScopeEnter), timeUs, {&name, 1});
  } else {
    written = state->write(zone, type, timeUs, args);
  }
  if (written)
    state->statistics.deepest = std::max(state->statistics.deepest, ++state->zones[zone - 1u].depth);
  return written;
}

Expected<void> ScopeWriter::leave(ZoneId zone, std::uint64_t timeUs) {
  if (auto written = state->write(zone, wireIdOf(Role::ScopeLeave), timeUs, {}); !written)
    return written;
  std::size_t &depth = state->zones[zone - 1u].depth;
  if (depth)
    --depth;
  else
    ++state->statistics.strayLeaves;
  return {};
}

Expected<void> ScopeWriter::event(ZoneId zone, TypeId type, std::uint64_t timeUs, std::span<const Arg> args) {
  return state->write(zone, type, timeUs, args);
}

Expected<void> ScopeWriter::appendData(ZoneId zone, std::uint64_t timeUs, std::string_view name,
                                       std::string_view json) {
  if (openScopes(zone) == 0)
    return errorOf("E_NO_SCOPE", "no scope is open to append \"" + std::string(name) + "\" to");
  const Arg args[] = {Arg::ascii(name), jsonOrNull(json)};
  return state->write(zone, wireIdOf(Role::AppendData), timeUs, args);
}

Expected<void> ScopeWriter::mark(ZoneId zone, std::uint64_t timeUs, std::string_view name, std::string_view json) {
  const Arg args[] = {Arg::ascii(name), jsonOrNull(json)};
  return state->write(zone, wireIdOf(Role::Mark), timeUs, args);
}

Expected<void> ScopeWriter::timeStamp(ZoneId zone, std::uint64_t timeUs, std::string_view name,
                                      std::string_view json) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), isPlain))
    return errorOf("E_BAD_NAME", "the name of a time stamp must be letters, digits and _.#:$[]\"'- only; \"" +
                                     std::string(name) + "\" makes viewers fail");
  const Arg args[] = {Arg::ascii(name), jsonOrNull(json)};
  return state->write(zone, wireIdOf(Role::TimeStamp), timeUs, args);
}

std::size_t ScopeWriter::openScopes(ZoneId zone) const {
  return zone && zone <= state->zones.size() ? state->zones[zone - 1u].depth : 0;
}
const ScopeWriter::Statistics &ScopeWriter::statistics() const noexcept { return state->statistics; }

Expected<void> ScopeWriter::finish() {
  for (std::size_t index = 0; index < state->zones.size(); ++index)
    while (state->zones[index].depth) {
      if (auto left = leave(static_cast<ZoneId>(index + 1), state->lastUs); !left)
        return left;
      ++state->statistics.closedAtEnd;
    }
  return state->encoder.finish();
}

} // namespace ada::wtf
