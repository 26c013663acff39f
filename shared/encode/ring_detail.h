// Encodes the detail of a ring record as one to three detail events.
//
// The first holds registers and stack. If vector registers carry arguments or a return value, or texts that arguments
// point to were recorded, events of AdaTrace's own types follow with the same index number;
// readers that only know the specification skip them by their length.
#pragma once

#include "atf.h"
#include "shared/ring/expander.h"

namespace ada::atf {

inline constexpr size_t kMaxContentsBytes = ADA_MOST_CONTENTS_BYTES;
inline constexpr size_t kMaxContentsPayloadBytes = sizeof(RawContentsPayload) + kMaxContentsBytes;

// `count` RawContents with their bytes, which are ada_contents as the ring has them. Returns how many bytes the payload
// has.
inline size_t encodeContentsPayload(unsigned char *to, uint64_t functionId, unsigned count, const void *contents,
                                    size_t bytes) {
  static_assert(sizeof(ada_contents) == sizeof(RawContents) &&
                offsetof(ada_contents, length) == offsetof(RawContents, length));
  auto &raw = *reinterpret_cast<RawContentsPayload *>(to);
  __builtin_memset(to, 0, sizeof raw);
  raw.functionId = functionId, raw.count = static_cast<uint8_t>(count);
  __builtin_memcpy(to + sizeof raw, contents, bytes);
  return sizeof raw + bytes;
}

inline constexpr size_t kMaxRingDetailBytes =
    3 * kDetailEventHeaderBytes + kMaxFunctionPayloadBytes + kMaxVectorPayloadBytes + kMaxContentsPayloadBytes;
static_assert(kMaxStackBytes == ADA_MOST_STACK_BYTES);

// Calls `emit(const DetailHead &, const unsigned char *payload, size_t bytes)` for each of the one to three events
// that belong to index event `indexSeq`.
template <class Emit>
inline void eachDetailEvent(const ring::Event &e, const ada_detail &d, uint64_t indexSeq, uint32_t threadId,
                            Emit &&emit) {
  unsigned char payload[kMaxContentsPayloadBytes];
  static_assert(sizeof payload >= kMaxVectorPayloadBytes && sizeof payload >= kMaxFunctionPayloadBytes);
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
  if (d.vectors > 0) {
    head.type = kDetailVectors;
    emit(head, payload, encodeVectorPayload(payload, e.functionId, d.vectors, vectors));
  }
  if (d.contents > 0) {
    head.type = kDetailContents;
    emit(head, payload,
         encodeContentsPayload(payload, e.functionId, d.contents, ring::contentsOf(d), d.contents_bytes));
  }
}

// Encodes all of them, one after the other; `to` has room for kMaxRingDetailBytes. Returns their size,
// and in `count` how many there are.
inline size_t encodeRingDetail(unsigned char *to, unsigned version, const ring::Event &e, const ada_detail &d,
                               uint64_t indexSeq, uint32_t threadId, unsigned &count) {
  unsigned char *p = to;
  count = 0;
  eachDetailEvent(e, d, indexSeq, threadId, [&](const DetailHead &head, const unsigned char *payload, size_t n) {
    encodeDetailHead(p, version, head, static_cast<uint32_t>(n));
    __builtin_memcpy(p + kDetailEventHeaderBytes, payload, n);
    p += kDetailEventHeaderBytes + n;
    ++count;
  });
  return static_cast<size_t>(p - to);
}

} // namespace ada::atf
