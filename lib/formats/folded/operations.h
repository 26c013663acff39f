// What the table of formats says about folded stacks.
#pragma once

#include "formats/import/import_source.h"

namespace ada::formats {

std::unique_ptr<model::TraceSink> makeFoldedSink(model::ByteSink bytes);

class FoldedSource : public ImportSource {
public:
  static constexpr std::string_view kName = "folded", kTitle = "folded stacks";
  using ImportSource::ImportSource;
  Expected<void> read(model::TraceSink &sink) override;
};

/// A line without its end: "main;parse 1200".
struct FoldedLine {
  std::string_view stack;
  uint64_t count = 0;
};
std::optional<FoldedLine> foldedLineOf(std::string_view line);

} // namespace ada::formats
