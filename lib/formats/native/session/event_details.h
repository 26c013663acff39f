// The details of an event, from its thread's detail file.
#pragma once

#include "ada/trace/atf_detail.h"
#include "trace/batch_builder.h"

namespace ada::formats {

// Adds the detail events of index event `seq`: the one it names, and those right after it that name the same index
// event (vector registers). Returns their number.
inline uint64_t addDetailsOf(model::BatchBuilder &batch, model::Event &event, const atf::DetailReader &details,
                             uint64_t seq, uint64_t detailSeq) {
  uint64_t at = detailSeq;
  for (; at < details.size(); ++at) {
    const atf::DetailEvent detail = details[at];
    if (detail.indexSeq != seq)
      break;
    if (!batch.addDetail(event, {detail.type, detail.flags, detail.timestampNs, detail.payload, at},
                         /*copyPayload=*/details.isPacked()))
      break;
  }
  return at > detailSeq ? at - detailSeq : 0;
}

} // namespace ada::formats
