// Writes a table in Apache Arrow's IPC formats (https://arrow.apache.org/docs/format/Columnar.html).
//
// Words are dictionaries. In a file, the dictionaries are after the rows, because readers begin at the end; in a
// stream, each batch of rows comes after the words that are new in it. Nothing is compressed: readers map a file into
// memory, and use it as it is.
//
// Memory: besides the words, a batch of rows, and in a file 24 bytes for each.
#pragma once

#include "trace/columns/column.h"

#include <memory>
#include <vector>

namespace ada::columns {

enum class ArrowForm {
  File,  ///< for files: any batch can be read by itself
  Stream ///< for pipes
};
std::unique_ptr<TableWriter> makeArrowWriter(std::vector<ColumnSpec> specs, WriteBytes write, ArrowForm form);

} // namespace ada::columns
