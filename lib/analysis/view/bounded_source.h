// A part of a trace as a trace of its own, for analyses that must not read all of a large one, and that can be stopped.
#pragma once

#include "ada/trace/model.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ada::view {

/// What may be read.
struct ReadBounds {
  /// By thread: the first event and the one after the last. The first is one of the source's cuts().
  std::vector<std::pair<uint64_t, uint64_t>> seqs;
  std::function<bool()> isOver;     ///< asked now and then by any thread; true ends the reading with E_STOPPED
  std::atomic<uint64_t> events = 0; ///< read so far
};

inline bool isStopped(const Error &error) { return error.code == "E_STOPPED"; }

/// Threads begin at their first event within the bounds, with the calls that are open there. For threadwise sources
/// that have announced everything.
class BoundedSource : public model::TraceSource {
public:
  BoundedSource(model::TraceSource &source, std::shared_ptr<ReadBounds> bounds)
      : source_(&source), bounds_(std::move(bounds)) {}

  Expected<void> read(model::TraceSink &sink) override { return readPart(sink, {}); }
  bool isThreadwise() const override { return true; }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override;
  std::unique_ptr<model::TraceSource> another() const override;
  std::vector<uint64_t> cuts(uint32_t thread, size_t pieces) const override;
  const std::vector<Error> &problems() const override { return source_->problems(); }
  const std::vector<Warning> &warnings() const override { return source_->warnings(); }

private:
  std::unique_ptr<model::TraceSource> owned_; // if this is another()
  model::TraceSource *source_;
  std::shared_ptr<ReadBounds> bounds_;
};

} // namespace ada::view
