// One trace that SQL can be asked about.
#include "attached_trace.h"

#include "trace/base/try.h"

#include <algorithm>

namespace ada::query {

const std::string &AttachedTrace::nameOf(uint32_t function) {
  if (function >= names_.size())
    names_.resize(std::max<size_t>(function + size_t{1}, trace_->functionCount()));
  std::unique_ptr<const std::string> &name = names_[function];
  if (!name)
    name = std::make_unique<const std::string>(validUtf8(trace_->function(function).displayName));
  return *name;
}

Expected<const KeptSpan *> AttachedTrace::find(uint64_t id) {
  const uint64_t first = id >> kRangeBits << kRangeBits;
  auto range = std::ranges::find(kept_, first, &KeptRange::first);
  if (range == kept_.end()) {
    KeptRange read{.first = first, .spans = {}};
    SpanRequest request;
    request.columns = {SpanColumn::Id,       SpanColumn::ParentId, SpanColumn::Ts,      SpanColumn::Dur,
                       SpanColumn::Function, SpanColumn::Thread,   SpanColumn::Process, SpanColumn::Depth,
                       SpanColumn::Exit,     SpanColumn::Outermost};
    request.minId = first, request.maxId = first | ((uint64_t{1} << kRangeBits) - 1);
    request.workers = 1;
    request.stop = &interrupt;
    ADA_TRY(SpanRead(*trace_, request, [&](const SpanChunk &chunk) {
              for (size_t i = 0; i < chunk.rows; ++i)
                read.spans.push_back({chunk.id[i], chunk.parentId[i], chunk.ts[i], chunk.dur[i], chunk.function[i],
                                      chunk.thread[i], chunk.process[i], chunk.depth[i], chunk.exit[i],
                                      chunk.outermost[i]});
              return true;
            }).run());
    if (interrupt)
      return nullptr;
    std::ranges::sort(read.spans, {}, &KeptSpan::id);
    if (kept_.size() == kMaxRanges)
      kept_.pop_back();
    range = kept_.insert(kept_.begin(), std::move(read));
  } else if (range != kept_.begin()) {
    std::rotate(kept_.begin(), range, range + 1);
    range = kept_.begin();
  }
  const auto at = std::ranges::lower_bound(range->spans, id, {}, &KeptSpan::id);
  return at != range->spans.end() && at->id == id ? &*at : nullptr;
}

} // namespace ada::query
