// The bytes of a viewer's index.
#include "index_format.h"

#include <isa-l/crc.h>

namespace ada::view {

namespace {
// The lowest bits of an item's first number are its kind.
constexpr unsigned kKindBits = 4, kFlagBits = 2;
constexpr uint64_t kHasSeq = 1 << kKindBits, kIsWhole = 2 << kKindBits;
} // namespace

uint32_t indexCrc(std::span<const std::byte> bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
}

void ItemCoder::put(IndexBytes &to, const IndexCall &call) {
  const Item &item = call.item;
  const bool hasSeq = item.seq != kNoSeq, isWhole = call.endSeq != kNoSeq;
  to.number(uint64_t{item.depth} << (kKindBits + kFlagBits) | (isWhole ? kIsWhole : 0) | (hasSeq ? kHasSeq : 0) |
            static_cast<uint64_t>(item.kind));
  to.difference(item.endNs - endNs_);
  to.number(item.endNs - item.beginNs);
  to.number(item.function);
  if (item.kind == ItemKind::Box) {
    to.number(item.count);
    to.difference(item.endNs - item.beginNs - item.fillNs);
  }
  if (hasSeq) {
    to.difference(item.seq - seq_);
    seq_ = item.seq;
  }
  if (isWhole) {
    to.difference(call.endSeq - seq_);
    to.number(call.calls);
    to.number(call.selfNs);
  }
  endNs_ = item.endNs;
}

IndexCall ItemCoder::get(IndexCursor &from) {
  IndexCall call;
  Item &item = call.item;
  const uint64_t first = from.number();
  item.depth = static_cast<uint32_t>(first >> (kKindBits + kFlagBits));
  item.kind = static_cast<ItemKind>(first & ((1u << kKindBits) - 1));
  item.endNs = endNs_ += from.difference();
  const uint64_t duration = from.number();
  item.beginNs = item.endNs - duration;
  item.fillNs = duration;
  item.function = static_cast<uint32_t>(from.number());
  if (item.kind == ItemKind::Box) {
    item.count = from.number();
    item.fillNs = duration - from.difference();
  }
  if (first & kHasSeq)
    item.seq = seq_ += from.difference();
  if (first & kIsWhole) {
    call.endSeq = seq_ + from.difference();
    call.calls = from.number();
    call.selfNs = from.number();
  }
  return call;
}

} // namespace ada::view
