// The table `spans`, for files of columns.
#include "column_sink.h"

#include "analysis/query/tables.h"

namespace ada::formats {

using columns::Column;
using columns::ColumnType;

std::vector<columns::ColumnSpec> ColumnSink::specs() {
  std::vector<columns::ColumnSpec> specs;
  for (const ColumnInfo &column : query::findTable("spans")->columns) {
    columns::ColumnSpec spec = columns::specOf(column);
    if (spec.name == "name" || spec.name == "exit")
      spec.type = ColumnType::Word;
    // Times that need 64 bits are null: they are in no real trace, and times and durations have a sign.
    spec.mayBeNull |= column.holds == Holds::Moment || column.holds == Holds::Duration;
    specs.push_back(std::move(spec));
  }
  return specs;
}

ColumnSink::ColumnSink(std::unique_ptr<columns::TableWriter> table)
    : table_(std::move(table)), id_((*table_)["id"]), parentId_((*table_)["parent_id"]), ts_((*table_)["ts"]),
      dur_((*table_)["dur"]), self_((*table_)["self"]), onCpu_((*table_)["on_cpu"]), waiting_((*table_)["waiting"]),
      preempted_((*table_)["preempted"]), recorder_((*table_)["recorder"]), selfRecorder_((*table_)["self_recorder"]),
      name_((*table_)["name"]), functionId_((*table_)["function_id"]), threadId_((*table_)["thread"]),
      process_((*table_)["process"]), depth_((*table_)["depth"]), exit_((*table_)["exit"]),
      outermost_((*table_)["outermost"]), arguments_((*table_)["arguments"]), result_((*table_)["result"]),
      values_((*table_)["values"]) {
  for (const SpanEnd how : kSpanEnds)
    exits_.push_back(exit_.numberOfWord(spanEndName(how)));
}

void ColumnSink::newThread(const model::Thread &) { lanes_.emplace_back(); }

void ColumnSink::newFunction(const model::Function &function) {
  names_.push_back(name_.numberOfWord(function.displayName));
}

void ColumnSink::offCpuTimes(const model::Thread &thread) {
  lanes_[thread.index] = std::make_unique<SpanOffCpu>(table(), thread);
  followEvents(thread.index);
}

void ColumnSink::putTime(Column &column, uint64_t ns) {
  if (ns <= INT64_MAX)
    return column.integer(ns);
  column.null();
  lose("times of 292 years and more");
}

static void putText(Column &column, std::string_view text) { text.empty() ? column.null() : column.text(text); }

void ColumnSink::writeRow(const Row &row) {
  const Span &span = row.span;
  id_.integer(row.spanId);
  row.parentSpanId == query::kNoParent ? parentId_.null() : parentId_.integer(row.parentSpanId);
  putTime(ts_, span.beginNs);
  putTime(dur_, span.durationNs());
  putTime(self_, span.selfNs());
  writeOffCpu(row);
  name_.wordNumbered(names_[span.functionIndex]);
  functionId_.integer(function(span.functionIndex).numberInTrace);
  threadId_.integer(thread(row.thread).indexInTrace);
  process_.integer(thread(row.thread).process);
  depth_.integer(span.depth);
  exit_.wordNumbered(exits_[static_cast<size_t>(span.how)]);
  outermost_.integer(span.outermost);
  putText(arguments_, row.arguments);
  putText(result_, row.result);
  putText(values_, row.values);
  table_->endRow();
}

void ColumnSink::writeOffCpu(const Row &row) {
  const Span &span = row.span;
  SpanOffCpu *const off = lanes_[row.thread].get();
  const analysis::OffCpuOfCall times = off ? off->end(span.depth) : analysis::OffCpuOfCall();
  if (off && off->isSchedKnown()) {
    putTime(onCpu_, times.self.onCpuNs(span.selfNs()));
    putTime(waiting_, times.all.waitingNs);
    putTime(preempted_, times.all.preemptedNs);
  } else {
    for (Column *column : {&onCpu_, &waiting_, &preempted_})
      column->null();
  }
  off ? putTime(recorder_, times.all.recorderNs) : recorder_.null();
  off ? putTime(selfRecorder_, times.self.recorderNs) : selfRecorder_.null();
}

void ColumnSink::mark(uint32_t, uint64_t, const model::Text &) { lose("marks: the file has one row per call"); }

void ColumnSink::leaveThread(uint32_t thread) { lanes_[thread].reset(); }

} // namespace ada::formats
