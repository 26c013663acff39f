// The calls of a trace as columns: arrays with one value per call, of those columns only that are asked for.
//
//   auto source = ada::model::openTrace("ada-traces/session_20261121_101500");
//   auto trace = source ? ada::query::SpanTable::open(*std::move(source)) : source.error();
//   ada::query::SpanRequest wanted;
//   wanted.columns = {SpanColumn::Ts, SpanColumn::Dur, SpanColumn::Function};
//   wanted.minDur = 1'000'000;
//   auto done = (*trace)->read(wanted, [&](const ada::query::SpanChunk &chunk) {
//     for (size_t row = 0; row < chunk.rows; ++row)
//       use(chunk.ts[row], chunk.dur[row], (*trace)->functions()[chunk.function[row]].displayName);
//     return true;
//   });
//
// It reads any trace that has calls. Packed files are read by parts, on all cores, and a request for a time reads only
// the parts that have it. Traces whose threads come mixed are copied to a temporary file first.
//
// Times are nanoseconds on the trace's clock. The columns are those of the table `spans` and have the same values
// everywhere: in SQL, in Python and in exports. Text is as the trace has it; in a damaged one it may not be UTF-8.
#ifndef ADA_TRACE_COLUMNS_H
#define ADA_TRACE_COLUMNS_H

#include "ada/trace/model.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::query {

enum class SpanColumn : uint8_t {
  Id,
  ParentId,
  Ts,
  Dur,
  Self,
  OnCpu,
  Waiting,
  Preempted,
  Recorder,
  Function,
  Thread,
  Process,
  Depth,
  Exit,
  Outermost,
  Arguments,
  Result,
  Values,
  SelfRecorder,
};

/// A set of columns.
class SpanColumns {
public:
  constexpr SpanColumns() = default;
  constexpr SpanColumns(std::initializer_list<SpanColumn> columns) {
    for (const SpanColumn column : columns)
      add(column);
  }
  constexpr void add(SpanColumn column) { bits_ |= bitOf(column); }
  constexpr bool has(SpanColumn column) const { return (bits_ & bitOf(column)) != 0; }
  constexpr bool hasAny(SpanColumns other) const { return (bits_ & other.bits_) != 0; }

private:
  static constexpr uint32_t bitOf(SpanColumn column) { return uint32_t{1} << static_cast<unsigned>(column); }
  uint32_t bits_ = 0;
};

/// Where a number is not known: off-CPU times of a thread whose scheduling was not recorded.
inline constexpr uint64_t kUnknown = ~uint64_t{0};
/// In `parentId`: the call is outermost.
inline constexpr uint64_t kNoParent = 0;

/// The id of a call: its thread, and which of the thread's events began it. Calls that began before the thread's first
/// event are numbered from the end.
inline constexpr unsigned kSpanIdBits = 40;
constexpr uint64_t spanId(uint32_t thread, uint64_t beginSeq) {
  return uint64_t{thread} << kSpanIdBits | (beginSeq + 1);
}
constexpr uint64_t earlierSpanId(uint32_t thread, uint32_t depth) {
  return uint64_t{thread} << kSpanIdBits | ((uint64_t{1} << kSpanIdBits) - 1 - depth);
}

/// Which calls, and what of each. All conditions must hold.
struct SpanRequest {
  static constexpr uint64_t kNoLimit = ~uint64_t{0};

  SpanColumns columns;
  /// Calls that overlap fromNs <= t < toNs: those that began before toNs and had not ended before fromNs.
  uint64_t fromNs = 0, toNs = kNoLimit;
  /// Calls that began in this time, both ends included.
  uint64_t minTs = 0, maxTs = kNoLimit;
  /// Calls that took that long, both ends included.
  uint64_t minDur = 0, maxDur = kNoLimit;
  uint32_t minDepth = 0, maxDepth = ~uint32_t{0};
  /// Calls whose ids are in this range, both ends included.
  uint64_t minId = 0, maxId = kNoLimit;
  /// Numbers of threads and functions; without a list, all.
  std::optional<std::vector<uint32_t>> threads = {}, functions = {};
  /// How many threads of the program read, at most; 0: as many as there are cores.
  unsigned workers = 0;
  /// If not null, the read ends soon after this has become true, as if `visit` had returned false.
  const std::atomic<bool> *stop = nullptr;
  /// Threads with more events are read in parts of at least that many, if the trace allows that.
  uint64_t partEvents = uint64_t{1} << 18;
};

/// Some calls. Only the columns asked for have values, `rows` of them each. Valid during the visit.
struct SpanChunk {
  size_t rows = 0;
  uint64_t firstRow = 0; ///< how many rows came in chunks before
  std::span<const uint64_t> id = {}, parentId = {}, ts = {}, dur = {}, self = {}, onCpu = {}, waiting = {},
                            preempted = {}, recorder = {}, selfRecorder = {};
  std::span<const uint32_t> function = {}, thread = {}, process = {}, depth = {};
  std::span<const uint8_t> exit = {}, outermost = {}; ///< `exit`: a SpanEnd
  std::span<const std::string> arguments = {}, result = {}, values = {};
};

/// The calls of one trace, and what they refer to. Several reads may be under way at a time, on any threads.
class SpanTable {
public:
  /// Takes the trace, and reads what it announces; also its events if it does not announce its functions.
  static Expected<std::unique_ptr<SpanTable>> open(std::unique_ptr<model::TraceSource> source);
  virtual ~SpanTable();

  /// By number.
  virtual const std::vector<model::Process> &processes() const = 0;
  virtual const std::vector<model::Thread> &threads() const = 0;
  /// By number. Several symbols that reports count as one function, such as the loads of one library, have one number.
  /// So do the functions of a program or library that several processes share: `process` is then
  /// the first of them; SpanChunk::process has that of each call.
  /// Do not call this during a read of a damaged trace: such a trace may add functions that it did not announce.
  virtual const std::deque<model::Function> &functions() const = 0;

  /// Calls `visit` with all calls that match, a chunk of at most some 300,000 at a time, by thread. Within a thread the
  /// calls come in the order of their ends, except for some that are longer than a part of the thread. The order
  /// depends on trace and request, not on the number of workers. `visit` is called from several threads, one at a time;
  /// if it returns false, the read ends. Memory: some megabytes per worker and column. Errors: E_IO, and those of the
  /// source.
  virtual Expected<void> read(const SpanRequest &request, const std::function<bool(const SpanChunk &)> &visit) = 0;

  /// What was wrong with the trace, as far as it has been read.
  virtual std::vector<Error> problems() const = 0;
  virtual std::vector<Warning> warnings() const = 0;
};

} // namespace ada::query

#endif // ADA_TRACE_COLUMNS_H
