// Encodes the detail of a ring record as one or two detail events.
//
// The first holds registers and stack. Where vector registers carry arguments or a return value, one of AdaTrace's own
// type follows with the same index number; readers of the specification alone skip it by its length.
#ifndef ADA_LIB_SHARED_ENCODE_RING_DETAIL_H
#define ADA_LIB_SHARED_ENCODE_RING_DETAIL_H

#include "atf.h"
#include "shared/ring/expander.h"

namespace ada::atf {

inline constexpr std::size_t kMostRingDetailBytes =
    2 * kDetailEventHeaderBytes + kMostFunctionPayloadBytes + kMostVectorPayloadBytes;
static_assert(kMaxStackBytes == ADA_MOST_STACK_BYTES);

// Calls `emit(const DetailHead &, const unsigned char *payload, size_t bytes)` for each of the one or two events that
// belong to index event `indexSeq`.
template <class Emit>
inline void eachDetailEvent(const ring::Event &e, const ada_detail &d, std::uint64_t indexSeq, std::uint32_t threadId,
                            Emit &&emit) {
  unsigned char payload[kMostFunctionPayloadBytes];
  static_assert(sizeof payload >= kMostVectorPayloadBytes);
  const auto *vectors = reinterpret_cast<const unsigned char *>(&d + 1);
  DetailHead head{.type = e.kind == ring::kReturn ? kDetailFunctionReturn : kDetailFunctionCall,
                  .indexSeq = indexSeq,
                  .threadId = threadId,
                  .timestampNs = e.timestampNs};
  emit(head, payload,
       encodeFunctionPayload(payload, {.functionId = e.functionId,
                                       .general = d.registers,
                                       .lr = d.lr,
                                       .fp = d.fp,
                                       .sp = d.sp,
                                       .stack = vectors + kVectorBytes * d.vectors,
                                       .stackBytes = d.stack_bytes}));
  if (d.vectors == 0)
    return;
  head.type = kDetailVectors;
  emit(head, payload, encodeVectorPayload(payload, e.functionId, d.vectors, vectors));
}

// Both events behind each other; `to` has room for kMostRingDetailBytes. Returns their size, and in `count` how many.
inline std::size_t encodeRingDetail(unsigned char *to, unsigned version, const ring::Event &e, const ada_detail &d,
                                    std::uint64_t indexSeq, std::uint32_t threadId, unsigned &count) {
  unsigned char *p = to;
  count = 0;
  eachDetailEvent(e, d, indexSeq, threadId, [&](const DetailHead &head, const unsigned char *payload, std::size_t n) {
    encodeDetailHead(p, version, head, static_cast<std::uint32_t>(n));
    __builtin_memcpy(p + kDetailEventHeaderBytes, payload, n);
    p += kDetailEventHeaderBytes + n;
    ++count;
  });
  return static_cast<std::size_t>(p - to);
}

} // namespace ada::atf
#endif
