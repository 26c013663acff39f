// Completes a dead thread's detail file from the ring file.
#pragma once

#include "ada/trace/manifest.h"
#include "ada/trace/recover.h"
#include "formats/native/detail/detail_writer.h"
#include "live/recover/ring_snapshot.h"
#include "shared/ring/expander.h"
#include "shared/ring/ring_file.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace ada::recover {

// True if a thread's file holds a header. A file without one holds nothing: between open and the first write, its
// writer was killed or found the disk full.
bool hasHeader(const std::string &path);

// With trigger=signal and detail windows: the time from which on detail is wanted of a process that a signal ended. If
// it is unknown how the process ended, a signal is assumed.
std::optional<uint64_t> deathWindowStart(const RingSnapshot &ring, const RecoverOptions &options);

// Which detail the drain would have written, had it come to that.
struct WantedDetail {
  uint64_t fromNs = 0; // detail from then on
  std::vector<DetailWindow> windows;

  // Whether a slow trigger of one of the windows may have caught a call of the function.
  bool isOfSlow(uint64_t functionId) const {
    const auto isIt = [&](const WindowTrigger &t) { return t.kind == "slow" && t.functionId == functionId; };
    return std::ranges::any_of(windows, [&](const auto &w) { return std::ranges::any_of(w.triggers, isIt); });
  }
  bool operator()(uint64_t ns) const {
    const auto next = std::ranges::lower_bound(windows, ns, {}, &DetailWindow::endNs);
    return ns >= fromNs || (next != windows.end() && next->startNs <= ns);
  }
};

class DetailRecovery {
public:
  // `ring` is null if the ring file is gone; nothing can be added then.
  DetailRecovery(std::string path, uint32_t tid, const WantedDetail &wanted, const ada_ring_header *ring = nullptr)
      : path_(std::move(path)), tid_(tid), ring_(ring), wanted_(wanted) {}

  // Keeps the details of the first `indexEvents` index events, adds those from `waiting` that are wanted, and makes the
  // links of index file `indexPath` agree with the result. Returns how many links were cleared. The detail file may
  // have details of events that are not in the index file, because the drain writes detail first.
  Expected<uint64_t> open(const std::string &indexPath, uint64_t indexEvents,
                          std::span<const ada_detail_chunk *const> waiting);
  // Appends the detail of index event `indexSeq`; `link` becomes its number. Creates the file if there is none.
  Expected<void> add(const ring::Event &event, const ada_detail &detail, uint64_t indexSeq, uint64_t &link);
  Expected<void> finish();
  bool exists() const { return writer_.has_value(); }

private:
  Expected<void> create();
  Expected<void> addWaiting(const ada_detail_entry &entry);

  std::string path_;
  uint32_t tid_;
  const ada_ring_header *ring_;
  const WantedDetail &wanted_;
  std::optional<atf::DetailWriter> writer_;
};

} // namespace ada::recover
