// A dead thread's detail file, completed from the ring file.
#ifndef ADA_LIB_RECOVER_DETAIL_RECOVERY_H
#define ADA_LIB_RECOVER_DETAIL_RECOVERY_H

#include "ada/trace/atf_writer.h"
#include "recover/ring_snapshot.h"
#include "ring/expander.h"

#include <optional>
#include <string>

namespace ada {

class DetailRecovery {
public:
  DetailRecovery(std::string path, const RingSnapshot &ring, std::uint32_t tid)
      : path(std::move(path)), ring(ring), tid(tid) {}

  // Keeps what belongs to the first `indexEvents` index events of a file that exists: the drain writes detail first.
  Expected<void> open(std::uint64_t indexEvents);
  // Appends the detail of index event `indexSeq`; `link` is its number. Makes the file if there is none.
  Expected<void> add(const ring::Event &event, const ada_detail &detail, std::uint64_t indexSeq, std::uint64_t &link);
  Expected<void> finish();
  bool exists() const { return writer.has_value(); }

private:
  std::string path;
  const RingSnapshot &ring;
  std::uint32_t tid;
  std::optional<atf::DetailWriter> writer;
};

// Writes the footer of a detail file that has none.
Expected<void> finishDetail(const std::string &path);

} // namespace ada

#endif // ADA_LIB_RECOVER_DETAIL_RECOVERY_H
