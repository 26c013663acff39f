// Every record of a wtf-trace file, as text or JSON.
#include "follower.h"
#include "operations.h"
#include "shared/select/function_glob.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/text.h"

#include <algorithm>

namespace ada::formats {

namespace {

// "enter", "leave", …; "type" and "zone" for records that are about those.
std::string_view kindName(const wtf::Record &record, std::optional<wtf::ItemKind> kind) {
  if (!kind)
    return record.type->role == wtf::Role::Define ? "define" : "zone";
  switch (*kind) {
  case wtf::ItemKind::Enter:
    return "enter";
  case wtf::ItemKind::Leave:
  case wtf::ItemKind::Unclosed:
    return "leave";
  case wtf::ItemKind::StrayLeave:
    return "stray";
  case wtf::ItemKind::Mark:
    return "mark";
  case wtf::ItemKind::TimeStamp:
    return "stamp";
  case wtf::ItemKind::AppendData:
    return "data";
  case wtf::ItemKind::Instance:
    break;
  }
  return "event";
}

class WtfDump : public WtfFollower {
public:
  WtfDump(const RawDumpOptions &options, const RawDumpOutput &out) : options_(options), out_(out) {}

private:
  void takeHeader(const wtf::FileHeader &header) override;
  void takeRecord(const wtf::Record &record, std::optional<wtf::ItemKind> kind, size_t depth,
                  const wtf::Zone &zone) override;
  void takeWarning(const Warning &flaw) override { out_.warning(flaw); }
  bool isWanted(const wtf::Record &record, std::optional<wtf::ItemKind> kind, const wtf::Zone &zone);

  const RawDumpOptions &options_;
  const RawDumpOutput &out_;
  std::optional<TimeRange> range_;
  uint64_t baseNs_ = 0;
  std::string line_;
};

} // namespace

void WtfDump::takeHeader(const wtf::FileHeader &header) {
  baseNs_ = static_cast<uint64_t>(std::max<int64_t>(header.absoluteNs(0).value_or(0), 0));
  if (options_.range || !options_.threads.empty())
    return;
  if (options_.json) {
    JsonMembers json;
    json.text("kind", "header").text("dialect", dialectName(header.dialect)).number("version", header.formatVersion());
    json.number("wtf_version", header.wtfVersion).number("flags", header.flags);
    json.number("timebase_ms", header.timebaseMs).number("timebase_ns", header.timebaseNs);
    json.number("time_scale", header.timeScale).text("context", header.contextInfo).text("metadata", header.metadata);
    out_.text(json.object() + "\n");
  } else
    out_.text(fmt::format("{} timebase {} ms, flags {}, context {}, metadata {}\n", dialectName(header.dialect),
                          header.timebaseMs, header.flags, oneLine(header.contextInfo),
                          header.metadata.empty() ? "none" : oneLine(header.metadata)));
}

// Zones stand for threads. They are selected by their numbers in the file, or by globs for their names.
bool WtfDump::isWanted(const wtf::Record &record, std::optional<wtf::ItemKind> kind, const wtf::Zone &zone) {
  const auto &threads = options_.threads;
  if (!kind)
    return threads.empty() && !options_.range;
  const auto names = [&](const std::string &text) {
    return (zone.id && std::to_string(*zone.id) == text) || select::matches(text, zone.name);
  };
  if (!threads.empty() && std::ranges::none_of(threads, names))
    return false;
  if (!options_.range)
    return true;
  const uint64_t now = baseNs_ + record.timeUs * 1000;
  if (!range_)
    range_ = options_.range(now);
  return range_->holds(now);
}

void WtfDump::takeRecord(const wtf::Record &record, std::optional<wtf::ItemKind> kind, size_t depth,
                         const wtf::Zone &zone) {
  if (!isWanted(record, kind, zone))
    return;
  const auto &defs = record.type->argDefs;
  line_.clear();
  if (options_.json) {
    JsonText json(line_);
    json.beginObject().text("kind", kindName(record, kind)).number("offset", record.offset);
    json.number("time_us", record.timeUs);
    if (kind)
      (zone.id ? json.number("zone", *zone.id) : json.null("zone")).number("depth", depth);
    json.number("wire_id", record.type->wireId).text("type", record.type->name).beginObject("args");
    for (size_t i = 0; i < record.args.size(); ++i) {
      json.json(defs[i].name, "");
      wtf::appendJson(line_, record.args[i]);
    }
    json.endObject().endObject();
    line_ += '\n';
    out_.text(line_);
    return;
  }
  line_ += fmt::format("{:>9}.{:06} ", record.timeUs / 1'000'000, record.timeUs % 1'000'000);
  if (kind)
    line_ += fmt::format("zone {:<5} {:<6} {:{}}", zone.id ? std::to_string(*zone.id) : "-", kindName(record, kind), "",
                         2 * std::min<size_t>(depth, 40));
  else
    line_ += fmt::format("           {:<6} ", kindName(record, kind));
  line_ += oneLine(record.type->name);
  for (size_t i = 0; i < record.args.size(); ++i) {
    line_ += fmt::format(" {}=", oneLine(defs[i].name));
    wtf::appendJson(line_, record.args[i]);
  }
  line_ += '\n';
  out_.text(line_);
}

Expected<ReadOutcome> dumpWtf(TraceLocation &place, const RawDumpOptions &options, const RawDumpOutput &out) {
  WtfDump dump(options, out);
  wtf::Decoder decoder(dump, wtfOptions(*place.bytes));
  auto read = readWtf(*place.bytes, decoder);
  dump.finish();
  return read;
}

} // namespace ada::formats
