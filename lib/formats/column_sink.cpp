// The table `spans`, for files of columns.
#include "column_sink.h"

#include <algorithm>

namespace ada::model {

namespace {

using columns::ColumnType;

struct SpanColumn {
  const char *name;
  ColumnType type;
  bool mayBeNull = false;
};

enum Place : size_t {
  kId,
  kParentId,
  kTs,
  kDur,
  kSelf,
  kOnCpu,
  kWaiting,
  kPreempted,
  kRecorder,
  kName,
  kFunctionId,
  kThread,
  kProcess,
  kDepth,
  kExit,
  kArguments,
  kResult,
  kValues,
};

// Times that need 64 bits are null: they are in no real trace, and numbers have a sign in most readers.
constexpr SpanColumn kColumns[] = {
    {"id", ColumnType::Int64},
    {"parent_id", ColumnType::Int64, true},
    {"ts", ColumnType::Timestamp, true},
    {"dur", ColumnType::Int64, true},
    {"self", ColumnType::Int64, true},
    {"on_cpu", ColumnType::Int64, true},
    {"waiting", ColumnType::Int64, true},
    {"preempted", ColumnType::Int64, true},
    {"recorder", ColumnType::Int64, true},
    {"name", ColumnType::Word},
    {"function_id", ColumnType::Uint32},
    {"thread", ColumnType::Uint32},
    {"process", ColumnType::Uint32},
    {"depth", ColumnType::Uint32},
    {"exit", ColumnType::Word},
    {"arguments", ColumnType::Text, true},
    {"result", ColumnType::Text, true},
    {"values", ColumnType::Text, true},
};

} // namespace

std::vector<columns::ColumnSpec> ColumnSink::specs() {
  std::vector<columns::ColumnSpec> specs;
  for (const SpanColumn &column : kColumns)
    specs.push_back({column.name, column.type, column.mayBeNull});
  return specs;
}

void ColumnSink::newThread(const Thread &) { lanes_.emplace_back(); }

void ColumnSink::newFunction(const Function &function) {
  names_.push_back((*table_)[kName].numberOfWord(textOf(function.displayName)));
}

void ColumnSink::offCpuTimes(const Thread &thread, const OffCpuLane &) {
  lanes_[thread.index] = std::make_unique<SpanOffCpu>(table(), thread);
  followEvents(thread.index);
}

void ColumnSink::timeOf(columns::Column &column, uint64_t ns) {
  if (ns <= INT64_MAX)
    return column.integer(ns);
  column.null();
  lose("times of 292 years and more");
}

void ColumnSink::writeRow(const Row &row) {
  columns::TableWriter &to = *table_;
  const Span &span = row.span;
  to[kId].integer(row.spanId);
  row.parentSpanId ? to[kParentId].integer(row.parentSpanId) : to[kParentId].null();
  timeOf(to[kTs], span.beginNs);
  timeOf(to[kDur], span.durationNs());
  timeOf(to[kSelf], span.selfNs());
  SpanOffCpu *const off = lanes_[row.thread].get();
  const analysis::OffCpuOfCall times = off ? off->end(span.depth) : analysis::OffCpuOfCall();
  if (off && off->isSchedKnown()) {
    const uint64_t other = times.self.sumNs() + times.self.unknownNs;
    timeOf(to[kOnCpu], span.selfNs() - std::min(span.selfNs(), other));
    timeOf(to[kWaiting], times.all.waitingNs);
    timeOf(to[kPreempted], times.all.preemptedNs);
  } else {
    for (const Place place : {kOnCpu, kWaiting, kPreempted})
      to[place].null();
  }
  off ? timeOf(to[kRecorder], times.all.recorderNs) : to[kRecorder].null();
  to[kName].wordNumbered(names_[span.functionIndex]);
  to[kFunctionId].integer(span.functionIndex);
  to[kThread].integer(row.thread);
  to[kProcess].integer(thread(row.thread).process);
  to[kDepth].integer(span.depth);
  to[kExit].word(spanEndName(span.how));
  const auto textOrNull = [&](Place place, std::string_view text) {
    text.empty() ? to[place].null() : to[place].text(textOf(text));
  };
  textOrNull(kArguments, row.arguments);
  textOrNull(kResult, row.result);
  textOrNull(kValues, row.values);
  to.endRow();
}

void ColumnSink::mark(uint32_t, uint64_t, const Text &) { lose("marks: the file has one row per call"); }

void ColumnSink::leaveThread(uint32_t thread) { lanes_[thread].reset(); }

} // namespace ada::model
