// Why a process, or a session of processes, took as long as it did, as rows.
#pragma once

#include "process_chain.h"
#include "trace/base/table.h"

#include <string>
#include <vector>

namespace ada::analysis {

struct ProcessWhy {
  const ProcessList *list = nullptr;
  uint32_t run = kNoProcess; ///< kNoProcess: the session
  uint64_t fromNs = 0, toNs = 0;
  std::vector<ChainRow> chain;
  CpuUse use;

  uint64_t durationNs() const { return toNs - fromNs; }
  /// The process; null for the session.
  const ProcessRun *asked() const;
  std::string command() const; ///< empty for the session
  /// Whether it is known of any process when it was on-CPU.
  bool hasCpuUse() const;
};
/// What the whole session is: its only process without a parent, or kNoProcess if it has several.
uint32_t wholeSession(const ProcessList &list);
/// The processes that had that number, the longest first.
std::vector<uint32_t> runsWithPid(const ProcessList &list, uint64_t pid);
/// `run`: kNoProcess for the session. `list` must stay.
ProcessWhy explainProcess(const ProcessList &list, const TraceTable &table, uint32_t run);
Columns<ProcessWhy> processWhyColumns();

struct ChainLine {
  const ChainRow *row;
  const ProcessWhy *why;
};
std::vector<ChainLine> chainLines(const ProcessWhy &why);
Columns<ChainLine> chainColumns();

struct AtOnceRow {
  uint64_t threads, ns;
};
std::vector<AtOnceRow> atOnceRows(const ProcessWhy &why);
Columns<AtOnceRow> atOnceColumns();

struct AloneRow {
  std::string command;
  uint64_t count = 0, ns = 0;
};
/// The longest first.
std::vector<AloneRow> aloneRows(const ProcessWhy &why);
Columns<AloneRow> aloneColumns();

} // namespace ada::analysis
