// A trace opened for a viewer: pictures and calls of any part of it, for several threads of the program at once.
#pragma once

#include "analysis/events/trace_table.h"
#include "function_list.h"
#include "picture.h"
#include "thread_walk.h"
#include "viewer_index.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ada::view {

struct PictureRequest {
  uint32_t thread = 0;
  uint64_t fromNs = 0, toNs = 0; ///< on the trace's clock
  uint64_t pixels = 1000;
  uint32_t depths = ~uint32_t{0}; ///< only this many, from the outermost on
};

/// Items are in no particular order.
struct Picture {
  enum class From { Events, Index, Samples } from = From::Events;
  bool isExact = true;
  uint32_t maxDepth = 0; ///< largest number of calls open at once
  std::vector<Item> items;
};

/// What one thread of the program needs for reading.
struct Reader {
  Reader(std::unique_ptr<model::TraceSource> from, const analysis::TraceTable &known, FunctionList &list)
      : source(std::move(from)), table(known), numbers(table, list) {}
  std::unique_ptr<model::TraceSource> source;
  analysis::TraceTable table;
  FunctionNumbers numbers;
};

class TraceView {
public:
  /// `functions` must outlive this; function numbers are its numbers. Errors: those of the source.
  static Expected<std::shared_ptr<TraceView>> open(std::unique_ptr<model::TraceSource> source, FunctionList &functions);

  /// Processes and threads; not the functions, which are in the FunctionList.
  const analysis::TraceTable &table() const { return table_; }
  FunctionList &functions() const { return *functions_; }
  uint64_t events() const { return events_; }
  /// Time of the first and last event.
  uint64_t startNs() const { return start_; }
  uint64_t endNs() const { return end_; }
  /// All damage found so far, each once.
  std::vector<std::string> warnings() const;

  Expected<Picture> picture(const PictureRequest &request);

  /// From now on, answers use it, too.
  void setIndex(std::shared_ptr<const ViewerIndex> index);
  /// Null while there is none, and after it was found to be damaged.
  std::shared_ptr<const ViewerIndex> index() const;
  /// The index can't be used any more; `why` becomes one of the warnings.
  void dropIndex(const Error &why);

  /// The last place of the thread such that all events from `ns` on come after it. With an index it is near; otherwise
  /// it is as near as the trace's own places.
  Expected<ReadingPlace> placeBefore(uint32_t thread, uint64_t ns);
  /// The same for the number of an event, which comes at or after the place.
  Expected<ReadingPlace> placeOf(uint32_t thread, uint64_t seq);
  /// The events of the thread in a range of time: from the last of the source's places before it (where open calls are
  /// known) to the first one after it.
  Expected<std::pair<uint64_t, uint64_t>> seqsAround(uint32_t thread, uint64_t fromNs, uint64_t toNs);
  /// Reads from a place on until the visitor has enough or the thread ends. Then `after` gets the open calls, before
  /// they are dropped. True if the thread has ended.
  Expected<bool> walk(uint32_t thread, const ReadingPlace &place, CallVisitor &visitor,
                      const std::function<void(ThreadWalk &)> &after = {});

  /// A reader for one thread of the program, given back when it is destroyed.
  class Lease {
  public:
    Lease(TraceView &view, std::unique_ptr<Reader> reader) : view_(view), reader_(std::move(reader)) {}
    Lease(const Lease &) = delete;
    ~Lease() { view_.giveBack(std::move(reader_)); }
    Reader *operator->() const { return reader_.get(); }
    Reader &operator*() const { return *reader_; }

  private:
    TraceView &view_;
    std::unique_ptr<Reader> reader_;
  };
  Lease lease();

private:
  struct ThreadCuts;
  TraceView() = default;
  void giveBack(std::unique_ptr<Reader> reader);
  void tell(const model::TraceSource &source);
  ThreadCuts &cutsOf(uint32_t thread);
  Expected<uint64_t> timeOf(uint32_t thread, ThreadCuts &cuts, size_t cut);
  Expected<size_t> cutBefore(uint32_t thread, ThreadCuts &cuts, uint64_t ns);
  Expected<bool> readEvents(const PictureRequest &request, const ReadingPlace &place, const ViewerIndex *index,
                            Picture &picture);
  Expected<Picture> drawCalls(const PictureRequest &request);
  Expected<Picture> indexPicture(const PictureRequest &request, const ViewerIndex &index);
  Expected<bool> readSamples(const PictureRequest &request, size_t first, size_t last, Picture &picture);

  std::unique_ptr<model::TraceSource> source_; // other sources are made from it; it reads nothing after open()
  analysis::TraceTable table_;
  FunctionList *functions_ = nullptr;
  uint64_t events_ = 0, start_ = 0, end_ = 0;
  std::vector<std::unique_ptr<ThreadCuts>> cuts_; // by thread

  mutable std::mutex mutex_;
  std::shared_ptr<const ViewerIndex> index_;
  std::vector<std::unique_ptr<Reader>> readers_; // unused ones
  std::vector<std::string> warnings_;
};

} // namespace ada::view
