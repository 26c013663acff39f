// A dead thread's detail file, completed from the ring file.
#ifndef ADA_LIB_RECOVER_DETAIL_RECOVERY_H
#define ADA_LIB_RECOVER_DETAIL_RECOVERY_H

#include "ada/ring_file.h"
#include "ada/trace/atf_writer.h"
#include "ada/trace/recover.h"
#include "recover/ring_snapshot.h"
#include "shared/ring/expander.h"

#include <optional>
#include <span>
#include <string>
#include <unordered_set>

namespace ada {

// True if a file of a thread holds a header. One that does not holds nothing: its writer was killed, or found the disk
// full, between open and the first write.
bool hasHeader(const std::string &path);

// With trigger=signal and detail windows: from when on detail is wanted of a process that a signal has ended. Where
// nobody saw how it ended, it was one.
std::optional<std::uint64_t> deathWindowStart(const RingSnapshot &ring, const RecoverOptions &options);

class DetailRecovery {
public:
  // `ring` is null if there is none any more: then nothing can be added. What is older than `fromNs` is not.
  DetailRecovery(std::string path, std::uint32_t tid, const ada_ring_header *ring = nullptr, std::uint64_t fromNs = 0)
      : path_(std::move(path)), tid_(tid), ring_(ring), fromNs_(fromNs) {}

  // Keeps what belongs to the first `indexEvents` index events, adds what is wanted of `waiting`, and makes the links
  // of index file `indexPath` agree with it. Returns how many links were cleared. The details of an event may be in the
  // file although the event is not: the drain writes detail first.
  Expected<std::uint64_t> open(const std::string &indexPath, std::uint64_t indexEvents,
                               std::span<const ada_detail_chunk *const> waiting);
  // Appends the detail of index event `indexSeq`; `link` is its number. Makes the file if there is none.
  Expected<void> add(const ring::Event &event, const ada_detail &detail, std::uint64_t indexSeq, std::uint64_t &link);
  Expected<void> finish();
  bool exists() const { return writer_.has_value(); }

private:
  Expected<void> create();
  Expected<void> addWaiting(const ada_detail_entry &entry);

  std::string path_;
  std::uint32_t tid_;
  const ada_ring_header *ring_;
  std::uint64_t fromNs_;
  std::optional<atf::DetailWriter> writer_;
};

} // namespace ada

#endif // ADA_LIB_RECOVER_DETAIL_RECOVERY_H
