// A dead thread's detail file, completed from the ring file.
#ifndef ADA_LIB_RECOVER_DETAIL_RECOVERY_H
#define ADA_LIB_RECOVER_DETAIL_RECOVERY_H

#include "ada/ring_file.h"
#include "ada/trace/atf_writer.h"
#include "shared/ring/expander.h"

#include <optional>
#include <string>

namespace ada {

// True if a file of a thread holds a header. One that does not holds nothing: its writer was killed, or found the disk
// full, between open and the first write.
bool hasHeader(const std::string &path);

class DetailRecovery {
public:
  // `ring` is null if there is none any more: then nothing can be added.
  DetailRecovery(std::string path, const ada_ring_header *ring, std::uint32_t tid)
      : path_(std::move(path)), ring_(ring), tid_(tid) {}

  // Keeps what belongs to the first `indexEvents` index events, and makes the links of index file `indexPath` agree
  // with it. Returns how many links were cleared. The details of an event may be in the file although the event is not:
  // the drain writes detail first.
  Expected<std::uint64_t> open(const std::string &indexPath, std::uint64_t indexEvents);
  // Appends the detail of index event `indexSeq`; `link` is its number. Makes the file if there is none.
  Expected<void> add(const ring::Event &event, const ada_detail &detail, std::uint64_t indexSeq, std::uint64_t &link);
  Expected<void> finish();
  bool exists() const { return writer_.has_value(); }

private:
  std::string path_;
  const ada_ring_header *ring_;
  std::uint32_t tid_;
  std::optional<atf::DetailWriter> writer_;
};

} // namespace ada

#endif // ADA_LIB_RECOVER_DETAIL_RECOVERY_H
