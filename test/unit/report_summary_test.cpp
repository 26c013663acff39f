// A report made from an earlier report's saved summary has the figures of one that reads all events.
#include "ada/trace/convert.h"
#include "analysis/report/report.h"
#include "analysis/report/report_summary.h"
#include "formats/native/index/index_writer.h"
#include "formats/native/sched/sched_file.h"
#include "random_calls.h"
#include "scratch_directory.h"
#include "thorough.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

using namespace ada;
using namespace ada::analysis;
namespace fs = std::filesystem;

namespace {

// A source that counts how often its events are read.
class CountingSource : public model::TraceSource {
public:
  CountingSource(std::unique_ptr<model::TraceSource> source, std::shared_ptr<std::atomic<int>> reads)
      : source_(std::move(source)), reads_(std::move(reads)) {}
  Expected<void> read(model::TraceSink &sink) override { return readPart(sink, {}); }
  bool isThreadwise() const override { return true; }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override {
    *reads_ += !request.threads || !request.threads->empty();
    return source_->readPart(sink, request);
  }
  std::unique_ptr<model::TraceSource> another() const override {
    return std::make_unique<CountingSource>(source_->another(), reads_);
  }
  std::vector<uint64_t> cuts(uint32_t thread, size_t pieces) const override { return source_->cuts(thread, pieces); }
  std::optional<model::Prints> prints(uint32_t process) const override { return source_->prints(process); }
  model::Function functionOf(uint32_t process, uint64_t id) const override { return source_->functionOf(process, id); }
  const std::vector<Error> &problems() const override { return source_->problems(); }
  const std::vector<Warning> &warnings() const override { return source_->warnings(); }

private:
  std::unique_ptr<model::TraceSource> source_;
  std::shared_ptr<std::atomic<int>> reads_;
};

struct Outcome {
  std::string text; // all figures of all rows
  int reads = 0;
  uint64_t calls = 0;
};

Outcome reportOf(const std::string &session, ReportOptions options) {
  auto opened = model::openTrace(session);
  EXPECT_TRUE(opened) << opened.error().text();
  const auto reads = std::make_shared<std::atomic<int>>(0);
  CountingSource source(*std::move(opened), reads);
  TraceTable table;
  TableSink announced(table);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  const auto read = source.readPart(announced, nothing);
  EXPECT_TRUE(read) << read.error().text();
  std::vector<uint32_t> threads;
  for (const model::Thread &thread : table.threads)
    threads.push_back(thread.index);
  options.partEvents = 5000;
  const auto report = makeReport({source, table, threads}, options);
  EXPECT_TRUE(report);
  Outcome outcome;
  std::vector<std::string> lines;
  for (const ReportRow &row : report->rows) {
    const FunctionStatistics &f = row.figures;
    std::string line = std::to_string(row.process) + "/" + std::to_string(row.thread.value_or(99)) + "/" +
                       (row.function ? std::to_string(row.function->id) + row.function->name : row.group) + ":";
    for (const uint64_t figure :
         {f.calls, f.exceptions, f.missing, f.open, f.earlier, f.totalNs, f.selfNs, f.off.waitingNs, f.off.preemptedNs,
          f.selfOff.waitingNs, f.selfOff.preemptedNs, f.durations.count()})
      line += " " + std::to_string(figure);
    for (const int percent : {0, 1, 10, 50, 90, 99, 100})
      line += " " + std::to_string(f.durations.percentile(percent));
    for (const auto &[from, to, count] : f.durations.bins(16))
      line += count ? " " + std::to_string(from) + "x" + std::to_string(count) : "";
    lines.push_back(line + "\n");
    outcome.calls += f.calls;
  }
  std::ranges::sort(lines);
  std::vector<uint64_t> met;
  for (const model::Function &function : report->metFunctions)
    met.push_back(function.id);
  std::ranges::sort(met);
  met.erase(std::unique(met.begin(), met.end()), met.end());
  outcome.text = std::to_string(report->strayExits) + " strays, " + std::to_string(report->missingExits) +
                 " missing, " + std::to_string(met.size()) + " met, " + std::to_string(report->damage.problems.size()) +
                 " problems\n";
  for (const std::string &line : lines)
    outcome.text += line;
  outcome.reads = *reads;
  return outcome;
}

std::string pathOf(const std::string &session, int thread = 0) {
  return session + "/pid_1/thread_" + std::to_string(thread) + "/index.atp";
}
std::string summaryOf(const std::string &session) { return session + "/pid_1/report.summary"; }

void writeEvents(const std::string &path, const std::vector<atf::IndexEvent> &events) {
  fs::create_directories(fs::path(path).parent_path());
  auto writer = atf::IndexWriter::create(path, {.packed = true, .threadId = 7, .overwrite = true});
  ASSERT_TRUE(writer);
  for (const atf::IndexEvent &event : events)
    ASSERT_TRUE(writer->append(event));
  ASSERT_TRUE(writer->finish());
}

// Two threads, one of them short.
std::string makeSession(const std::string &session, const test::CallShape &shape, unsigned seed) {
  const auto events = test::randomCalls(shape, seed);
  writeEvents(pathOf(session), events);
  test::CallShape few = shape;
  few.events = 3000;
  writeEvents(pathOf(session, 1), test::randomCalls(few, seed + 1000));
  return session;
}

ReportOptions with(UseSummaries summaries, uint64_t fromNs = 0, uint64_t toNs = ~uint64_t{0}) {
  ReportOptions options;
  options.summaries = summaries;
  options.filter.fromNs = fromNs, options.filter.toNs = toNs;
  return options;
}

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void setBytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Reports of the whole trace and of time ranges.
void compare(const std::string &session, const std::string &what, uint64_t lastNs) {
  for (const ReportBy by : {ReportBy::Function, ReportBy::Thread}) {
    fs::remove(summaryOf(session));
    ReportOptions none = with(UseSummaries::No), make = with(UseSummaries::Make), use = with(UseSummaries::Yes);
    none.by = make.by = use.by = by;
    const Outcome truth = reportOf(session, none);
    EXPECT_GT(truth.calls, 0u) << what;
    EXPECT_EQ(reportOf(session, use).text, truth.text) << what;
    EXPECT_FALSE(fs::exists(summaryOf(session))) << what; // there are few events
    EXPECT_EQ(reportOf(session, make).text, truth.text) << what;
    EXPECT_TRUE(fs::exists(summaryOf(session))) << what;
    const Outcome used = reportOf(session, use);
    EXPECT_EQ(used.text, truth.text) << what;
    EXPECT_EQ(used.reads, 0) << what;
  }
  // The summary kept for a report by threads also serves a report by functions, and time ranges.
  std::mt19937_64 random(lastNs);
  for (int i = 0; i < test::casesOf(16, 4); ++i) {
    uint64_t from = random() % lastNs, to = random() % lastNs;
    if (i % 4 == 0)
      from = 0;
    if (i % 4 == 1)
      to = ~uint64_t{0};
    if (i % 4 == 2 && from > to)
      std::swap(from, to);
    const Outcome truth = reportOf(session, with(UseSummaries::No, from, to));
    const Outcome used = reportOf(session, with(UseSummaries::Yes, from, to));
    ASSERT_EQ(used.text, truth.text) << what << " from " << from << " to " << to;
  }
}

} // namespace

