// Sorts events by thread and time with a merge sort, whose runs are in a temporary file.
#include "event_sorter.h"
#include "trace/base/try.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace ada::formats {

static bool isBefore(const LooseEvent &a, const LooseEvent &b) {
  return std::tie(a.thread, a.timeNs, a.tie, a.number) < std::tie(b.thread, b.timeNs, b.tie, b.number);
}

Expected<void> EventSorter::add(LooseEvent event, std::string_view text) {
  event.number = count_++;
  firstNs_ = std::min(firstNs_, event.timeNs);
  lastNs_ = std::max({lastNs_, event.timeNs, event.endNs});
  event.textBytes = static_cast<uint32_t>(text.size());
  event.textAt = texts_.size() + pendingText_.size();
  pendingText_.append(text);
  pending_.push_back(event);
  if (pendingText_.size() >= keptText_) {
    ADA_TRY(texts_.append(std::as_bytes(std::span(pendingText_))));
    pendingText_.clear();
  }
  return pending_.size() >= kept_ ? spill() : Expected<void>();
}

Expected<void> EventSorter::spill() {
  std::ranges::sort(pending_, isBefore);
  const auto offset = ADA_TRY(runs_.append(std::as_bytes(std::span(pending_))));
  spilled_.push_back({offset, pending_.size()});
  pending_.clear();
  return {};
}

// One run, in pieces.
class EventSorter::RunReader {
public:
  RunReader(const TemporaryFile &file, Run run, size_t piece) : file_(file), run_(run), piece_(piece) {}

  /// The next event; null at the end.
  Expected<const LooseEvent *> next() {
    if (at_ == held_.size()) {
      held_.resize(std::min<uint64_t>(piece_, run_.count));
      at_ = 0;
      if (held_.empty())
        return nullptr;
      ADA_TRY(file_.read(run_.offset, std::as_writable_bytes(std::span(held_))));
      run_.offset += held_.size() * sizeof(LooseEvent);
      run_.count -= held_.size();
    }
    return &held_[at_++];
  }

private:
  const TemporaryFile &file_;
  Run run_;
  size_t piece_;
  std::vector<LooseEvent> held_;
  size_t at_ = 0;
};

Expected<std::string_view> EventSorter::textOf(const LooseEvent &event) {
  if (event.textBytes == 0)
    return std::string_view();
  if (event.textAt >= texts_.size())
    return std::string_view(pendingText_).substr(event.textAt - texts_.size(), event.textBytes);
  // Texts are needed in roughly the order in which they came, so a window around one usually has the next one, too.
  constexpr uint64_t kBefore = 16 << 10, kWindow = 64 << 10;
  if (event.textAt < windowAt_ || event.textAt + event.textBytes > windowAt_ + window_.size()) {
    windowAt_ = event.textAt - std::min(event.textAt, kBefore);
    const uint64_t end = std::min(texts_.size(), std::max(windowAt_ + kWindow, event.textAt + event.textBytes));
    window_.resize(end - windowAt_);
    ADA_TRY(texts_.read(windowAt_, std::as_writable_bytes(std::span(window_))));
  }
  return std::string_view(window_).substr(event.textAt - windowAt_, event.textBytes);
}

Expected<void> EventSorter::drain(const std::function<bool(const LooseEvent &, std::string_view)> &take) {
  if (spilled_.empty()) {
    std::ranges::sort(pending_, isBefore);
    for (const LooseEvent &event : pending_) {
      const auto text = ADA_TRY(textOf(event));
      if (!take(event, text))
        break;
    }
    return {};
  }
  if (!pending_.empty())
    ADA_TRY(spill());
  pending_ = {};
  constexpr size_t kBytes = 32 << 20, kFewest = 64;
  const size_t piece = std::max(kFewest, kBytes / sizeof(LooseEvent) / spilled_.size());
  std::vector<RunReader> readers;
  readers.reserve(spilled_.size());
  struct Head {
    LooseEvent event;
    size_t reader;
    bool operator<(const Head &other) const { return isBefore(other.event, event); } // the earliest event is on top
  };
  std::priority_queue<Head> heads;
  const auto advance = [&](size_t reader) -> Expected<void> {
    const auto next = ADA_TRY(readers[reader].next());
    if (next)
      heads.push({*next, reader});
    return {};
  };
  for (const Run &run : spilled_) {
    readers.emplace_back(runs_, run, piece);
    ADA_TRY(advance(readers.size() - 1));
  }
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    const auto text = ADA_TRY(textOf(head.event));
    if (!take(head.event, text))
      break;
    ADA_TRY(advance(head.reader));
  }
  return {};
}

} // namespace ada::formats
