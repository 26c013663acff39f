// The common part of sinks for files of columns: the table `spans`, with one row per call.
//
// docs/formats/exports.md describes the columns.
#pragma once

#include "columns/column.h"
#include "formats/row_sink.h"
#include "formats/span_off_cpu.h"

#include <memory>
#include <optional>
#include <vector>

namespace ada::model {

/// Memory: the open calls, what the writer needs, and the lanes of off-CPU times that the source holds.
class ColumnSink : public RowSink {
public:
  static std::vector<columns::ColumnSpec> specs();
  /// `table` has the columns of specs().
  explicit ColumnSink(std::unique_ptr<columns::TableWriter> table) : table_(std::move(table)) {}

private:
  void newThread(const Thread &thread) override;
  void newFunction(const Function &function) override;
  void offCpuTimes(const Thread &thread, const OffCpuLane &lane) override;
  void nextEvent(const Event &event, std::span<const Span> open) override { lanes_[event.thread]->next(event, open); }
  void writeRow(const Row &row) override;
  void mark(uint32_t, uint64_t, const Text &) override;
  void leaveThread(uint32_t thread) override;
  void endTrace() override { table_->finish(); }
  const Expected<void> &status() const override { return table_->status(); }

  void timeOf(columns::Column &column, uint64_t ns);

  std::unique_ptr<columns::TableWriter> table_;
  std::vector<uint32_t> names_;                    // of functions, in the column's words
  std::vector<std::unique_ptr<SpanOffCpu>> lanes_; // by thread
};

} // namespace ada::model
