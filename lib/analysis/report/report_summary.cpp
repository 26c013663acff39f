// Writes and reads the kept summaries of reports.
#include "report_summary.h"

#include "trace/base/file_bytes.h"
#include "trace/base/kept_files.h"
#include "trace/base/print.h"
#include "trace/base/safe_file.h"

#include <algorithm>
#include <cstring>
#include <isa-l/crc.h>
#include <utility>

namespace ada::analysis {

namespace {

constexpr char kMagic[4] = {'A', 'T', 'P', 'S'};
constexpr uint8_t kVersion = 3;
constexpr size_t kHeaderBytes = 64;

struct Header {
  char magic[4];
  uint8_t version;
  uint8_t reserved[3];
  uint64_t functions; // Prints::functions
  uint64_t bytes;     // after the header
  uint32_t crc;       // of these bytes
  uint8_t unused[32];
  uint32_t headerCrc; // of the bytes before it
};
static_assert(sizeof(Header) == kHeaderBytes);

uint32_t crc32c(const void *data, size_t bytes) {
  uint32_t sum = ~uint32_t(0);
  for (auto *at = static_cast<const unsigned char *>(data); bytes > 0;) {
    const size_t step = std::min<size_t>(bytes, 1u << 30);
    // crc32_iscsi() lacks a const in its parameter, but only reads.
    sum = crc32_iscsi(const_cast<unsigned char *>(at), static_cast<int>(step), sum);
    at += step, bytes -= step;
  }
  return ~sum;
}

//===--- one part ---------------------------------------------------------===//

void put(VarintBytes &to, const OffCpuTimes &times) {
  to.number(times.waitingNs);
  to.number(times.preemptedNs);
  to.number(times.recorderNs);
  to.number(times.unknownNs);
}
OffCpuTimes getTimes(VarintCursor &from) {
  OffCpuTimes times;
  times.waitingNs = from.number();
  times.preemptedNs = from.number();
  times.recorderNs = from.number();
  times.unknownNs = from.number();
  return times;
}

constexpr uint64_t kEarlier = 1, kEnded = 2, kOutermost = 4, kHasRow = 8, kHow = 16;

void put(VarintBytes &to, const std::vector<ReportEnds::Call> &calls) {
  to.number(calls.size());
  uint64_t before = 0;
  for (const ReportEnds::Call &call : calls) {
    to.number(call.functionId);
    to.difference(call.beginNs - std::exchange(before, call.beginNs));
    to.number((call.isEarlier ? kEarlier : 0) | (call.hasEnded ? kEnded : 0) |
              (call.note.isOutermost ? kOutermost : 0) | (call.note.group != kNoNumber ? kHasRow : 0) |
              static_cast<uint64_t>(call.how) * kHow);
    to.number(call.childrenNs);
    to.difference(call.endNs - call.beginNs);
    put(to, call.off.all);
    put(to, call.off.self);
  }
}
bool getCalls(VarintCursor &from, std::vector<ReportEnds::Call> &calls) {
  uint64_t before = 0;
  for (uint64_t left = from.number(); left > 0 && from.isGood(); --left) {
    ReportEnds::Call &call = calls.emplace_back();
    call.functionId = from.number();
    call.beginNs = before += from.difference();
    const uint64_t flags = from.number(), how = flags / kHow;
    if (how >= std::size(kSpanEnds))
      return false;
    call.isEarlier = flags & kEarlier, call.hasEnded = flags & kEnded, call.note.isOutermost = flags & kOutermost;
    if (flags & kHasRow)
      call.note.group = 0;
    call.how = static_cast<SpanEnd>(how);
    call.childrenNs = from.number();
    call.endNs = call.beginNs + from.difference();
    call.off.all = getTimes(from);
    call.off.self = getTimes(from);
    if (call.endNs < call.beginNs && call.hasEnded)
      return false;
  }
  return from.isGood();
}

void put(VarintBytes &to, Distribution::Content content) {
  to.number(content.count);
  if (content.count <= Distribution::kExact) {
    std::ranges::sort(content.exact);
    uint64_t before = 0;
    for (const uint64_t value : content.exact)
      to.number(value - std::exchange(before, value));
    return;
  }
  to.number(content.min);
  to.number(content.max - content.min);
  to.number(content.buckets.size());
  uint32_t next = 0;
  for (const auto &[bucket, count] : content.buckets) {
    to.number(bucket - next);
    to.number(count);
    next = bucket + 1;
  }
}
std::optional<Distribution> getDistribution(VarintCursor &from) {
  Distribution::Content content;
  content.count = from.number();
  if (content.count <= Distribution::kExact) {
    uint64_t value = 0;
    for (uint64_t i = 0; i < content.count; ++i)
      content.exact.push_back(value += from.number());
  } else {
    content.min = from.number();
    content.max = content.min + from.number();
    uint64_t bucket = 0;
    for (uint64_t left = from.number(); left > 0 && from.isGood(); --left) {
      bucket += from.number();
      content.buckets.emplace_back(static_cast<uint32_t>(std::min<uint64_t>(bucket, UINT32_MAX)), from.number());
      ++bucket;
    }
  }
  return from.isGood() ? Distribution::of(content) : std::nullopt;
}

void put(VarintBytes &to, const FunctionStatistics &figures) {
  for (const uint64_t figure : {figures.calls, figures.exceptions, figures.inferred, figures.missing, figures.open,
                                figures.earlier, figures.totalNs, figures.selfNs})
    to.number(figure);
  put(to, figures.off);
  put(to, figures.selfOff);
  put(to, figures.durations.content());
}
bool getFigures(VarintCursor &from, FunctionStatistics &figures) {
  for (uint64_t *figure : {&figures.calls, &figures.exceptions, &figures.inferred, &figures.missing, &figures.open,
                           &figures.earlier, &figures.totalNs, &figures.selfNs})
    *figure = from.number();
  figures.off = getTimes(from);
  figures.selfOff = getTimes(from);
  auto durations = getDistribution(from);
  if (!durations)
    return false;
  figures.durations = *std::move(durations);
  return true;
}

} // namespace

void PartSummary::put(VarintBytes &to) const {
  to.number(ends.part.first);
  to.number(earliestNs);
  to.difference(latestNs - earliestNs);
  to.difference(ends.firstNs - earliestNs);
  to.difference(ends.lastNs - earliestNs);
  to.number(ends.hasEvents);
  to.number(strayExits);
  to.number(missingExits);
  analysis::put(to, ends.before);
  analysis::put(to, ends.after);
  to.number(rows.size());
  uint64_t before = 0;
  for (const Row &row : rows) {
    to.difference(row.functionId - std::exchange(before, row.functionId));
    analysis::put(to, row.figures);
  }
  to.number(metFunctions.size());
  before = 0;
  for (const uint64_t function : metFunctions)
    to.difference(function - std::exchange(before, function));
}

std::optional<PartSummary> PartSummary::get(VarintCursor &from) {
  PartSummary part;
  part.ends.part.first = from.number();
  part.earliestNs = from.number();
  part.latestNs = part.earliestNs + from.difference();
  part.ends.firstNs = part.earliestNs + from.difference();
  part.ends.lastNs = part.earliestNs + from.difference();
  part.ends.hasEvents = from.number();
  part.strayExits = from.number();
  part.missingExits = from.number();
  if (!getCalls(from, part.ends.before) || !getCalls(from, part.ends.after))
    return std::nullopt;
  uint64_t before = 0;
  for (uint64_t left = from.number(); left > 0; --left) {
    Row &row = part.rows.emplace_back();
    row.functionId = before += from.difference();
    if (!getFigures(from, row.figures))
      return std::nullopt;
  }
  before = 0;
  for (uint64_t left = from.number(); left > 0 && from.isGood(); --left)
    part.metFunctions.push_back(before += from.difference());
  return from.isGood() ? std::optional(std::move(part)) : std::nullopt;
}

bool PartSummary::restrict(const FilterOptions &filter) {
  const bool hasEnd = filter.toNs != ~uint64_t(0);
  if (filter.fromNs == 0 && !hasEnd)
    return true;
  const bool isBefore = latestNs < filter.fromNs, isAfter = hasEnd && earliestNs >= filter.toNs;
  const bool isInside = earliestNs >= filter.fromNs && (!hasEnd || latestNs < filter.toNs);
  if (!isInside && !isBefore && !isAfter)
    return false;
  if (isAfter) {
    // Calls that were open before the first part are among its rows. And the outermost of the calls before the range's
    // end are known only if outer calls are older than inner ones.
    if (ends.part.number == 0 || !std::ranges::is_sorted(ends.before, {}, &ReportEnds::Call::beginNs))
      return false;
  }
  if (!isInside)
    rows.clear();
  for (ReportEnds::Call &call : ends.before)
    if ((hasEnd && call.beginNs >= filter.toNs) || call.endNs < filter.fromNs)
      call.note.group = kNoNumber;
  return true;
}

//===--- the file ---------------------------------------------------------===//

uint64_t ReportSummaries::printOf(uint64_t events, const model::Thread &thread) {
  Print print;
  print.add(events);
  print.add(!thread.offCpu ? 0 : thread.offCpu->isSchedKnown() ? 1 : 2);
  if (thread.offCpu)
    for (const OffCpu &off : thread.offCpu->all()) {
      print.add(off.fromNs);
      print.add(off.toNs);
      print.add(static_cast<uint64_t>(off.why));
    }
  return print.value();
}

ReportSummaries ReportSummaries::read(const model::Prints &prints, const TraceTable &table) {
  ReportSummaries summaries;
  const auto file = FileBytes::open(prints.directory + "/" + kReportSummary);
  if (!file || file->bytes().size() < kHeaderBytes)
    return summaries;
  Header header;
  std::memcpy(&header, file->bytes().data(), kHeaderBytes);
  const std::span<const std::byte> body = file->bytes().subspan(kHeaderBytes);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion ||
      crc32c(&header, offsetof(Header, headerCrc)) != header.headerCrc || header.functions != prints.functions ||
      header.bytes != body.size() || crc32c(body.data(), body.size()) != header.crc)
    return summaries;
  VarintCursor from(body);
  for (uint64_t left = from.number(); left > 0 && from.isGood(); --left) {
    const uint64_t number = from.number();
    Thread thread;
    thread.print = from.number();
    for (uint64_t parts = from.number(); parts > 0 && from.isGood(); --parts) {
      const std::span<const std::byte> part = from.bytes(from.number());
      thread.parts.emplace_back(part.begin(), part.end());
    }
    for (const auto &[index, print] : prints.threads)
      if (table.threads[index].number == number && printOf(print, table.threads[index]) == thread.print &&
          !thread.parts.empty() && from.isGood()) {
        summaries.threads[static_cast<uint32_t>(number)] = std::move(thread);
        break;
      }
  }
  return summaries;
}

void ReportSummaries::write(const model::Prints &prints) const {
  VarintBytes body;
  body.number(threads.size());
  for (const auto &[number, thread] : threads) {
    body.number(number);
    body.number(thread.print);
    body.number(thread.parts.size());
    for (const std::vector<std::byte> &part : thread.parts) {
      body.number(part.size());
      body.bytes(part);
    }
  }
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.functions = prints.functions;
  header.bytes = body.size();
  header.crc = crc32c(body.bytes().data(), body.size());
  header.headerCrc = crc32c(&header, offsetof(Header, headerCrc));
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char *>(body.bytes().data()), body.size());
  if (const auto place = canonicalPath(prints.directory))
    (void)replaceFile(*place + "/" + kReportSummary, bytes);
}

} // namespace ada::analysis
