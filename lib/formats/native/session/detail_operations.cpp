// Checks, describes and dumps ATF detail files without their index.
#include "formats/native/operations.h"
#include "trace/base/format.h"
#include "trace/base/number_text.h"
#include "trace/base/quantities.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/thread_reader.h"
#include "trace/base/try.h"
#include "trace/names.h"

namespace ada::formats {

static Expected<atf::DetailReader> openDetail(TraceLocation &place, atf::ChecksumPolicy checksum) {
  auto path = ADA_TRY(place.bytes->asFile());
  auto reader = atf::DetailReader::open(path, {.checksum = checksum});
  if (reader || path == place.path)
    return reader;
  Error error = reader.error();
  error.file = place.name();
  return error;
}

Expected<CheckSummary> verifyAtfDetail(TraceLocation &place, const CheckReport &report) {
  CheckSummary summary{.place = place.name()};
  auto reader = openDetail(place, atf::ChecksumPolicy::Verify);
  if (!reader && reader.error().code == "E_IO")
    return reader.error();
  if (!reader)
    report.problem(reader.error().text());
  else
    for (const Warning &flaw : reader->warnings())
      report.problem(fmt::format("{}: {} [{}]", place.name(), flaw.message, flaw.code));
  summary.counts = {{reader ? reader->size() : 0, "detail event"}};
  return summary;
}

Expected<Description> describeAtfDetail(TraceLocation &place, bool absolute) {
  auto reader = ADA_TRY(openDetail(place, atf::ChecksumPolicy::Defer));
  const atf::DetailHeader &header = reader.header();
  Description description;
  InfoSection &section = description.whole;
  const std::string what =
      reader.isPacked() ? "packed detail file" : fmt::format("ATF detail file, version {}", header.version);
  section.title = fmt::format("{}: {}, {}", place.name(), what, formatBytes(reader.fileBytes()));
  section.members.text("path", place.name()).text("format", "atf-detail").number("bytes", reader.fileBytes());
  section.fields.push_back(
      {"thread", std::to_string(header.threadId), JsonMembers().number("tid", uint64_t{header.threadId})});
  InfoField events{"events", formatCount(reader.size()), JsonMembers().number("events", reader.size())};
  if (!reader.empty()) {
    const atf::DetailEvent first = reader[0], last = reader[reader.size() - 1];
    events.text += fmt::format(
        " in {}, of index events {} to {}",
        formatRange(first.timestampNs, last.timestampNs, absolute ? std::nullopt : std::optional(first.timestampNs)),
        first.indexSeq, last.indexSeq);
    events.members.number("time_start_ns", first.timestampNs).number("time_end_ns", last.timestampNs);
  }
  section.fields.push_back(std::move(events));
  section.fields.push_back({"complete",
                            reader.isComplete() ? "yes"
                            : reader.isPacked() ? "no"
                                                : "no: it has no footer",
                            JsonMembers().boolean("finished", reader.isComplete())});
  description.warnings = reader.warnings();
  // Only the session knows which process it belongs to.
  description.processes.emplace_back().members.null("pid");
  return description;
}

// Shows a function's registers and stack with their names, and any other payload as bytes.
static void addPayload(JsonText &json, const atf::DetailEvent &event, uint8_t arch) {
  static const types::FunctionTypes unknown;
  const auto function = event.function();
  if (!function) {
    json.text("payload", hexDigits(event.payload));
    return;
  }
  json.text("function_id", functionIdText(function->functionId));
  json.raw(atf::detailJson({.event = event,
                            .function = *function,
                            .vectors = std::nullopt,
                            .isReturn = event.type == atf::kDetailFunctionReturn,
                            .types = &unknown},
                           arch));
}

static std::string jsonLineOf(const atf::DetailEvent &event, uint8_t arch) {
  std::string line;
  JsonText json(line);
  json.beginObject().number("detail_seq", event.seq).number("offset", event.offset).number("ts", event.timestampNs);
  json.number("type", event.type).number("flags", event.flags).number("index_seq", event.indexSeq);
  json.number("thread_id", event.threadId);
  addPayload(json, event, arch);
  json.endObject();
  return line + "\n";
}

static std::string lineOf(const atf::DetailEvent &event) {
  std::string line = fmt::format("{:>9}.{:09} #{:<8} type {} of event {}", event.timestampNs / 1'000'000'000,
                                 event.timestampNs % 1'000'000'000, event.seq, event.type, event.indexSeq);
  const auto function = event.function();
  if (!function)
    return line + " " + hexDigits(event.payload) + "\n";
  line += " " + functionIdText(function->functionId);
  for (const uint64_t value : function->registers)
    line += fmt::format(" {:x}", value);
  return line + fmt::format(" lr {:x} fp {:x} sp {:x} stack {}\n", function->lr, function->fp, function->sp,
                            hexDigits(function->stack));
}

Expected<ReadOutcome> dumpAtfDetail(TraceLocation &place, const RawDumpOptions &options, const RawDumpOutput &out) {
  auto reader = ADA_TRY(openDetail(place, atf::ChecksumPolicy::Defer));
  for (const Warning &flaw : reader.warnings())
    out.warning({flaw.code, place.name() + ": " + flaw.message});
  TimeRange range;
  if (options.range)
    range = options.range(reader.empty() ? 0 : reader[0].timestampNs);
  reader.forEach([&](const atf::DetailEvent &event) {
    if (!range.holds(event.timestampNs))
      return;
    out.text(options.json ? jsonLineOf(event, reader.header().arch) : lineOf(event));
  });
  if (const auto checked = reader.verifyChecksum(); !checked)
    return ReadOutcome{checked.error()};
  return ReadOutcome{reader.damage()};
}

} // namespace ada::formats
