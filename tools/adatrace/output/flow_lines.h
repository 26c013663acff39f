// Prints where the control flow of two runs differs.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "table_writer.h"
#include "terminal/terminal.h"

#include "analysis/diff/flow_diff.h"

#include <cstdint>
#include <string>

namespace ada::cli {

struct FlowLineOptions {
  NameOptions names;
  TableOptions table;
  uint64_t limit = 0; ///< most differences to print; 0: all
};

/// The columns of differences; text shows them in another way.
ColumnList flowTable();

class FlowLines : public analysis::FlowOutput {
public:
  FlowLines(Output &out, const Palette &palette, const TraceInput &a, const TraceInput &b,
            const FlowLineOptions &options)
      : out_(out), palette_(palette), a_(a), b_(b), options_(options),
        table_(out, palette, flowTable(), options.table, 0) {}

  void beginThread(uint32_t threadA, uint32_t threadB) override;
  bool difference(const analysis::FlowDifference &difference, const analysis::FlowFunctions &functions) override;
  void endThread(uint64_t sameCalls) override;
  /// Call after the last thread.
  void finish(const analysis::FlowThreads &threads);

  /// Number of differences printed, including threads that only one side has.
  uint64_t differences() const { return differences_; }

private:
  void printText(const analysis::FlowDifference &difference, const analysis::FlowFunctions &functions);
  void printPart(const char *sign, const Escape &colour, const analysis::FlowPart &part,
                 const analysis::FlowDifference &difference, const analysis::FlowFunctions &functions);
  void thread(const TraceInput &input, uint32_t thread, const char *side, const Escape &colour);
  bool isText() const { return options_.table.isText() && options_.table.columns.empty(); }

  Output &out_;
  const Palette &palette_;
  const TraceInput &a_, &b_;
  const FlowLineOptions &options_;
  TableWriter table_; // not for text
  uint32_t threadA_ = 0, threadB_ = 0;
  uint64_t differences_ = 0, ofThread_ = 0;
};

} // namespace ada::cli
