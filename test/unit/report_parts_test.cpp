// A packed file read in several parts at a time gives the same report as one read in one piece.
#include "ada/trace/atf_index.h"
#include "ada/trace/convert.h"
#include "analysis/report/growing_report.h"
#include "analysis/report/report.h"
#include "formats/native/index/index_writer.h"
#include "random_calls.h"
#include "scratch_directory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>

using namespace ada;
using namespace ada::analysis;
using ada::test::CallShape, ada::test::randomCalls, ada::test::writeRandomLane;

namespace {

std::string write(const std::string &path, const std::vector<atf::IndexEvent> &events) {
  auto writer = atf::IndexWriter::create(path, {.packed = true, .threadId = 7, .overwrite = true});
  EXPECT_TRUE(writer);
  for (const atf::IndexEvent &event : events)
    EXPECT_TRUE(writer->append(event));
  EXPECT_TRUE(writer->finish());
  writeRandomLane(std::filesystem::path(path).parent_path() / "sched.ads", events);
  return path;
}

// All figures of all rows.
std::string textOf(const Report &report) {
  std::vector<std::string> lines;
  for (const ReportRow &row : report.rows) {
    const FunctionStatistics &f = row.figures;
    EXPECT_LE(f.off.notRunningNs(), f.totalNs);
    EXPECT_LE(f.selfOff.sumNs() + f.selfOff.unknownNs, f.selfNs);
    std::string line = row.group + (row.function ? std::to_string(row.function->id) : "") + ":";
    for (const uint64_t figure :
         {f.calls, f.exceptions, f.missing, f.open, f.earlier, f.totalNs, f.selfNs, f.off.waitingNs, f.off.preemptedNs,
          f.off.recorderNs, f.off.unknownNs, f.selfOff.waitingNs, f.selfOff.preemptedNs, f.selfOff.recorderNs,
          f.selfOff.unknownNs, f.onCpuSelfNs()})
      line += " " + std::to_string(figure);
    for (const int percent : {0, 1, 10, 50, 90, 99, 100})
      line += " " + std::to_string(f.durations.percentile(percent)) + " " +
              std::to_string(row.selves.in(f.durations).percentile(percent));
    lines.push_back(line + "\n");
  }
  std::ranges::sort(lines);
  std::string text =
      std::to_string(report.strayExits) + " strays, " + std::to_string(report.missingExits) + " missing\n";
  for (const std::string &line : lines)
    text += line;
  return text;
}

// The same, and the number of parts.
std::pair<std::string, size_t> reportOf(const std::string &path, ReportOptions options, uint64_t partEvents) {
  auto source = model::openTrace(std::filesystem::path(path).parent_path().parent_path().parent_path().string());
  EXPECT_TRUE(source);
  TraceTable table;
  TableSink announced(table);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  const auto read = (*source)->readPart(announced, nothing);
  EXPECT_TRUE(read) << read.error().text();
  options.partEvents = partEvents;
  const auto report = makeReport({**source, table, {0}}, options);
  EXPECT_TRUE(report);
  const uint64_t pieces = table.threads[0].extent->events / partEvents;
  return {textOf(*report), pieces < 2 ? 1 : (*source)->cuts(0, pieces).size()};
}

// A trace that has had only its first events so far.
class Beginning : public model::TraceSource {
public:
  Beginning(model::TraceSource &whole, uint64_t events) : whole_(whole), events_(events) {}
  Expected<void> read(model::TraceSink &sink) override { return readPart(sink, {}); }
  bool isThreadwise() const override { return true; }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override {
    struct Shorter : model::TraceSink {
      Shorter(model::TraceSink &sink, uint64_t events) : sink(sink), most(events) {}
      Expected<void> addProcess(const model::Process &process) override { return sink.addProcess(process); }
      Expected<void> addThread(const model::Thread &thread) override {
        model::Thread shorter = thread;
        shorter.extent->events = std::min(shorter.extent->events, most);
        return sink.addThread(shorter);
      }
      Expected<void> addFunction(const model::Function &function) override { return sink.addFunction(function); }
      Expected<void> events(const model::Batch &batch) override { return sink.events(batch); }
      Expected<void> endThread(uint32_t thread) override { return sink.endThread(thread); }
      model::TraceSink &sink;
      uint64_t most;
    } shorter(sink, events_);
    return whole_.readPart(shorter, request);
  }
  const std::vector<Error> &problems() const override { return whole_.problems(); }
  const std::vector<Warning> &warnings() const override { return whole_.warnings(); }

private:
  model::TraceSource &whole_;
  uint64_t events_;
};

// Reads the trace as it grows, in looks of that many events, each from a source of its own.
std::string grownReportOf(const std::string &path, const ReportOptions &options, uint64_t step) {
  TraceTable table;
  GrowingTrace trace(table);
  GrowingReport report(trace, options);
  uint64_t total = 1;
  for (uint64_t events = 0; events < total; events += step) {
    auto source = model::openTrace(std::filesystem::path(path).parent_path().parent_path().parent_path().string());
    EXPECT_TRUE(source);
    Beginning beginning(**source, events + step);
    report.beginLook();
    const auto looked = trace.look(beginning, report);
    EXPECT_TRUE(looked) << looked.error().text();
    (void)report.report(); // changes nothing
    auto reader = atf::IndexReader::open(path);
    EXPECT_TRUE(reader);
    total = reader->size();
  }
  return textOf(report.report());
}

// Compares both ways of reading. Returns the number of parts it was read in.
size_t compare(const std::string &path, const ReportOptions &options, const std::string &what) {
  const auto [whole, one] = reportOf(path, options, ~uint64_t{0});
  const auto [parts, count] = reportOf(path, options, 5000);
  EXPECT_EQ(one, 1u);
  EXPECT_EQ(parts, whole) << what;
  return count;
}

} // namespace

