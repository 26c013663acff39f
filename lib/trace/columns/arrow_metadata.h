// The messages of Arrow's IPC formats, which are flatbuffers.
#pragma once

#include "trace/columns/column.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ada::columns {

/// How many rows a column has, and how many of them are null.
struct ArrowNode {
  int64_t rows = 0, nulls = 0;
};
/// A buffer's place in the body of its message.
struct ArrowBuffer {
  int64_t offset = 0, bytes = 0;
};
/// A message's place in a file.
struct ArrowBlock {
  int64_t offset = 0;
  int32_t metadataBytes = 0; ///< including what is before the flatbuffer
  int32_t padding = 0;
  int64_t bodyBytes = 0;
};

struct ArrowRows {
  std::vector<ArrowNode> nodes;
  std::vector<ArrowBuffer> buffers;
  int64_t bodyBytes = 0;
};

/// A column of words has its number in the table as the id of its dictionary.
std::string arrowSchema(std::span<const Column> columns);
std::string arrowRecordBatch(const ArrowRows &rows);
/// `isDelta`: the words are added to those that came before.
std::string arrowDictionaryBatch(const ArrowRows &words, size_t column, bool isDelta);
std::string arrowFooter(std::span<const Column> columns, std::span<const ArrowBlock> dictionaries,
                        std::span<const ArrowBlock> batches);

} // namespace ada::columns