TEST(ReportSummary, SameFigures) {
  const test::ScratchDirectory scratch;
  for (test::CallShape shape :
       {test::CallShape{.name = "nested"}, test::CallShape{.name = "flat", .deepest = 2},
        test::CallShape{.name = "damaged", .odd = 20}, test::CallShape{.name = "deep", .deepest = 900},
        test::CallShape{.name = "few functions", .functions = 3},
        test::CallShape{.name = "deeper than is known", .deepest = 3000, .odd = 2},
        test::CallShape{.name = "times go back", .back = 5}})
    for (const bool hasLane : {false, true}) {
      shape.events = test::casesOf<size_t>(120'000, 6'000);
      const std::string session = makeSession(scratch / (shape.name + std::to_string(hasLane)), shape, 1);
      const auto events = test::randomCalls(shape, 1);
      if (hasLane && shape.back > 0)
        continue;
      if (hasLane)
        test::writeRandomLane(fs::path(pathOf(session)).parent_path() / "sched.ads", events);
      compare(session, shape.name, events.back().timestampNs);
    }
}

// Most of a range comes from the summary; only the events around its ends are read.
TEST(ReportSummary, RangesReadTheirEnds) {
  const test::ScratchDirectory scratch;
  const test::CallShape shape{.name = "nested", .events = 300'000};
  const std::string session = makeSession(scratch / "session", shape, 2);
  const auto events = test::randomCalls(shape, 2);
  const uint64_t from = events[events.size() / 5].timestampNs, to = events[events.size() * 4 / 5].timestampNs;
  const Outcome all = reportOf(session, with(UseSummaries::Make));
  EXPECT_GT(all.reads, 10);
  const Outcome range = reportOf(session, with(UseSummaries::Yes, from, to));
  EXPECT_GE(range.reads, 2);
  EXPECT_LE(range.reads, 3); // the short thread may be at both ends too
}

// The front of a finished trace is gone: its rows include calls that began before.
TEST(ReportSummary, LostFront) {
  const test::ScratchDirectory scratch;
  const test::CallShape shape{.name = "", .deepest = 30, .odd = 1};
  const std::string session = makeSession(scratch / "session", shape, 4);
  test::dropFirstBlocks(pathOf(session));
  const Outcome truth = reportOf(session, with(UseSummaries::No));
  EXPECT_NE(truth.text.find("strays"), std::string::npos);
  compare(session, "lost front", test::randomCalls(shape, 4).back().timestampNs);
}

// An unfinished trace may grow, and damage has to be reported each time.
TEST(ReportSummary, IsNotMadeOf) {
  const test::ScratchDirectory scratch;
  const test::CallShape shape{.name = ""};
  for (const bool isDamaged : {false, true}) {
    const std::string session = makeSession(scratch / (isDamaged ? "damaged" : "unfinished"), shape, 5);
    fs::remove_all(session + "/pid_1/thread_1");
    std::string bytes = bytesOf(pathOf(session));
    if (isDamaged)
      bytes[bytes.size() / 2] ^= 1;
    else
      bytes.resize(bytes.size() - 64);
    setBytes(pathOf(session), bytes);
    const Outcome truth = reportOf(session, with(UseSummaries::No));
    EXPECT_EQ(reportOf(session, with(UseSummaries::Make)).text, truth.text);
    EXPECT_FALSE(fs::exists(summaryOf(session)));
  }
}

// A file with other events or functions is not taken for the earlier file, whatever its times are.
TEST(ReportSummary, IsNotUsedForOthers) {
  const test::ScratchDirectory scratch;
  const test::CallShape shape{.name = "", .events = 20'000};
  const std::string session = makeSession(scratch / "session", shape, 6);
  reportOf(session, with(UseSummaries::Make));
  const std::string kept = bytesOf(summaryOf(session));
  auto events = test::randomCalls(shape, 6);
  // The same except for one pair, which calls another function.
  for (size_t i = 0; i + 1 < events.size(); ++i)
    if (events[i].kind == EventKind::Call && events[i + 1].kind == EventKind::Return) {
      events[i].functionId = events[i + 1].functionId = (events[i].functionId + 1) % 500;
      break;
    }
  writeEvents(pathOf(session), events);
  const Outcome truth = reportOf(session, with(UseSummaries::No));
  const Outcome used = reportOf(session, with(UseSummaries::Yes));
  EXPECT_EQ(used.text, truth.text);
  EXPECT_GT(used.reads, 0);
  // A lane that was not there before.
  makeSession(session, shape, 6);
  EXPECT_EQ(reportOf(session, with(UseSummaries::Yes)).reads, 0);
  test::writeRandomLane(fs::path(pathOf(session)).parent_path() / "sched.ads", test::randomCalls(shape, 6));
  EXPECT_EQ(reportOf(session, with(UseSummaries::Yes)).text, reportOf(session, with(UseSummaries::No)).text);
  EXPECT_GT(reportOf(session, with(UseSummaries::Yes)).reads, 0);
  fs::remove(fs::path(pathOf(session)).parent_path() / "sched.ads");
  // A manifest, which defines the functions.
  EXPECT_EQ(reportOf(session, with(UseSummaries::Yes)).reads, 0);
  setBytes(session + "/pid_1/manifest.json",
           R"({"version": 1, "threads": [{"id": 0, "events": 1}, {"id": 1, "events": 1}], "symbols": []})");
  const Outcome named = reportOf(session, with(UseSummaries::Yes));
  EXPECT_GT(named.reads, 0);
  EXPECT_EQ(named.text, reportOf(session, with(UseSummaries::No)).text);
}

// If only one thread's summary is missing, only that one is made.
TEST(ReportSummary, ThreadsCount) {
  const test::ScratchDirectory scratch;
  const test::CallShape shape{.name = ""};
  const std::string session = makeSession(scratch / "session", shape, 7);
  const int all = reportOf(session, with(UseSummaries::Make)).reads;
  writeEvents(pathOf(session, 2), test::randomCalls({.name = "", .events = 2000}, 8));
  EXPECT_EQ(reportOf(session, with(UseSummaries::Make)).reads, 1);
  EXPECT_GT(all, 1);
  EXPECT_EQ(reportOf(session, with(UseSummaries::Yes)).reads, 0);
}

TEST(ReportSummary, Damaged) {
  const test::ScratchDirectory scratch;
  const std::string session = makeSession(scratch / "session", {.name = "", .events = 20'000, .odd = 3}, 9);
  const Outcome truth = reportOf(session, with(UseSummaries::Make));
  const std::string good = bytesOf(summaryOf(session));
  EXPECT_EQ(good.substr(0, 4), "ATPS");
  std::mt19937_64 random(1);
  for (size_t i = 0; i < 60; i += test::stride(5)) {
    std::string bad = good;
    if (i % 3 == 0)
      bad.resize(random() % bad.size());
    else
      bad[i < 40 ? random() % bad.size() : i] ^= static_cast<char>(1 << random() % 8);
    setBytes(summaryOf(session), bad);
    const Outcome used = reportOf(session, with(UseSummaries::Yes));
    ASSERT_EQ(used.text, truth.text);
    EXPECT_GT(used.reads, 0);
  }
  // A summary that can't be replaced does no harm.
  fs::remove(summaryOf(session));
  fs::create_directory(summaryOf(session));
  EXPECT_EQ(reportOf(session, with(UseSummaries::Make)).text, truth.text);
  EXPECT_TRUE(fs::is_directory(summaryOf(session)));
  EXPECT_EQ(std::distance(fs::directory_iterator(session + "/pid_1"), fs::directory_iterator()), 3);
}

// Bytes of a part that no writer wrote are refused, whatever they are.
TEST(ReportSummary, HostileParts) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes(random() % 200);
    for (std::byte &byte : bytes)
      byte = std::byte(random() % 4 ? random() % 8 : random());
    VarintCursor from(bytes);
    if (auto part = PartSummary::get(from))
      (void)part->restrict(with(UseSummaries::Yes, 5, 9).filter);
  }
}

TEST(ReportSummary, ManyAtOnce) {
  const test::ScratchDirectory scratch;
  const std::string session = makeSession(scratch / "session", {.name = "", .events = 30'000}, 10);
  const std::string truth = reportOf(session, with(UseSummaries::No)).text;
  std::vector<std::thread> readers;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 6; ++i)
    readers.emplace_back([&] {
      for (int n = 0; n < 5; ++n)
        wrong += reportOf(session, with(n % 2 ? UseSummaries::Yes : UseSummaries::Make)).text != truth;
    });
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(reportOf(session, with(UseSummaries::Yes)).reads, 0);
}
