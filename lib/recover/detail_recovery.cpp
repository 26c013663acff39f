// Completes detail files.
#include "recover/detail_recovery.h"

#include "ada/trace/atf_detail.h"
#include "base/safe_file.h"
#include "recover/link_repair.h"
#include "shared/encode/packed_format.h"
#include "shared/encode/ring_detail.h"
#include "shared/ring/tables.h"

#include <cerrno>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

namespace ada {

bool hasHeader(const std::string &path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<std::uint64_t>(info.st_size) >=
             (path.ends_with(".atp") ? packed::kFileHeaderBytes : atf::kHeaderBytes);
}

Expected<std::uint64_t> DetailRecovery::open(const std::string &indexPath, std::uint64_t indexEvents) {
  if (!hasHeader(path_)) {
    if (auto removed = removeFile(path_); !removed)
      return removed.error();
    return repairLinks(indexPath, indexEvents, nullptr);
  }
  std::uint64_t keep = 0;
  {
    auto reader = atf::DetailReader::open(path_, {.checksum = atf::ChecksumPolicy::Defer});
    if (!reader)
      return reader.error();
    // In the order of the index events.
    reader->forEach([&](const atf::DetailEvent &event) -> bool {
      keep += event.indexSeq < indexEvents;
      return event.indexSeq < indexEvents;
    });
  }
  auto opened = atf::DetailWriter::resume(path_, keep);
  if (!opened)
    return opened.error();
  writer_.emplace(std::move(*opened));
  auto kept = atf::DetailReader::open(path_, {.checksum = atf::ChecksumPolicy::Defer});
  if (!kept)
    return kept.error();
  return repairLinks(indexPath, indexEvents, &*kept);
}

Expected<void> DetailRecovery::add(const ring::Event &event, const ada_detail &detail, std::uint64_t indexSeq,
                                   std::uint64_t &link) {
  // With windows, detail that no trigger had asked for is not kept.
  if (!ring_ || ring_->detail_windows)
    return {};
  if (!writer_) {
    auto made =
        atf::DetailWriter::create(path_, {.version = static_cast<std::uint8_t>(ring::detailVersion(ring_->format)),
                                          .packed = path_.ends_with(".atp"),
                                          .arch = static_cast<std::uint8_t>(ring_->arch),
                                          .threadId = tid_,
                                          .overwrite = true,
                                          .noLinks = true});
    if (!made)
      return made.error();
    writer_.emplace(std::move(*made));
  }
  link = writer_->size();
  Expected<void> done;
  atf::eachDetailEvent(event, detail, indexSeq, tid_,
                       [&](const atf::DetailHead &head, const unsigned char *payload, std::size_t bytes) {
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

} // namespace ada
