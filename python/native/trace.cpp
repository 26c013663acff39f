// An opened trace of any format, for questions from several Python threads at once.
#include "trace.h"

#include "formats/table.h"
#include "trace/base/try.h"

#include <algorithm>
#include <numeric>

namespace ada::python {

Expected<std::shared_ptr<Trace>> Trace::open(const std::string &path, const StopFlag &stop) {
  auto trace = std::make_shared<Trace>();
  trace->path_ = path;
  formats::TraceLocation place = ADA_TRY(formats::locate(path));
  if (place.bytes)
    place.bytes->stopBy(stop);
  auto source = ADA_TRY(formats::openTrace(std::move(place)));
  // A trace whose threads come mixed is read now, which may take long.
  trace->shared_ = ADA_TRY(query::SharedTrace::open(std::make_unique<StoppableSource>(std::move(source), stop)));
  trace->damage_ = {trace->shared_->problems(), trace->shared_->warnings()};
  bool any = false;
  for (const model::Thread &thread : trace->table().threads)
    if (thread.extent && thread.extent->events) {
      trace->startNs_ = any ? std::min(trace->startNs_, thread.extent->firstNs) : thread.extent->firstNs;
      trace->endNs_ = std::max(trace->endNs_, thread.extent->lastNs);
      any = true;
    }
  return trace;
}

uint64_t Trace::eventCount() const {
  return std::accumulate(
      table().threads.begin(), table().threads.end(), uint64_t(0),
      [](uint64_t sum, const model::Thread &thread) { return sum + (thread.extent ? thread.extent->events : 0); });
}

std::vector<uint32_t> Trace::threads(const std::optional<std::vector<uint32_t>> &chosen) const {
  if (chosen)
    return *chosen;
  std::vector<uint32_t> all(table().threads.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Trace::Reading Trace::read(const StopFlag &stop) const {
  return {std::make_unique<StoppableSource>(shared_->plainSource(), stop), table()};
}

} // namespace ada::python
