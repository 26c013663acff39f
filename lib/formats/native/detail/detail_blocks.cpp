// Finds and decodes the blocks of packed detail files.
#include "detail_blocks.h"

#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ada::packed {

DetailBlock DetailKind::closedBlock(const RawDetailBlockHeader &raw) {
  DetailBlock block;
  block.totals = totalsOf(raw);
  // An uncompressed event takes at least one byte.
  if (!(raw.flags & kBlockZstd) && raw.eventCount > raw.bodyBytes)
    block.totals.events = raw.bodyBytes;
  block.count = block.totals.events;
  return block;
}

std::optional<DetailBlock> DetailKind::openBlock(const RawDetailBlockHeader &, const Byte *start, const Byte *end,
                                                 uint64_t most) {
  auto state = std::make_unique<DetailState>();
  DetailDecoder decoder(*state);
  DetailBlockTotals totals;
  UnpackedDetail event;
  most = std::min(most, kMaxDetailBlockEvents);
  const Byte *body = start + kBlockHeaderBytes;
  while (totals.events < most && decoder.next(body, end, event) == Decoded::Event)
    totals.add(event.head, event.bytes);
  DetailBlock block;
  block.bytes = static_cast<uint64_t>(body - start), block.count = totals.events;
  block.totals = totals, block.flags = totals.unsorted ? kBlockUnsorted : 0;
  return block;
}

Expected<DetailBlocks> DetailBlocks::parse(std::span<const std::byte> bytes, const std::string &name,
                                           const Holes &holes) {
  DetailBlocks file;
  ADA_TRY(file.begin(bytes, name));
  file.isFinished_ = (file.head_.flags & kFileFinished) != 0;
  const bool isWhole = file.isFinished_ && file.head_.end <= bytes.size();
  file.scan(isWhole ? uint64_t{file.head_.end} : bytes.size(), holes);
  if (!file.isFinished_) {
    file.warn(
        "W_NO_FOOTER",
        "the writer did not finish (the program was killed, ended without exit(), or still runs); all whole events in "
        "the file are used");
  } else if (!isWhole) {
    file.isFinished_ = false;
    file.warn("W_FOOTER_CORRUPT", "the file was cut off; all whole events in it are used");
  } else {
    if (file.head_.end < bytes.size())
      file.warn("W_TRAILING_BYTES",
                std::to_string(bytes.size() - file.head_.end) + " bytes after the last block were ignored");
    atf::DetailTotals totals;
    for (const DetailBlock &block : file.blocks())
      totals.add(block.totals);
    if (totals != totalsOf(file.head_))
      file.warn("W_HEADER_COUNT_STALE", "the header says " + std::to_string(file.head_.eventCount) +
                                            " events, but there are " + std::to_string(file.events()) +
                                            ", or its times or index events are wrong");
  }
  return file;
}

Expected<void> DetailBlocks::decode(const DetailBlock &block, DetailEvents &events) const {
  events.plain.clear(), events.offsets.clear();
  ADA_TRY(check(block));
  std::vector<Byte> unpacked;
  const std::span<const Byte> body = ADA_TRY(this->body(block, unpacked));
  auto state = std::make_unique<DetailState>();
  DetailDecoder decoder(*state);
  const Byte *next = body.data(), *const end = next + body.size();
  DetailBlockTotals totals;
  UnpackedDetail event;
  events.offsets.reserve(block.count);
  events.plain.reserve(std::min<uint64_t>(block.totals.bytes, 512 * block.count + body.size()));
  while (totals.events < block.count) {
    const Byte *const from = next;
    if (decoder.next(next, end, event) != Decoded::Event)
      return error("E_BAD_BLOCK",
                   "detail event " + std::to_string(block.first + totals.events) +
                       " is not one that a writer can have written",
                   block.offset + (unpacked.empty() ? static_cast<uint64_t>(from - at(block.offset)) : 0));
    const size_t offset = events.plain.size();
    events.offsets.push_back(offset);
    events.plain.resize(offset + atf::kDetailEventHeaderBytes + event.bytes);
    auto *to = reinterpret_cast<Byte *>(events.plain.data()) + offset;
    atf::encodeDetailHead(to, 2, event.head, static_cast<uint32_t>(event.bytes));
    if (event.bytes > 0)
      std::memcpy(to + atf::kDetailEventHeaderBytes, event.payload, event.bytes);
    totals.add(event.head, event.bytes);
  }
  if (totals != block.totals || totals.unsorted != ((block.flags & kBlockUnsorted) != 0))
    return error("E_BAD_BLOCK", "the events of a block contradict its header", block.offset);
  if (!(block.flags & kBlockOpen) && next != end)
    return error("E_BAD_BLOCK", "a block has more events than its header says", block.offset);
  return {};
}

} // namespace ada::packed
