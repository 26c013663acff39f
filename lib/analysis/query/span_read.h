// One read of a trace's calls: workers that read parts, and the joining of calls that continue from part to part.
#pragma once

#include "span_plan.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ada::query {

/// Parts are read by several workers and handed on in order: a worker that has read a part waits for its turn, adds
/// what the parts before it know, and calls the visitor. So ids, sums and the order of rows do not depend on the
/// workers.
class SpanRead {
public:
  SpanRead(SharedTrace &trace, const SpanRequest &request, const std::function<bool(const SpanChunk &)> &visit)
      : trace_(trace), request_(request), filter_(request_, trace.functionCount()), visit_(visit) {}

  Expected<void> run();

private:
  struct Worker;
  struct Item {
    SpanPart part;
    uint64_t number = 0; ///< in the order of the turns
    bool isFirst = false, isLast = false;
    std::shared_ptr<ThreadPlan> plan;
  };
  Expected<std::optional<Item>> next();
  void work();
  Expected<void> read(Worker &worker, const Item &item);
  Expected<void> readPart(Worker &worker, const SpanPart &part, uint64_t skipEndsUntil = 0);
  bool waitForTurn(uint64_t number);

  // At a worker's turn:
  Expected<void> join(Worker &worker, const Item &item);
  Expected<void> joinPart(Worker &worker, ThreadPlan &plan);
  bool begin(Worker &worker);
  Expected<bool> endCrossing(Worker &worker, ThreadPlan &plan);
  Expected<bool> emit(Worker &worker, ThreadPlan &plan);
  Expected<void> hand(SpanRows &rows);
  Expected<void> followOpen(Worker &worker, ThreadPlan &plan);
  Expected<void> readWhole(Worker &worker, ThreadPlan &plan);
  Expected<bool> resolve(size_t depth, ThreadPlan &plan);
  bool isWanted(size_t depth) const;
  void stop(const Expected<void> &why);

  SharedTrace &trace_;
  const SpanRequest request_;
  SpanFilter filter_;
  const std::function<bool(const SpanChunk &)> &visit_;

  std::mutex mutex_;
  std::condition_variable turned_;
  uint64_t turn_ = 0, given_ = 0;
  std::vector<uint32_t> threads_;
  size_t nextThread_ = 0, nextPart_ = 0;
  std::shared_ptr<ThreadPlan> plan_;
  bool isStopped_ = false;
  Expected<void> failed_;

  // About the thread whose turn it is:
  analysis::OpenCalls<SpanNote> open_;
  uint64_t seedSeq_ = 0;  ///< the first event that was read
  uint64_t upTo_ = 0;     ///< the first event that was not joined yet
  bool isJoined_ = false; ///< the current part's open calls were compared
  bool isDone_ = false;   ///< the thread was read in one piece
  uint64_t rows_ = 0;
};

} // namespace ada::query
