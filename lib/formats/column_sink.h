// The common part of sinks for files of columns: the table `spans`, with one row per call.
#pragma once

#include "formats/row_sink.h"
#include "formats/span_off_cpu.h"
#include "trace/columns/column.h"

#include <memory>
#include <vector>

namespace ada::formats {

/// Memory: the open calls, what the writer needs, and the lanes of off-CPU times that the source holds.
class ColumnSink : public RowSink {
public:
  static std::vector<columns::ColumnSpec> specs();
  /// `table` has the columns of specs().
  explicit ColumnSink(std::unique_ptr<columns::TableWriter> table);
  bool wantsNumbers() const override { return true; }

private:
  void newThread(const model::Thread &thread) override;
  void newFunction(const model::Function &function) override;
  void offCpuTimes(const model::Thread &thread) override;
  void nextEvent(const model::Event &event, std::span<const Span> open) override {
    lanes_[event.thread]->next(event, open);
  }
  void writeRow(const Row &row) override;
  void mark(uint32_t, uint64_t, const model::Text &) override;
  void leaveThread(uint32_t thread) override;
  void endTrace() override { table_->finish(); }
  const Expected<void> &status() const override { return table_->status(); }

  void writeOffCpu(const Row &row);
  void putTime(columns::Column &column, uint64_t ns);

  std::unique_ptr<columns::TableWriter> table_;
  columns::Column &id_, &parentId_, &ts_, &dur_, &self_, &onCpu_, &waiting_, &preempted_, &recorder_, &selfRecorder_,
      &name_, &functionId_, &threadId_, &process_, &depth_, &exit_, &outermost_, &arguments_, &result_, &values_;
  std::vector<uint32_t> names_;                    // of functions, among the words of the column
  std::vector<uint32_t> exits_;                    // by SpanEnd
  std::vector<std::unique_ptr<SpanOffCpu>> lanes_; // by thread
};

} // namespace ada::formats
