// Makes a viewer's index: reads each thread once.
#pragma once

#include "index_output.h"
#include "trace_view.h"

#include <atomic>
#include <cstdint>

namespace ada::view {

struct IndexBuild {
  uint64_t madeOf = 0;  ///< goes to IndexHeader::madeOf
  unsigned workers = 1; ///< threads of the program that read
  /// `stop` is set by others; `done`, the number of events read, by the builder.
  const std::atomic<bool> *stop = nullptr;
  std::atomic<uint64_t> *done = nullptr;
};

/// Writes the whole file, header included. Errors: the trace's, E_IO, E_STOPPED.
Expected<void> buildIndex(TraceView &view, IndexOutput &output, const IndexBuild &build);

} // namespace ada::view
