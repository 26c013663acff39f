// Writes the calls of the model as an Apache Parquet file.
#include "formats/column_sink.h"
#include "formats/table.h"
#include "trace/columns/parquet.h"

namespace ada::formats {

namespace {

constexpr FormatVariant kParquetVariants[] = {{.name = "parquet", .title = "Apache Parquet", .extension = ".parquet"}};

std::unique_ptr<model::TraceSink> makeParquetSink(SinkTarget target, const SinkOptions &) {
  return std::make_unique<ColumnSink>(
      columns::makeParquetWriter(ColumnSink::specs(), std::move(target.bytes), "AdaTrace"));
}

} // namespace

extern const TraceFormat kParquetFormat;
const TraceFormat kParquetFormat = {
    .title = "Apache Parquet",
    .variants = kParquetVariants,
    .makeSink = makeParquetSink,
};

} // namespace ada::formats
