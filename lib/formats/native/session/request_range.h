// Finds the events of a thread that a request asks for.
#pragma once

#include "ada/trace/atf_index.h"
#include "ada/trace/convert.h"

#include <algorithm>
#include <cstdint>

namespace ada::formats {

// The range of the thread's file that must be read for the request.
inline atf::SeqRange rangeOf(const atf::IndexReader &events, const model::ReadRequest &request, bool isTimed) {
  atf::SeqRange range = events.all();
  if (isTimed)
    range = events.timeRange(request.fromNs, request.toNs);
  range.last = std::min(range.last, request.toSeq);
  range.first = std::min(std::max(range.first, request.fromSeq), range.last);
  return range;
}

// The first run of consecutive events in the range that are wanted. In a file whose times go back, unwanted events may
// lie between wanted ones.
inline atf::SeqRange nextRun(const atf::IndexReader &events, atf::SeqRange range, const model::ReadRequest &request) {
  const auto isWanted = [&](uint64_t seq) { return request.wantsEvent(seq, events[seq].timestampNs); };
  while (range.first < range.last && !isWanted(range.first))
    ++range.first;
  uint64_t last = range.first;
  while (last < range.last && isWanted(last))
    ++last;
  return {range.first, last};
}

} // namespace ada::formats
