//===- dump_wtf.cpp - adatrace dump for wtf-trace files -------------------===//
#include "exit_codes.h"
#include "foreign_file.h"
#include "json_text.h"
#include "wtf_follower.h"

#include "select/function_glob.h"

#include <algorithm>

namespace ada::cli {

namespace {

// "enter", "leave", …; "type" and "zone" for records that are about those.
std::string_view kindName(const wtf::Record &record,
                          std::optional<wtf::ItemKind> kind) {
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
  WtfDump(const ForeignDumpOptions &options, Output &out)
      : options(options), out(out) {}

private:
  void takeHeader(const wtf::FileHeader &header) override;
  void takeRecord(const wtf::Record &record, std::optional<wtf::ItemKind> kind,
                  size_t depth, const wtf::Zone &zone) override;
  void takeWarning(const Warning &flaw) override {
    warning("{}", flaw.message);
  }
  bool isWanted(const wtf::Record &record, std::optional<wtf::ItemKind> kind,
                const wtf::Zone &zone);

  const ForeignDumpOptions &options;
  Output &out;
  std::optional<ForeignRange> range;
  uint64_t baseNs = 0;
  std::string line;
};

} // namespace

void WtfDump::takeHeader(const wtf::FileHeader &header) {
  baseNs = static_cast<uint64_t>(
      std::max<int64_t>(header.absoluteNs(0).value_or(0), 0));
  if (!options.input.from.empty() || !options.input.to.empty() ||
      !options.input.threads.empty())
    return;
  if (options.json)
    out.print(
        "{{\"kind\":\"header\",\"dialect\":\"{}\",\"version\":{},\"wtf_"
        "version\":{},"
        "\"flags\":{},\"timebase_ms\":{},\"timebase_ns\":{},\"time_scale\":{},"
        "\"context\":{},\"metadata\":{}}}\n",
        dialectName(header.dialect), header.formatVersion(), header.wtfVersion,
        header.flags, header.timebaseMs, header.timebaseNs, header.timeScale,
        jsonText(header.contextInfo), jsonText(header.metadata));
  else
    out.print("{} timebase {} ms, flags {}, context {}, metadata {}\n",
              dialectName(header.dialect), header.timebaseMs, header.flags,
              oneLine(header.contextInfo),
              header.metadata.empty() ? "none" : oneLine(header.metadata));
}

// Zones stand for threads: their numbers in the file, or globs for their names.
bool WtfDump::isWanted(const wtf::Record &record,
                       std::optional<wtf::ItemKind> kind,
                       const wtf::Zone &zone) {
  const auto &threads = options.input.threads;
  const bool isLimited =
      !options.input.from.empty() || !options.input.to.empty();
  if (!kind)
    return threads.empty() && !isLimited;
  const auto names = [&](const std::string &text) {
    return (zone.id && std::to_string(*zone.id) == text) ||
           select::matchOne({text.data(), text.size()},
                            {zone.name.data(), zone.name.size()});
  };
  if (!threads.empty() && std::ranges::none_of(threads, names))
    return false;
  if (!isLimited)
    return true;
  const uint64_t now = baseNs + record.timeUs * 1000;
  if (!range)
    range = rangeOf(options.input, now);
  return range->holds(now);
}

void WtfDump::takeRecord(const wtf::Record &record,
                         std::optional<wtf::ItemKind> kind, size_t depth,
                         const wtf::Zone &zone) {
  if (!isWanted(record, kind, zone))
    return;
  const auto &defs = record.type->argDefs;
  line.clear();
  if (options.json) {
    line += fmt::format("{{\"kind\":\"{}\",\"offset\":{},\"time_us\":{}",
                        kindName(record, kind), record.offset, record.timeUs);
    if (kind) {
      line +=
          zone.id ? fmt::format(",\"zone\":{}", *zone.id) : ",\"zone\":null";
      line += fmt::format(",\"depth\":{}", depth);
    }
    line += fmt::format(",\"wire_id\":{},\"type\":{},\"args\":{{",
                        record.type->wireId, jsonText(record.type->name));
    for (size_t i = 0; i < record.args.size(); ++i) {
      line += fmt::format("{}{}:", i ? "," : "", jsonText(defs[i].name));
      wtf::appendJson(line, record.args[i]);
    }
    line += "}}\n";
    out.write(line);
    return;
  }
  line += fmt::format("{:>9}.{:06} ", record.timeUs / 1'000'000,
                      record.timeUs % 1'000'000);
  if (kind)
    line += fmt::format(
        "zone {:<5} {:<6} {:{}}", zone.id ? std::to_string(*zone.id) : "-",
        kindName(record, kind), "", 2 * std::min<size_t>(depth, 40));
  else
    line += fmt::format("           {:<6} ", kindName(record, kind));
  line += oneLine(record.type->name);
  for (size_t i = 0; i < record.args.size(); ++i) {
    line += fmt::format(" {}=", oneLine(defs[i].name));
    wtf::appendJson(line, record.args[i]);
  }
  line += '\n';
  out.write(line);
}

int dumpWtf(model::ByteInput &input, const ForeignDumpOptions &options) {
  Output out;
  WtfDump dump(options, out);
  wtf::Decoder decoder(dump);
  Expected<void> decoded;
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    decoded = decoder.push(bytes);
    return bool(decoded);
  });
  if (decoded && read)
    decoded = decoder.finish();
  out.flush();
  dump.finish();
  if (!read)
    return fail(kCantRead, "{}", read.error().text());
  if (decoded)
    return kOk;
  Error error = decoded.error();
  error.file = input.name();
  return fail(decoder.header() ? kProblemsFound : kCantRead, "{}",
              error.text());
}

} // namespace ada::cli
