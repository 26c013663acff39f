// Writes the calls of the model in Apache Arrow's IPC formats.
#include "formats/column_sink.h"
#include "formats/table.h"
#include "trace/columns/arrow.h"

namespace ada::formats {

namespace {

constexpr FormatVariant kArrowVariants[] = {
    {.name = "arrow", .title = "Apache Arrow (IPC file)", .extension = ".arrow"},
    {.name = "arrow-stream", .title = "Apache Arrow (IPC stream)", .extension = ".arrows"},
};

std::unique_ptr<model::TraceSink> makeArrowSink(SinkTarget target, const SinkOptions &options) {
  return std::make_unique<ColumnSink>(
      columns::makeArrowWriter(ColumnSink::specs(), std::move(target.bytes),
                               options.variant == 0 ? columns::ArrowForm::File : columns::ArrowForm::Stream));
}

} // namespace

extern const TraceFormat kArrowFormat;
const TraceFormat kArrowFormat = {
    .title = "Apache Arrow",
    .variants = kArrowVariants,
    .makeSink = makeArrowSink,
};

} // namespace ada::formats
