// Describes a wtf-trace file for `info`.
#include "follower.h"
#include "operations.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include "ada/trace/wtf/context.h"

#include <algorithm>
#include <map>

namespace ada::formats {

namespace {

class WtfSummary : public WtfFollower {
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
  uint64_t records = 0;
  // In microseconds. There are no times if the first is after the last.
  uint64_t firstUs = ~uint64_t(0), lastUs = 0;
  const wtf::Timeline &lines() const { return timeline_; }

private:
  void takeHeader(const wtf::FileHeader &h) override { header = h; }
  void takeWarning(const Warning &flaw) override { flaws.push_back(flaw); }
  ZoneCounts &countsOf(const wtf::Zone &zone) {
    if (zone.index >= zones.size())
      zones.resize(zone.index + 1);
    return zones[zone.index];
  }
  void takeRecord(const wtf::Record &record, std::optional<wtf::ItemKind> kind, size_t depth,
                  const wtf::Zone &zone) override {
    ++records;
    if (!kind)
      return;
    ++types[record.type];
    firstUs = std::min(firstUs, record.timeUs);
    lastUs = std::max(lastUs, record.timeUs);
    ZoneCounts &counts = countsOf(zone);
    if (*kind == wtf::ItemKind::Enter) {
      ++counts.scopes;
      counts.deepest = std::max(counts.deepest, depth + 1);
    } else if (*kind != wtf::ItemKind::Leave) {
      ++counts.others;
    }
  }
  void takeUnclosed(const wtf::Item &item) override { ++countsOf(*item.zone).unclosed; }
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

Expected<Description> describeWtf(TraceLocation &place, bool absolute) {
  model::ByteInput &input = *place.bytes;
  WtfSummary info;
  wtf::Decoder decoder(info, wtfOptions(input));
  const auto read = ADA_TRY(readWtf(input, decoder));
  info.finish();
  if (!read.isUsable)
    return *read.problem;
  const wtf::FileHeader &header = *info.header;
  Description description;
  description.warnings = info.flaws;
  description.problem = read.problem;
  InfoSection &section = description.whole;
  const uint64_t bytes = input.size().value_or(input.position());
  section.title = fmt::format("{}: wtf-trace {}{}, {}", place.name(), dialectName(header.dialect),
                              input.isPacked() ? " in gzip" : "", formatBytes(bytes));
  section.members.text("path", place.name()).text("format", "wtf").text("dialect", dialectName(header.dialect));
  section.members.boolean("packed", input.isPacked()).number("bytes", bytes);
  const std::string program = programOf(header);
  section.fields.push_back({"program", program, JsonMembers().text("program", program)});

  InfoField records{"records", formatCount(info.records), JsonMembers().number("records", info.records)};
  if (info.firstUs <= info.lastUs) {
    records.text += " in " + formatDuration((info.lastUs - info.firstUs) * 1000);
    if (absolute)
      records.text += fmt::format(", from {} to {} us after {} ms", info.firstUs, info.lastUs, header.timebaseMs);
  }
  if (header.timeScale != 1)
    records.text += fmt::format(", in units of {} us", header.timeScale);
  section.fields.push_back(std::move(records));

  InfoTable zones{.key = "zones",
                  .what = "zones",
                  .heading = fmt::format("{:>5} {:>12} {:>12} {:>8} {:>9} {:>7}  name", "zone", "scopes", "other",
                                         "deepest", "unclosed", "strays")};
  for (size_t i = 0; i < std::min(info.zones.size(), info.lines().zoneCount()); ++i) {
    const wtf::Zone &zone = info.lines().zone(i);
    const WtfSummary::ZoneCounts &counts = info.zones[i];
    JsonMembers members;
    members.number("zone", zone.id ? std::optional<uint64_t>(*zone.id) : std::nullopt).text("name", zone.name);
    members.number("scopes", counts.scopes).number("others", counts.others).number("deepest", uint64_t{counts.deepest});
    members.number("unclosed", counts.unclosed).number("strays", uint64_t{zone.strayLeaves});
    zones.rows.push_back(
        {.text = fmt::format("{:>5} {:>12} {:>12} {:>8} {:>9} {:>7}  ", zone.id ? std::to_string(*zone.id) : "-",
                             formatCount(counts.scopes), formatCount(counts.others), formatCount(counts.deepest),
                             formatCount(counts.unclosed), formatCount(zone.strayLeaves)),
         .name = oneLine(zone.name),
         .members = std::move(members)});
  }
  section.tables.push_back(std::move(zones));

  std::vector<std::pair<const wtf::EventType *, uint64_t>> types(info.types.begin(), info.types.end());
  std::ranges::sort(types, [](const auto &a, const auto &b) {
    return std::pair(b.second, a.first->wireId) < std::pair(a.second, b.first->wireId);
  });
  InfoTable table{.key = "event_types", .what = "event types", .heading = fmt::format("{:>14}  event type", "events")};
  for (const auto &[type, count] : types)
    table.rows.push_back({.text = fmt::format("{:>14}  ", formatCount(count)),
                          .name = oneLine(type->name),
                          .rest = fmt::format("({}){}", type->args, type->isScope() ? " scope" : ""),
                          .members = JsonMembers()
                                         .text("name", type->name)
                                         .text("fields", type->args)
                                         .boolean("is_scope", type->isScope())
                                         .number("events", count)});
  section.tables.push_back(std::move(table));
  return description;
}

} // namespace ada::formats
