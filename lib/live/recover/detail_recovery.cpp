// Completes detail files.
#include "live/recover/detail_recovery.h"

#include "ada/trace/atf_detail.h"
#include "live/recover/link_repair.h"
#include "shared/encode/packed_format.h"
#include "shared/encode/ring_detail.h"
#include "shared/ring/tables.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::recover {

bool hasHeader(const std::string &path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<uint64_t>(info.st_size) >= (path.ends_with(".atp") ? packed::kFileHeaderBytes : atf::kHeaderBytes);
}

std::optional<uint64_t> deathWindowStart(const RingSnapshot &ring, const RecoverOptions &options) {
  const uint64_t back = ring.header().death_pre_roll;
  if (back == 0 || options.exitCode || ring.header().state == ADA_RING_EXEC)
    return std::nullopt;
  const uint64_t deathNs = ring.timeOfAnchor(/*newest=*/true);
  return deathNs > back - 1 ? deathNs - (back - 1) : 0;
}

// Whether the drain would have written the entry.
static bool isWanted(const WantedDetail &wanted, const ada_detail_entry &entry) {
  if (wanted(entry.ns))
    return true;
  uint64_t functionId = 0; // a detail of a call begins with it
  if (entry.state != ADA_DETAIL_WANTED || entry.bytes < sizeof(atf::RawDetailEventV2) + sizeof functionId)
    return false;
  const auto *event = reinterpret_cast<const unsigned char *>(&entry + 1);
  std::memcpy(&functionId, event + sizeof(atf::RawDetailEventV2), sizeof functionId);
  return wanted.isOfSlow(functionId);
}

// Calls visit(entry) for each entry until a call fails. Nothing in the ring is trusted.
template <class Visit> static Expected<void> eachEntry(std::span<const ada_detail_chunk *const> chunks, Visit &&visit) {
  constexpr uint64_t kRoom = ADA_CHUNK_BYTES - sizeof(ada_detail_chunk);
  for (const ada_detail_chunk *chunk : chunks) {
    const auto *data = reinterpret_cast<const unsigned char *>(chunk + 1);
    const uint64_t end = std::min<uint64_t>(chunk->end, kRoom);
    for (uint64_t at = chunk->begin; at % 8 == 0 && at + sizeof(ada_detail_entry) <= end;) {
      const auto &entry = *reinterpret_cast<const ada_detail_entry *>(data + at);
      const uint64_t next = at + (sizeof entry + entry.bytes + 7) / 8 * 8;
      if (next > end)
        break;
      ADA_TRY(visit(entry));
      at = next;
    }
  }
  return {};
}

Expected<uint64_t> DetailRecovery::open(const std::string &indexPath, uint64_t indexEvents,
                                        std::span<const ada_detail_chunk *const> waiting) {
  std::unordered_set<uint64_t> written; // filled only if something is waiting
  if (!hasHeader(path_)) {
    ADA_TRY(removeFile(path_));
  } else {
    uint64_t keep = 0;
    auto reader = ADA_TRY(atf::DetailReader::open(path_, {.checksum = atf::ChecksumPolicy::Defer}));
    // The details are in the order of their index events.
    reader.forEach([&](const atf::DetailEvent &event) -> bool {
      keep += event.indexSeq < indexEvents;
      if (!waiting.empty())
        written.insert(event.indexSeq);
      return event.indexSeq < indexEvents;
    });
    auto opened = ADA_TRY(atf::DetailWriter::resume(path_, keep));
    writer_.emplace(std::move(opened));
  }
  bool isMore = false;
  auto added = eachEntry(waiting, [&](const ada_detail_entry &entry) -> Expected<void> {
    if (!isWanted(wanted_, entry) || entry.index_seq >= indexEvents || written.contains(entry.index_seq))
      return {};
    isMore = true;
    return addWaiting(entry);
  });
  if (added && isMore)
    added = writer_->finish();
  if (!added)
    return added.error();
  if (!writer_)
    return repairLinks(indexPath, indexEvents, nullptr);
  if (isMore) {
    auto opened = ADA_TRY(atf::DetailWriter::resume(path_, writer_->size()));
    writer_.emplace(std::move(opened));
  }
  auto kept = ADA_TRY(atf::DetailReader::open(path_, {.checksum = atf::ChecksumPolicy::Defer}));
  return repairLinks(indexPath, indexEvents, &kept);
}

Expected<void> DetailRecovery::create() {
  if (writer_)
    return {};
  auto made = atf::DetailWriter::create(path_, {.version = static_cast<uint8_t>(ring::detailVersion(ring_->format)),
                                                .packed = path_.ends_with(".atp"),
                                                .arch = static_cast<uint8_t>(ring_->arch),
                                                .threadId = tid_,
                                                .overwrite = true,
                                                .noLinks = true});
  if (!made)
    return made.error();
  writer_.emplace(std::move(*made));
  return {};
}

// The entry's events are detail events of an ATF file. They begin alike in both versions.
Expected<void> DetailRecovery::addWaiting(const ada_detail_entry &entry) {
  Expected<void> done = create();
  const auto *at = reinterpret_cast<const unsigned char *>(&entry + 1), *end = at + entry.bytes;
  while (done && static_cast<size_t>(end - at) >= atf::kDetailEventHeaderBytes) {
    const auto &raw = *reinterpret_cast<const atf::RawDetailEventV2 *>(at);
    const size_t length = raw.totalLength;
    if (length < sizeof raw || length > static_cast<size_t>(end - at))
      break;
    done = writer_->append({.type = raw.type, .indexSeq = entry.index_seq, .threadId = tid_, .timestampNs = entry.ns},
                           std::as_bytes(std::span(at + sizeof raw, length - sizeof raw)));
    at += length;
  }
  return done;
}

Expected<void> DetailRecovery::add(const ring::Event &event, const ada_detail &detail, uint64_t indexSeq,
                                   uint64_t &link) {
  if (!ring_ || !wanted_(event.timestampNs))
    return {};
  ADA_TRY(create());
  link = writer_->size();
  Expected<void> done;
  atf::eachDetailEvent(event, detail, indexSeq, tid_,
                       [&](const atf::DetailHead &head, const unsigned char *payload, size_t bytes) {
                         if (done)
                           done = writer_->append({.type = head.type,
                                                   .indexSeq = head.indexSeq,
                                                   .threadId = head.threadId,
                                                   .timestampNs = head.timestampNs},
                                                  std::as_bytes(std::span(payload, bytes)));
                       });
  return done;
}

Expected<void> DetailRecovery::finish() { return writer_ ? writer_->finish() : Expected<void>(); }

} // namespace ada::recover