TEST(ReportParts, SameFigures) {
  const test::ScratchDirectory scratch;
  for (const CallShape &shape : {CallShape{.name = "nested"}, CallShape{.name = "flat", .deepest = 2},
                                 CallShape{.name = "damaged", .odd = 20}, CallShape{.name = "deep", .deepest = 900}}) {
    const std::string path = write(scratch / "index/pid_1/thread_0/index.atp", randomCalls(shape, 1));
    ReportOptions options;
    EXPECT_GT(compare(path, options, shape.name), 3u) << shape.name;
    options.selfDurations = true;
    compare(path, options, shape.name);
    for (const ReportBy by : {ReportBy::Thread, ReportBy::Module, ReportBy::File}) {
      options.by = by;
      compare(path, options, shape.name);
    }
    options = {};
    options.filter.minDurationNs = 5000;
    compare(path, options, shape.name);
    options.filter.fromNs = 50'000'000, options.filter.toNs = 150'000'000;
    options.filter.depth = 3;
    compare(path, options, shape.name);
    options.filter = {};
    options.filter.pruned = {"*1*"};
    options.filter.functions = {"*3*"};
    compare(path, options, shape.name);
  }
}

// A trace that is read while it grows, wherever a look ends, gives the report of the whole.
TEST(ReportParts, Growing) {
  const test::ScratchDirectory scratch;
  for (const CallShape &shape :
       {CallShape{.name = "nested", .events = 12'000}, CallShape{.name = "deep", .events = 12'000, .deepest = 900},
        CallShape{.name = "damaged", .events = 12'000, .odd = 20}}) {
    const std::string path = write(scratch / "index/pid_1/thread_0/index.atp", randomCalls(shape, 5));
    std::vector<ReportOptions> all(4);
    all[1].by = ReportBy::Thread;
    all[2].filter.minDurationNs = 5000, all[2].filter.depth = 3;
    all[3].filter.pruned = {"*1*"}, all[3].filter.functions = {"*3*"};
    for (const ReportOptions &options : all)
      for (const uint64_t step : {uint64_t{701}, uint64_t{5000}, ~uint64_t{0} / 2})
        EXPECT_EQ(grownReportOf(path, options, step), reportOf(path, options, ~uint64_t{0}).first)
            << shape.name << " in looks of " << step;
  }
}

// If the calls open at a block's start are not all known, or the parts don't fit, the file is read in fewer parts, or
// one.
TEST(ReportParts, NotEverythingKnown) {
  const test::ScratchDirectory scratch;
  const std::string deep = write(scratch / "deep/pid_1/thread_0/index.atp",
                                 randomCalls({.name = "deeper than is known", .deepest = 3000, .odd = 2}, 2));
  compare(deep, {}, "deep");
  // A damaged block removes its events; the calls open after it are not those open before it.
  const std::string path = write(scratch / "bad/pid_1/thread_0/index.atp", randomCalls({.name = "", .odd = 5}, 3));
  const auto bytes = static_cast<std::streamoff>(std::filesystem::file_size(path));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(bytes / 2);
  file.put('\x55').put('\xaa').put('\x55');
  file.close();
  EXPECT_GT(compare(path, {}, "damaged"), 3u);
}

// A trace that lost its front: the calls that began before are known at the first part's start.
TEST(ReportParts, LostFront) {
  const test::ScratchDirectory scratch;
  const std::vector<atf::IndexEvent> events = randomCalls({.name = "", .deepest = 30, .odd = 1}, 4);
  const std::string path = write(scratch / "index/pid_1/thread_0/index.atp", events);
  auto reader = atf::IndexReader::open(path);
  ASSERT_TRUE(reader);
  const uint64_t cut = reader->cutFrom(1);
  ASSERT_LT(cut, reader->size());
  // Edited by hand: the file's header leads to the second block, and the file counts as never finished.
  const uint64_t offset = reader->offsetOf(cut);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string head(128, '\0');
  file.read(head.data(), 128);
  std::fill(head.begin() + 8, head.begin() + 12, '\0');
  for (int i = 0; i < 8; ++i)
    head[24 + static_cast<size_t>(i)] = static_cast<char>(offset >> (8 * i));
  std::fill(head.begin() + 32, head.begin() + 64, '\0');
  uint32_t sum = ~0u;
  for (size_t i = 0; i < 124; ++i) {
    sum ^= static_cast<unsigned char>(head[i]);
    for (int bit = 0; bit < 8; ++bit)
      sum = sum >> 1 ^ (sum & 1 ? 0x82F63B78u : 0);
  }
  for (int i = 0; i < 4; ++i)
    head[124 + static_cast<size_t>(i)] = static_cast<char>(~sum >> (8 * i));
  file.seekp(0);
  file.write(head.data(), 128);
  file.close();
  EXPECT_GT(compare(path, {}, "lost front"), 2u);
}
