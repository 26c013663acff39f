// The threads that a request is for, in the order in which they are read.
//
// A trace can have a hundred thousand threads that are asked for one at a time, or all at once in a list. Both take as
// many steps as threads are wanted: nothing walks all threads to find one, or the list for each thread.
#pragma once

#include "ada/trace/model.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ada::model {

/// The threads from 0 up to `count` that the request wants, ascending, each once.
inline std::vector<uint32_t> wantedThreads(const ReadRequest &request, size_t count) {
  std::vector<uint32_t> wanted;
  if (!request.threads) {
    wanted.resize(count);
    std::iota(wanted.begin(), wanted.end(), uint32_t(0));
    return wanted;
  }
  wanted.assign(request.threads->begin(), request.threads->end());
  std::erase_if(wanted, [&](uint32_t thread) { return thread >= count; });
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

} // namespace ada::model
