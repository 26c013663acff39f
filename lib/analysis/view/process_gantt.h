// Processes as a Gantt chart: a row for each program, which opens into its instances.
//
// Only the rows that are asked for are made, and in each at most two boxes per pixel, so an answer is as large for ten
// thousand processes as for ten. Immutable once made; may be used by several threads.
#pragma once

#include "analysis/processes/process_tree.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ada::view {

/// A time in which at least one of a row's processes existed.
struct GanttBox {
  uint64_t fromNs = 0, toNs = 0;
  uint64_t fillNs = 0; ///< the sum over its processes, which may overlap
  uint32_t count = 0;  ///< processes
  uint32_t run = 0;    ///< the longest of them, in ProcessList::all
};

struct GanttRow {
  const analysis::ProcessNode *node = nullptr;
  uint32_t key = 0;        ///< the first directory of its first process: stays the same while the trace grows
  bool isInstance = false; ///< one of the processes of an open row
  bool isOpen = false;
  uint32_t run = 0; ///< of an instance, or of a row of one process
  std::vector<GanttBox> boxes = {};

  size_t count() const { return isInstance ? 1 : node->count(); }
};

struct GanttRequest {
  uint64_t fromNs = 0, toNs = ~uint64_t{0}, pixels = 1000;
  size_t first = 0, rows = 100;    ///< which rows, counted from the top
  std::vector<uint32_t> open = {}; ///< keys of rows, sorted
  /// Only processes whose number is this, or whose command line has it, in small or capital letters; empty: all.
  std::string match = {};
  std::optional<size_t> hit = {}; ///< one of them, in the order of the rows: its row is opened
};

struct GanttPart {
  size_t totalRows = 0, processes = 0;
  std::vector<GanttRow> rows;
  struct Hit {
    size_t row = 0;
    uint32_t key = 0, run = 0; ///< of the line that it belongs to; itself
  };
  std::optional<Hit> hit;
  std::deque<analysis::ProcessNode> nodes; ///< those that only a part of their processes is of
};

class ProcessGantt {
public:
  explicit ProcessGantt(const analysis::TraceTable &table);
  GanttPart part(const GanttRequest &request) const;
  const analysis::ProcessList &list() const { return list_; }

private:
  bool matches(const analysis::ProcessRun &run, const std::string &match) const;
  void add(GanttPart &part, const analysis::ProcessNode &node, uint32_t key, const GanttRequest &request) const;
  GanttRow row(const analysis::ProcessNode &node, uint32_t run, bool isInstance, const GanttRequest &request) const;
  std::vector<GanttBox> boxes(const std::vector<uint32_t> &runs, const GanttRequest &request) const;

  analysis::ProcessList list_;
  std::vector<analysis::ProcessNode> nodes_;
};

} // namespace ada::view
