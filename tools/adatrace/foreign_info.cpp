//===- foreign_info.cpp - adatrace info for dial9 and wtf-trace -----------===//
#include "exit_codes.h"
#include "foreign_file.h"
#include "json_text.h"
#include "quantities.h"
#include "wtf_follower.h"

#include "ada/trace/dial9/gzip.h"
#include "ada/trace/wtf/context.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ada::cli {

namespace {

constexpr size_t kShown = 40; // types and zones, without --all

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
      fields += fmt::format("{}{}: {}{}", fields.empty() ? "" : ", ",
                            oneLine(field.name), typeName(field.type),
                            field.optional ? "?" : "");
    auto [found, isNew] =
        types.try_emplace({std::string(schema.name()), std::move(fields)});
    byId[schema.typeId()] = &found->second;
  }
  void onEvent(const dial9::EventView &event) override {
    Type &type = *byId[event.schema->typeId()];
    ++type.count;
    ++events;
    if (event.timestampNs) // symbol tables and the like have 0
      times.add(event.timestampNs);
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    strings += entries.size();
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    stacks += entries.size();
  }
  void onTimestampReset(uint64_t, uint64_t) override { ++resets; }
  void onAnnotations(uint64_t, dial9::AnnotationsView entries,
                     uint64_t) override {
    annotations += entries.size();
  }

  std::map<std::pair<std::string, std::string>, Type>
      types; // by name and fields
  std::unordered_map<uint16_t, Type *> byId;
  uint64_t segments = 1, events = 0, strings = 0, stacks = 0, resets = 0,
           annotations = 0;
  TimeSpan times;
};

std::string timesText(const TimeSpan &times) {
  if (times.isEmpty())
    return "";
  return fmt::format(" in {}, from {} to {} ns",
                     formatDuration(times.high - times.low), times.low,
                     times.high);
}

std::string bytesText(const model::ByteInput &input) {
  return formatBytes(input.size().value_or(input.position()));
}

// How many were left out; nothing if all were shown.
void printRest(Output &out, const Palette &palette, size_t all, size_t shown,
               const char *what) {
  if (shown < all)
    out.print("{}... and {} more {}; --all shows them{}\n", palette.dim,
              formatCount(all - shown), what, palette.reset);
}

} // namespace

int infoDial9(model::ByteInput &input, Output &out, const Palette &palette,
              bool all) {
  const bool isPacked = model::sniff(input.head()) == model::Format::Gzip;
  Dial9Info info;
  dial9::UnzippingDecoder decoder(info);
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    return decoder.push(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  });
  if (!read)
    return fail(kCantRead, "{}", read.error().text());
  const dial9::DecodeStatus status = decoder.status();
  if (!status.ok() && status.offset < dial9::kHeaderBytes) {
    Error error = status.toError();
    error.file = input.name();
    return fail(kCantRead, "{}", error.text());
  }
  out.print("{}: dial9-trace-format 1{}, {}\n", input.name(),
            isPacked ? " in gzip" : "", bytesText(input));
  out.print("  events        {}{}\n", formatCount(info.events),
            timesText(info.times));
  out.print("  segments      {}\n", formatCount(info.segments));
  out.print("  pools         {} strings, {} stacks\n",
            formatCount(info.strings), formatCount(info.stacks));
  out.print("  resets        {}\n", formatCount(info.resets));
  if (info.annotations)
    out.print("  annotations   {}\n", formatCount(info.annotations));
  std::vector<const decltype(info.types)::value_type *> types;
  for (const auto &type : info.types)
    types.push_back(&type);
  std::ranges::stable_sort(types, std::ranges::greater(),
                           [](const auto *type) { return type->second.count; });
  out.print("  {}{:>14}  event type{}\n", palette.dim, "events", palette.reset);
  const size_t shown = all ? types.size() : std::min(types.size(), kShown);
  for (size_t i = 0; i < shown; ++i)
    out.print("  {:>14}  {}{}{} {{{}}}\n", formatCount(types[i]->second.count),
              palette.name, oneLine(types[i]->first.first), palette.reset,
              types[i]->first.second);
  printRest(out, palette, types.size(), shown, "event types");
  out.flush();
  if (status.ok())
    return kOk;
  Error error = status.toError();
  error.file = input.name();
  return fail(kProblemsFound, "{}", error.text());
}

namespace {

class WtfInfo : public WtfFollower {
public:
  struct ZoneCounts {
    uint64_t scopes = 0, others = 0;
    size_t deepest = 0;
    uint64_t unclosed = 0;
  };

