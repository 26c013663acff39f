// Clears and sets the field detail_seq of index events, in place.
//
// With detail_mode=window, the drain writes index events long before it knows which of their details are kept, and sets
// the links afterwards. A kill between the two writes leaves a link without a detail, or a detail without a link.
#include "live/recover/link_repair.h"

#include "shared/encode/atf.h"
#include "trace/base/file_bytes.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"
#include "trace/base/write_all.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unordered_set>

namespace ada::recover {

namespace {

// Writes the field in the file, which is opened at the first wrong link: most files need no repair.
class LinkField {
public:
  LinkField(const atf::IndexReader &index) : index_(index) {}

  Expected<void> set(uint64_t seq, uint64_t link) {
    if (!file_)
      file_ = ADA_TRY(openForWriting(index_.path(), O_WRONLY));
    const unsigned version = index_.header().version;
    unsigned char bytes[8];
    const auto size = atf::encodeLink(bytes, version, link);
    if (!writeAllAt(file_.get(), bytes, size, atf::linkOffset(version, seq)))
      return systemError(index_.path(), "cannot be written", errno);
    return {};
  }

private:
  const atf::IndexReader &index_;
  FileDescriptor file_;
};

} // namespace

Expected<uint64_t> repairLinks(const std::string &indexPath, uint64_t events, const atf::DetailReader *details) {
  auto index = ADA_TRY(atf::IndexReader::open(indexPath, {.checksum = atf::ChecksumPolicy::Defer}));
  if (index.isPacked()) // it has no links: the detail file holds them
    return uint64_t{0};
  LinkField field(index);
  const uint64_t count = std::min(events, index.size());
  std::unordered_set<uint64_t> cleared;
  Expected<void> written;
  index.forEach({0, count}, [&](uint64_t seq, const atf::IndexEvent &event) -> bool {
    if (event.detailSeq == atf::kNoDetail)
      return true;
    const auto detail = details ? details->at(event.detailSeq) : std::nullopt;
    if (detail && detail->indexSeq == seq)
      return true;
    cleared.insert(seq);
    written = field.set(seq, atf::kNoDetail);
    return static_cast<bool>(written);
  });
  if (!written)
    return written.error();
  if (!details)
    return cleared.size();
  // The file is mapped, so links cleared above read as cleared here. Details need not be in the order of their index
  // events.
  details->forEach([&](const atf::DetailEvent &detail) -> bool {
    if (detail.indexSeq >= count || atf::isAddition(detail.type))
      return true;
    const atf::IndexEvent event = index[detail.indexSeq];
    const auto function = detail.function();
    if (event.detailSeq != atf::kNoDetail || !function || function->functionId != event.functionId ||
        detail.timestampNs != event.timestampNs)
      return true;
    cleared.erase(detail.indexSeq);
    written = field.set(detail.indexSeq, detail.seq);
    return static_cast<bool>(written);
  });
  if (!written)
    return written.error();
  return cleared.size();
}

} // namespace ada::recover
