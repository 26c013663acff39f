// Completes detail files.
#include "recover/detail_recovery.h"

#include "ada/trace/atf_detail.h"
#include "formats/atf/directories.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ada {

Expected<void> DetailRecovery::open(std::uint64_t indexEvents) {
  if (!atf::exists(path))
    return {};
  std::uint64_t keep = 0;
  {
    auto reader = atf::DetailReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
    if (!reader)
      return reader.error();
    // In the order of the index events.
    while (keep < reader->size() && (*reader)[keep].indexSeq < indexEvents)
      ++keep;
  }
  auto opened = atf::DetailWriter::resume(path, keep);
  if (!opened)
    return opened.error();
  writer.emplace(std::move(*opened));
  return {};
}

Expected<void> DetailRecovery::add(const ring::Event &event, const ada_detail &detail, std::uint64_t indexSeq,
                                   std::uint64_t &link) {
  // With windows, detail that no trigger had asked for is not kept.
  if (ring.header().detail_windows)
    return {};
  if (!writer) {
    auto made = atf::DetailWriter::create(path, {.version = static_cast<std::uint8_t>(ring.header().format),
                                                 .arch = static_cast<std::uint8_t>(ring.header().arch),
                                                 .threadId = tid,
                                                 .overwrite = true});
    if (!made)
      return made.error();
    writer.emplace(std::move(*made));
  }
  atf::DetailEvent head{.type = event.kind == ring::kReturn ? atf::kDetailFunctionReturn : atf::kDetailFunctionCall,
                        .indexSeq = indexSeq,
                        .threadId = tid,
                        .timestampNs = event.timestampNs};
  const auto *vectors = reinterpret_cast<const std::byte *>(&detail + 1);
  atf::FunctionPayload payload{.functionId = event.functionId,
                               .lr = detail.lr,
                               .fp = detail.fp,
                               .sp = detail.sp,
                               .stack = {vectors + 16 * detail.vectors, detail.stack_bytes}};
  std::copy(std::begin(detail.registers), std::end(detail.registers), payload.registers.begin());
  link = writer->size();
  if (auto done = writer->append(head, payload); !done)
    return done;
  if (detail.vectors == 0)
    return {};
  atf::RawVectorPayload raw{};
  raw.functionId = event.functionId;
  raw.count = detail.vectors;
  raw.bytesEach = 16;
  std::vector<std::byte> bytes(sizeof raw + 16u * detail.vectors);
  std::memcpy(bytes.data(), &raw, sizeof raw);
  std::memcpy(bytes.data() + sizeof raw, vectors, 16u * detail.vectors);
  head.type = atf::kDetailVectors;
  return writer->append(head, std::span<const std::byte>(bytes));
}

Expected<void> DetailRecovery::finish() { return writer ? writer->finish() : Expected<void>(); }

Expected<void> finishDetail(const std::string &path) {
  auto reader = atf::DetailReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
  if (!reader)
    return reader.error();
  if (reader->isComplete())
    return {};
  auto writer = atf::DetailWriter::resume(path, reader->size());
  return writer ? writer->finish() : Expected<void>(writer.error());
}

} // namespace ada
