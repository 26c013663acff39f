// Writes a table as an Apache Parquet file (https://parquet.apache.org/docs/file-format/).
//
// Integers and times are DELTA_BINARY_PACKED, words have a dictionary in each row group. So do texts, until a row group
// has too many different ones: from then on they are PLAIN. Pages are compressed with zstd, if the library was built
// with it. Integers have their least and greatest value in each row group, for readers that skip row groups.
//
// Memory: a row group as it is in the file, at most some 32 MiB; its dictionaries, 1 MiB for each column of texts; and
// 60 bytes per column and row group for the end of the file.
#pragma once

#include "trace/columns/column.h"

#include <memory>
#include <string>
#include <vector>

namespace ada::columns {

/// `writer` is what wrote the file: "AdaTrace version 1.2.3".
std::unique_ptr<TableWriter> makeParquetWriter(std::vector<ColumnSpec> specs, WriteBytes write, std::string writer);

} // namespace ada::columns