  std::map<const wtf::EventType *, uint64_t> types; // those that were used
  std::vector<ZoneCounts> zones;                    // by index
  std::optional<wtf::FileHeader> header;
  std::vector<Warning> flaws;
  TimeSpan times; // microseconds
  const wtf::Timeline &lines() const { return timeline; }

private:
  void takeHeader(const wtf::FileHeader &h) override { header = h; }
  void takeWarning(const Warning &flaw) override { flaws.push_back(flaw); }
  ZoneCounts &countsOf(const wtf::Zone &zone) {
    if (zone.index >= zones.size())
      zones.resize(zone.index + 1);
    return zones[zone.index];
  }
  void takeRecord(const wtf::Record &record, std::optional<wtf::ItemKind> kind,
                  size_t depth, const wtf::Zone &zone) override {
    if (!kind)
      return;
    ++types[record.type];
    times.add(record.timeUs);
    ZoneCounts &counts = countsOf(zone);
    if (*kind == wtf::ItemKind::Enter) {
      ++counts.scopes;
      counts.deepest = std::max(counts.deepest, depth + 1);
    } else if (*kind != wtf::ItemKind::Leave) {
      ++counts.others;
    }
  }
  void takeUnclosed(const wtf::Item &item) override {
    ++countsOf(*item.zone).unclosed;
  }
};

std::string programOf(const wtf::FileHeader &header) {
  const auto context = wtf::ContextInfo::parse(header.contextInfo);
  if (!context)
    return "unknown";
  std::string text = context->title.value_or(context->uri);
  for (const std::string &argument : context->args)
    text += " " + argument;
  return oneLine(text);
}

} // namespace

int infoWtf(model::ByteInput &input, Output &out, const Palette &palette,
            bool all) {
  WtfInfo info;
  wtf::Decoder decoder(info);
  Expected<void> decoded;
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    decoded = decoder.push(bytes);
    return bool(decoded);
  });
  if (!read)
    return fail(kCantRead, "{}", read.error().text());
  if (decoded)
    decoded = decoder.finish();
  info.finish();
  Error error;
  if (!decoded) {
    error = decoded.error();
    error.file = input.name();
    if (!info.header)
      return fail(kCantRead, "{}", error.text());
  }
  out.print("{}: wtf-trace {}, {}\n", input.name(),
            dialectName(info.header->dialect), bytesText(input));
  out.print("  program       {}\n", programOf(*info.header));
  out.print("  records       {}", formatCount(decoder.records()));
  if (!info.times.isEmpty())
    out.print(" in {}, from {} to {} us after {} ms",
              formatDuration((info.times.high - info.times.low) * 1000),
              info.times.low, info.times.high, info.header->timebaseMs);
  if (info.header->timeScale != 1)
    out.print(", in units of {} us", info.header->timeScale);
  out.print("\n  {}{:>5} {:>12} {:>12} {:>8} {:>9} {:>7}  name{}\n",
            palette.dim, "zone", "scopes", "other", "deepest", "unclosed",
            "strays", palette.reset);
  const size_t zones = std::min(info.zones.size(), info.lines().zoneCount());
  const size_t shownZones = all ? zones : std::min(zones, kShown);
  for (size_t i = 0; i < shownZones; ++i) {
    const wtf::Zone &zone = info.lines().zone(i);
    const WtfInfo::ZoneCounts &counts = info.zones[i];
    out.print("  {:>5} {:>12} {:>12} {:>8} {:>9} {:>7}  {}{}{}\n",
              zone.id ? std::to_string(*zone.id) : "-",
              formatCount(counts.scopes), formatCount(counts.others),
              formatCount(counts.deepest), formatCount(counts.unclosed),
              formatCount(zone.strayLeaves), palette.name, oneLine(zone.name),
              palette.reset);
  }
  printRest(out, palette, zones, shownZones, "zones");
  std::vector<std::pair<const wtf::EventType *, uint64_t>> types(
      info.types.begin(), info.types.end());
  std::ranges::sort(types, [](const auto &a, const auto &b) {
    return std::pair(b.second, a.first->wireId) <
           std::pair(a.second, b.first->wireId);
  });
  out.print("  {}{:>14}  event type{}\n", palette.dim, "events", palette.reset);
  const size_t shown = all ? types.size() : std::min(types.size(), kShown);
  for (size_t i = 0; i < shown; ++i)
    out.print("  {:>14}  {}{}{}({}){}\n", formatCount(types[i].second),
              palette.name, oneLine(types[i].first->name), palette.reset,
              types[i].first->args, types[i].first->isScope() ? " scope" : "");
  printRest(out, palette, types.size(), shown, "event types");
  out.flush();
  for (const Warning &flaw : info.flaws)
    warning("{}: {}", input.name(), flaw.message);
  return decoded ? int(kOk) : fail(kProblemsFound, "{}", error.text());
}

} // namespace ada::cli
