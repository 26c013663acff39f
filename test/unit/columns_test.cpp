// Calls as columns have the rows of a thread read in one piece, whatever the request, the parts and the workers.
//
// And they add up to what a report says.
#include "ada/trace/atf_index.h"
#include "ada/trace/columns.h"
#include "ada/trace/convert.h"
#include "analysis/report/report.h"
#include "formats/native/index/index_writer.h"
#include "random_calls.h"
#include "scratch_directory.h"
#include "thorough.h"

#include <algorithm>
#include <compare>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace ada;
using namespace ada::query;
using ada::test::CallShape, ada::test::randomCalls, ada::test::writeRandomLane;

namespace {

struct Row {
  uint64_t id, parentId, ts, dur, self, onCpu, waiting, preempted, recorder;
  uint32_t function, thread, process, depth;
  uint8_t exit, outermost;
  auto operator<=>(const Row &) const = default;
};

SpanColumns allNumbers() {
  SpanColumns all;
  for (auto column = SpanColumn::Id; column <= SpanColumn::Outermost; column = SpanColumn(int(column) + 1))
    all.add(column);
  return all;
}

std::vector<Row> rowsOf(SpanTable &table, const SpanRequest &request) {
  std::vector<Row> rows;
  const auto done = table.read(request, [&](const SpanChunk &chunk) {
    EXPECT_EQ(chunk.firstRow, rows.size());
    for (size_t i = 0; i < chunk.rows; ++i) {
      const auto at = [i](auto column) { return column.empty() ? 0 : column[i]; };
      rows.push_back({at(chunk.id), at(chunk.parentId), at(chunk.ts), at(chunk.dur), at(chunk.self), at(chunk.onCpu),
                      at(chunk.waiting), at(chunk.preempted), at(chunk.recorder), at(chunk.function), at(chunk.thread),
                      at(chunk.process), at(chunk.depth), static_cast<uint8_t>(at(chunk.exit)),
                      static_cast<uint8_t>(at(chunk.outermost))});
    }
    return true;
  });
  EXPECT_TRUE(done) << done.error().text();
  std::ranges::sort(rows);
  return rows;
}

// The rows among `all` that a request is for.
std::vector<Row> chosenFrom(std::vector<Row> all, const SpanRequest &request) {
  const auto lists = [](const auto &list, uint32_t number) {
    return !list || std::ranges::find(*list, number) != list->end();
  };
  std::erase_if(all, [&](const Row &row) {
    return !(row.ts < request.toNs && row.ts + row.dur >= request.fromNs && row.ts >= request.minTs &&
             row.ts <= request.maxTs && row.dur >= request.minDur && row.dur <= request.maxDur &&
             row.depth >= request.minDepth && row.depth <= request.maxDepth && row.id >= request.minId &&
             row.id <= request.maxId && lists(request.threads, row.thread) && lists(request.functions, row.function));
  });
  const auto clear = [&](SpanColumn column, auto Row::*value) {
    if (!request.columns.has(column))
      for (Row &row : all)
        row.*value = 0;
  };
  clear(SpanColumn::ParentId, &Row::parentId), clear(SpanColumn::Ts, &Row::ts), clear(SpanColumn::Dur, &Row::dur);
  clear(SpanColumn::Self, &Row::self), clear(SpanColumn::OnCpu, &Row::onCpu);
  clear(SpanColumn::Waiting, &Row::waiting), clear(SpanColumn::Preempted, &Row::preempted);
  clear(SpanColumn::Recorder, &Row::recorder), clear(SpanColumn::Function, &Row::function);
  clear(SpanColumn::Thread, &Row::thread), clear(SpanColumn::Process, &Row::process);
  clear(SpanColumn::Depth, &Row::depth), clear(SpanColumn::Exit, &Row::exit);
  clear(SpanColumn::Outermost, &Row::outermost);
  return all;
}

std::unique_ptr<SpanTable> open(const std::string &path) {
  auto source = model::openTrace(path);
  EXPECT_TRUE(source);
  auto table = SpanTable::open(*std::move(source));
  EXPECT_TRUE(table);
  return *std::move(table);
}

std::vector<Row> readInOnePiece(SpanTable &table) {
  return rowsOf(table, {.columns = allNumbers(), .partEvents = ~uint64_t{0}});
}

SpanRequest randomRequest(std::mt19937_64 &random, const SpanTable &table, const std::vector<Row> &all) {
  const auto among = [&](uint64_t low, uint64_t high) { return low + random() % (high - low + 1); };
  const auto oneOf = [&](unsigned n) { return random() % n == 0; };
  const uint64_t endNs = std::ranges::max(all, {}, &Row::ts).ts, startNs = std::ranges::min(all, {}, &Row::ts).ts;
  SpanRequest request{.columns = {SpanColumn::Id}, .workers = static_cast<unsigned>(among(1, 3)), .partEvents = 5000};
  for (auto column = SpanColumn::ParentId; column <= SpanColumn::Outermost; column = SpanColumn(int(column) + 1))
    if (!oneOf(3))
      request.columns.add(column);
  if (oneOf(2))
    request.fromNs = among(startNs, endNs), request.toNs = request.fromNs + among(0, oneOf(2) ? 100'000 : endNs);
  if (oneOf(4))
    request.minTs = among(startNs, endNs);
  if (oneOf(4))
    request.maxTs = among(startNs, endNs);
  if (oneOf(3))
    request.minDur = among(0, 10'000);
  if (oneOf(5))
    request.maxDur = among(0, 1'000'000);
  if (oneOf(3))
    request.minDepth = static_cast<uint32_t>(among(0, 8));
  if (oneOf(3))
    request.maxDepth = static_cast<uint32_t>(among(0, 8));
  if (oneOf(3)) {
    request.functions.emplace();
    for (int i = 0; i < 3; ++i)
      request.functions->push_back(static_cast<uint32_t>(random() % table.functions().size()));
  }
  if (oneOf(5)) {
    request.minId = all[random() % all.size()].id;
    request.maxId = request.minId + (oneOf(2) ? 0 : among(0, 50'000));
  }
  return request;
}

void compare(const std::string &path, unsigned requests, const std::string &what) {
  const std::unique_ptr<SpanTable> table = open(path);
  const std::vector<Row> all = readInOnePiece(*table);
  std::mt19937_64 random(11);
  for (unsigned i = 0; i < requests; ++i) {
    const SpanRequest request =
        i == 0 ? SpanRequest{.columns = allNumbers(), .partEvents = 5000} : randomRequest(random, *table, all);
    EXPECT_EQ(rowsOf(*table, request), chosenFrom(all, request)) << what << ", request " << i;
  }
}

std::string write(const std::string &path, const CallShape &shape, unsigned seed) {
  const std::vector<atf::IndexEvent> events = randomCalls(shape, seed);
  auto writer = atf::IndexWriter::create(path, {.packed = true, .threadId = 7, .overwrite = true});
  EXPECT_TRUE(writer);
  for (const atf::IndexEvent &event : events)
    EXPECT_TRUE(writer->append(event));
  EXPECT_TRUE(writer->finish());
  writeRandomLane(std::filesystem::path(path).parent_path() / "sched.ads", events);
  return std::filesystem::path(path).parent_path().parent_path().parent_path().string();
}

} // namespace

TEST(Columns, AnyRequest) {
  const test::ScratchDirectory scratch;
  for (const CallShape &shape :
       {CallShape{.name = "nested"}, CallShape{.name = "flat", .deepest = 2}, CallShape{.name = "odd", .odd = 20},
        CallShape{.name = "deep", .events = 40'000, .deepest = 900},
        CallShape{.name = "deeper than is known", .events = 40'000, .deepest = 3000, .odd = 2},
        CallShape{.name = "back", .events = 40'000, .back = 20}})
    compare(write(scratch / (shape.name + "/pid_1/thread_0/index.atp"), shape, 1), test::casesOf(25, 8), shape.name);
}

// A damaged block removes its events; the calls open after it are not those open before it.
TEST(Columns, DamagedBlock) {
  const test::ScratchDirectory scratch;
  const std::string file = scratch / "bad/pid_1/thread_0/index.atp";
  const std::string path = write(file, {.name = "", .odd = 5}, 3);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file)) / 2);
  bytes.put('\x55').put('\xaa').put('\x55');
  bytes.close();
  const std::unique_ptr<SpanTable> table = open(path);
  const std::vector<Row> all = readInOnePiece(*table);
  EXPECT_EQ(rowsOf(*table, {.columns = allNumbers(), .partEvents = 5000}), all);
  EXPECT_EQ(table->problems().size(), 1u);
}

// The sums by function are a report's rows, to the nanosecond.
TEST(Columns, SumsAreTheReport) {
  const test::ScratchDirectory scratch;
  const std::string path = write(scratch / "index/pid_1/thread_0/index.atp", {.name = "", .odd = 10}, 4);
  const std::unique_ptr<SpanTable> table = open(path);
  std::map<uint64_t, FunctionStatistics> sums;
  std::map<uint64_t, uint64_t> onCpu;
  for (const Row &row : rowsOf(*table, {.columns = allNumbers()})) {
    const uint64_t id = table->functions()[row.function].id;
    FunctionStatistics &sum = sums[id];
    ++sum.calls;
    sum.selfNs += row.self;
    onCpu[id] += row.onCpu;
    if (row.outermost)
      sum.totalNs += row.dur, sum.off.waitingNs += row.waiting, sum.off.preemptedNs += row.preempted,
          sum.off.recorderNs += row.recorder;
  }
  auto source = model::openTrace(path);
  ASSERT_TRUE(source);
  analysis::TraceTable announced;
  analysis::TableSink sink(announced);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  ASSERT_TRUE((*source)->readPart(sink, nothing));
  const auto report = analysis::makeReport({**source, announced, {0}}, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(sums.size(), report->rows.size());
  for (const analysis::ReportRow &row : report->rows) {
    const FunctionStatistics &sum = sums[row.function->id], &figures = row.figures;
    EXPECT_EQ(sum.calls, figures.calls);
    EXPECT_EQ(sum.totalNs, figures.totalNs);
    EXPECT_EQ(sum.selfNs, figures.selfNs);
    EXPECT_EQ(onCpu[row.function->id], figures.onCpuSelfNs());
    EXPECT_EQ(sum.off.waitingNs, figures.off.waitingNs);
    EXPECT_EQ(sum.off.preemptedNs, figures.off.preemptedNs);
    EXPECT_EQ(sum.off.recorderNs, figures.off.recorderNs);
  }
}
