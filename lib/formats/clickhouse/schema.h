// The tables and views of a database of sessions (docs/reference/fleet.md), and the rows that describe a session.
#pragma once

#include "analysis/events/trace_table.h"
#include "formats/clickhouse/span_blocks.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::formats {

/// The version of the tables. Every change to them needs a new number and a step that upgrades older databases to it.
inline constexpr uint32_t kSchemaVersion = 6;

/// What a server can do depends on its version: 1816 for 18.16, 2408 for 24.8.
struct Dialect {
  unsigned version = 0;
  bool hasCodecs() const { return version >= 2001; } ///< and LowCardinality, which works from that version on
  /// What to add to DROP TABLE to make it wait for queries that use the table. Older servers always wait; servers whose
  /// databases are Atomic don't by default.
  std::string_view waiting() const { return version >= 2101 ? " SYNC" : version >= 2010 ? " NO DELAY" : ""; }
};

/// A single server, or one of the servers of a cluster. In a cluster, the rows are in tables whose names end in kLocal;
/// the tables without this suffix are Distributed.
struct Layout {
  std::string database, cluster = {};
  bool isReplicated = false; ///< the macros {shard} and {replica} give the place
  Dialect dialect = {};
};
inline constexpr std::string_view kLocal = "_local";

/// The statements that make the tables, in order; each may be repeated.
std::vector<std::string> schemaTables(const Layout &layout);
/// A column that tables of older versions lack.
struct AddedColumn {
  std::string_view table, column;
  std::string type;
};
std::vector<AddedColumn> addedColumns();
/// Columns that have another type in tables of older versions.
std::vector<AddedColumn> changedColumns();
/// The name and query of a view. Views hold no data and are made again by every `--init`.
struct SchemaView {
  std::string_view name;
  std::string query;
};
std::vector<SchemaView> schemaViews();

/// Columns, in the order of the values.
inline constexpr std::string_view kSpanColumns =
    "day, session, plan, block, host, release, process, thread, function, name, begin, duration, self, waiting, "
    "preempted, "
    "self_waiting, self_preempted, recorder, self_recorder, depth, id, parent, end, outermost, arguments, result, "
    "values, way, "
    "counted, args.name, args.text, args.number, result_number, trace_id";
inline constexpr std::string_view kPointColumns =
    "day, session, plan, block, host, release, process, thread, function, kind, begin, id, parent, value, flow, "
    "arguments, args.name, args.text, args.number, trace_id";
/// Columns of the gate to `aggregates`, whose view makes `durations` from the last two.
inline constexpr std::string_view kSumColumns =
    "day, session, plan, block, host, release, function, begin, step, calls, total, self, waiting, preempted, "
    "self_waiting, self_preempted, recorder, self_recorder, exceptions, inferred, missing, open, shortest, longest, "
    "lengths, counts";
/// The statements that make a gate and its view. A gate is a table that holds nothing and passes rows on to a table.
std::vector<std::string> gateTables(BlockKind kind, const std::string &gate, const std::string &target);
inline constexpr std::string_view kWayColumns = "way, parent, function";
inline constexpr std::string_view kFunctionColumns = "function, name, symbol, file, line, module";
inline constexpr std::string_view kSessionColumns =
    "session, version, state, plan, name, path, host, release, labels.name, labels.value, began, ended, spans, "
    "processes.number, processes.pid, processes.name, processes.executable, processes.host, processes.manifest, "
    "processes.epoch_offset, threads.number, threads.process, threads.tid, threads.name, modules.process, "
    "modules.number, modules.path, modules.build_id";

/// A row of `sessions`.
struct SessionRow {
  uint64_t session = 0;
  uint64_t version = 0; ///< among rows with the same session, the one with the largest is valid
  bool isComplete = false;
  uint64_t plan = 0; ///< identifies what is loaded: a different plan is a different load
  std::string name, path, release;
  std::vector<std::pair<std::string, std::string>> labels;
  uint64_t beganNs = 0, endedNs = 0, spans = 0;
};
void putSession(RowBinary &out, const SessionRow &row, const analysis::TraceTable &table,
                const std::vector<ProcessPlace> &places);
/// A row of `functions`.
void putFunction(RowBinary &out, const model::Function &function, const model::Process &process);
/// A row of `functions` with the name of a mark.
void putMark(RowBinary &out, uint64_t hash, std::string_view name);

/// The host's name and the clock's offset from a process's manifest; the offset is 0 if it has none.
ProcessPlace placeOf(const model::Process &process);

} // namespace ada::formats
