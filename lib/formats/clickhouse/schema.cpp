// The tables and views of a database of sessions, and the rows that describe a session.
#include "schema.h"

#include "analysis/query/tables.h"
#include "questions.h"
#include "shared/manifest_keys.h"
#include "sip_hash.h"
#include "trace/base/json_document.h"
#include "trace/base/text.h"

#include <algorithm>
#include <cassert>

namespace ada::formats {

namespace {

struct Table {
  std::string_view name, columns, engine;
  std::string_view version; // ReplacingMergeTree's: among rows with the same key it keeps the largest
  std::string_view rest;
  bool isShared = true; // a cluster has a Distributed table for it
};

// The types are those of the oldest dialect, see inDialect().
#define ADA_EXITS "Enum8('return' = 0, 'exception' = 1, 'missing' = 2, 'open' = 3, 'inferred' = 4)"
constexpr Table kTables[] = {
    {"spans", R"(day Date, session UInt64, plan UInt64, block UInt32, host String, release String,
  process UInt32, thread UInt32, function UInt64, name String, begin UInt64, duration UInt64, self UInt64, waiting UInt64,
  preempted UInt64, self_waiting UInt64, self_preempted UInt64,
  recorder UInt64, self_recorder UInt64, depth UInt32, id UInt64, parent UInt64,
  end )" ADA_EXITS R"(, outermost UInt8, arguments String, result String,
  values String, way UInt64, counted UInt8 DEFAULT 1, args Nested(name String, text String, number Float64),
  result_number Float64 DEFAULT nan, trace_id String, time DateTime ALIAS toDateTime(intDiv(begin, 1000000000)))",
     "MergeTree", "", "PARTITION BY day ORDER BY (function, begin)"},
    {"aggregates", R"(day Date, session UInt64, plan UInt64, block UInt32, host String, release String, function UInt64,
  begin UInt64, step UInt64, calls UInt64, total UInt64, self UInt64, waiting UInt64, preempted UInt64,
  self_waiting UInt64, self_preempted UInt64, recorder UInt64, self_recorder UInt64, exceptions UInt64,
  inferred UInt64, missing UInt64, open UInt64, shortest UInt64, longest UInt64, durations AggregateFunction(quantilesExactWeighted(0.5, 0.9, 0.99, 0.999), UInt64, UInt64),
  time DateTime ALIAS toDateTime(intDiv(begin, 1000000000)))",
     "MergeTree", "", "PARTITION BY day ORDER BY (function, begin)"},
    {"points", R"(day Date, session UInt64, plan UInt64, block UInt32, host String, release String,
  process UInt32, thread UInt32, function UInt64,
  kind Enum8('instant' = 0, 'counter' = 1, 'flow begin' = 2, 'flow step' = 3, 'flow end' = 4, 'mark' = 5),
  begin UInt64, id UInt64, parent UInt64, value Float64, flow UInt64, arguments String,
  args Nested(name String, text String, number Float64), trace_id String,
  time DateTime ALIAS toDateTime(intDiv(begin, 1000000000)))",
     "MergeTree", "", "PARTITION BY day ORDER BY (function, begin)"},
    {"ways", "way UInt64, parent UInt64, function UInt64", "ReplacingMergeTree", "", "ORDER BY way"},
    {"functions", "function UInt64, name String, symbol String, file String, line UInt32, module String",
     "ReplacingMergeTree", "", "ORDER BY (function, symbol, file, line, module)"},
    {"sessions", R"(session UInt64, version UInt64, state Enum8('loading' = 0, 'complete' = 1),
  plan UInt64, name String, path String, host String, release String, labels Nested(name String, value String),
  began UInt64, ended UInt64, spans UInt64,
  processes Nested(number UInt32, pid UInt64, name String, executable String, host String, manifest String,
  epoch_offset UInt64),
  threads Nested(number UInt32, process UInt32, tid UInt64, name String),
  modules Nested(process UInt32, number UInt32, path String, build_id String))",
     "ReplacingMergeTree", "version", "ORDER BY session"},
    {"schema_version", "version UInt32", "MergeTree", "", "ORDER BY version", false},
};

// Names that all interfaces share (analysis/query/tables.h), for columns that are stored under another one.
struct SharedName {
  std::string_view table; // here
  const char *shared, *key;
  std::string_view type, expression;
};
constexpr SharedName kSharedNames[] = {
    {"spans", "spans", "parent_id", "Nullable(UInt64)", "nullIf(parent, 0)"},
    {"spans", "spans", "ts", "UInt64", "begin"},
    {"spans", "spans", "dur", "UInt64", "duration"},
    {"spans", "spans", "on_cpu", "UInt64", "toUInt64(self - self_waiting - self_preempted)"},
    {"spans", "spans", "function_id", "UInt64", "function"},
    {"spans", "spans", "exit", "String", "toString(end)"},
    {"points", "counters", "ts", "UInt64", "begin"},
    {"points", "counters", "function_id", "UInt64", "function"},
    {"points", "counters", "span_id", "Nullable(UInt64)", "nullIf(parent, 0)"},
    {"functions", "functions", "id", "UInt64", "function"},
};

// Columns that versions 2 to 6 added to tables of earlier versions.
const AddedColumn kAdded[] = {
    {"spans", "way", "UInt64"},
    {"spans", "counted", "UInt8 DEFAULT 1"},
    {"sessions", "processes.epoch_offset", "Array(UInt64)"},
    {"spans", "args.name", "Array(String)"},
    {"spans", "args.text", "Array(String)"},
    {"spans", "args.number", "Array(Float64)"},
    {"spans", "result_number", "Float64 DEFAULT nan"},
    {"spans", "trace_id", "String"},
    {"spans", "recorder", "UInt64"},
    {"spans", "self_recorder", "UInt64"},
    {"aggregates", "recorder", "UInt64"},
    {"aggregates", "self_recorder", "UInt64"},
    {"spans", "name", "String"},
    {"aggregates", "inferred", "UInt64"},
};

// Points with their names.
std::string pointsView(std::string_view columns, std::string_view condition) {
  return std::string("SELECT session, host, release, process, thread, name, ")
      .append(columns)
      .append(" FROM (SELECT *, ts, function_id, span_id FROM points WHERE ")
      .append(condition)
      .append(") ANY LEFT JOIN (SELECT function, any(name) AS name FROM functions GROUP BY function) USING function");
}

const SchemaView kViews[] = {
    {"processes",
     "SELECT *, process AS id, process_name AS name FROM (SELECT session, name AS session_name, p.number AS process, "
     "p.pid AS pid, if(startsWith(p.name, 'pid_') AND p.executable != '', splitByChar('/', p.executable)[-1], "
     "p.name) AS process_name, p.executable AS executable, p.host AS host, p.manifest AS manifest FROM "
     "sessions FINAL ARRAY JOIN processes AS p)"},
    {"threads",
     "SELECT *, thread AS id, thread_name AS name FROM (SELECT session, name AS session_name, t.number AS thread, "
     "t.process AS process, t.tid AS tid, t.name AS thread_name FROM sessions FINAL ARRAY JOIN threads AS t)"},
    {"modules", "SELECT session, name AS session_name, m.process AS process, m.number AS module, m.path AS path, "
                "m.build_id AS build_id FROM sessions FINAL ARRAY JOIN modules AS m"},
    {"args",
     "SELECT session, host, release, id AS span_id, thread, process, ts, function_id, position, a.name AS name, "
     "a.text AS value, if(isNaN(a.number), NULL, a.number) AS number FROM (SELECT session, host, release, id, thread, "
     "process, ts, function_id, args.name, args.text, args.number FROM spans WHERE notEmpty(args.name)) ARRAY JOIN "
     "args "
     "AS a, arrayMap(i -> i - 1, arrayEnumerate(args.name)) AS position"},
    {"counters", pointsView("begin, value, parent, trace_id, ts, function_id, span_id", "kind = 'counter'")},
    {"instants", pointsView("kind, begin, arguments, args.name, args.text, args.number, flow, parent, trace_id",
                            "kind != 'counter'")},
    {"marks",
     pointsView("ts, arguments AS data, args.name, args.text, args.number, span_id", "kind IN ('mark', 'instant')")},
    {"flows", pointsView("ts, function_id, replaceOne(toString(kind), 'flow ', '') AS step, flow, span_id",
                         "kind IN ('flow begin', 'flow step', 'flow end')")},
};

std::string textIn(const dom::object &object, const char *key) {
  std::string_view text;
  return object[key].get(text) ? std::string() : std::string(text);
}

struct Module {
  uint32_t process, number;
  std::string path, buildId;
};
std::vector<Module> modulesOf(const analysis::TraceTable &table) {
  std::vector<Module> modules;
  for (const model::Process &process : table.processes) {
    const JsonDocument manifest(process.description.get());
    if (!manifest.object())
      continue;
    eachObject(*manifest.object(), manifest::kModules, [&](const dom::object &module) {
      if (uint64_t id; !module[manifest::kModuleId].get(id))
        modules.push_back({process.index, static_cast<uint32_t>(id), textIn(module, manifest::kPath),
                           textIn(module, manifest::kBuildId)});
    });
  }
  return modules;
}

// A column of a Nested.
template <class List, class Put> void putEach(RowBinary &out, const List &list, Put &&put) {
  out.length(list.size());
  for (const auto &element : list)
    put(element);
}

} // namespace

namespace {

// Uses better types for names that repeat, times that grow, and lengths.
std::string inDialect(std::string columns, const Dialect &dialect) {
  if (!dialect.hasCodecs())
    return columns;
  const std::pair<std::string_view, std::string_view> better[] = {
      {"host String, release String,", "host LowCardinality(String), release LowCardinality(String),"},
      {" name String, begin UInt64,", " name LowCardinality(String), begin UInt64,"},
      {" begin UInt64,", " begin UInt64 CODEC(Delta, ZSTD),"},
      {" duration UInt64,", " duration UInt64 CODEC(ZSTD),"},
      {" self UInt64,", " self UInt64 CODEC(ZSTD),"},
      {" id UInt64,", " id UInt64 CODEC(Delta, ZSTD),"},
      {" parent UInt64,", " parent UInt64 CODEC(Delta, ZSTD),"},
      {" arguments String,", " arguments String CODEC(ZSTD),"},
      {" value Float64,", " value Float64 CODEC(ZSTD),"},
      {" trace_id String,", " trace_id String CODEC(ZSTD),"},
      {"args Nested(name String,", "args Nested(name LowCardinality(String),"},
  };
  for (const auto &[plain, coded] : better)
    if (const size_t at = columns.find(plain); at != columns.npos)
      columns.replace(at, plain.size(), coded);
  return columns;
}

// The column's definition; a name that is not in the description is a mistake.
std::string aliasOf(const SharedName &name) {
  [[maybe_unused]] const auto columns = query::findTable(name.shared)->columns;
  assert(
      std::ranges::any_of(columns, [&](const ColumnInfo &column) { return column.key == std::string_view(name.key); }));
  return std::string(name.type) + " ALIAS " + std::string(name.expression);
}

std::string columnsOf(const Table &table) {
  std::string columns(table.columns);
  for (const SharedName &name : kSharedNames)
    if (name.table == table.name)
      columns.append(", ").append(name.key).append(" ").append(aliasOf(name));
  return columns;
}

std::string engineOf(const Table &table, const std::string &name, const Layout &layout) {
  std::string arguments;
  if (layout.isReplicated)
    arguments = "'/clickhouse/tables/{shard}/" + layout.database + "/" + name + "', '{replica}'";
  if (!table.version.empty())
    arguments.append(arguments.empty() ? "" : ", ").append(table.version);
  std::string engine = layout.isReplicated ? "Replicated" : "";
  engine += table.engine;
  return arguments.empty() ? engine : engine + "(" + arguments + ")";
}

} // namespace

std::vector<std::string> schemaTables(const Layout &layout) {
  std::vector<std::string> statements;
  for (const Table &table : kTables) {
    const bool isDistributed = table.isShared && !layout.cluster.empty();
    const std::string shared(table.name), name = isDistributed ? shared + std::string(kLocal) : shared;
    Layout own = layout;
    own.isReplicated &= isDistributed;
    statements.push_back("CREATE TABLE IF NOT EXISTS " + name + " (" + inDialect(columnsOf(table), layout.dialect) +
                         ") ENGINE = " + engineOf(table, name, own) + " " + std::string(table.rest));
    if (!isDistributed)
      continue;
    // Rows that users insert must go to the server where `load` keeps rows from being inserted twice: all rows of a
    // session go to the same one.
    const std::string_view columns = table.columns;
    const bool hasSession = columns.find("session UInt64") != columns.npos;
    statements.push_back("CREATE TABLE IF NOT EXISTS " + shared + " AS " + name + " ENGINE = Distributed(" +
                         layout.cluster + ", " + layout.database + ", " + name + ", " +
                         (hasSession ? "session" : std::string(columns.substr(0, columns.find(' ')))) + ")");
  }
  return statements;
}

std::vector<std::string> gateTables(BlockKind kind, const std::string &gate, const std::string &target) {
  const std::string view = "CREATE MATERIALIZED VIEW " + gate + "_view TO " + target + " AS SELECT ";
  if (kind != BlockKind::Sums)
    return {"CREATE TABLE " + gate + " AS " + target + " ENGINE = Null",
            view + std::string(kind == BlockKind::Spans ? kSpanColumns : kPointColumns) + " FROM " + gate};
  std::string plain(kSumColumns.substr(0, kSumColumns.find(", lengths")));
  return {
      "CREATE TABLE " + gate +
          " (day Date, session UInt64, plan UInt64, block UInt32, host String, release String, function UInt64, begin "
          "UInt64, step UInt64, calls UInt64, total UInt64, self UInt64, waiting UInt64, preempted UInt64, "
          "self_waiting UInt64, self_preempted UInt64, recorder UInt64, self_recorder UInt64, exceptions UInt64, "
          "inferred UInt64, missing UInt64, open UInt64, shortest UInt64, longest UInt64, lengths Array(UInt64), "
          "counts Array(UInt64)) "
          "ENGINE = Null",
      view + plain +
          ", arrayReduce('quantilesExactWeightedState(0.5, 0.9, 0.99, 0.999)', lengths, counts) AS durations FROM " +
          gate};
}

std::vector<AddedColumn> addedColumns() {
  std::vector<AddedColumn> all(std::begin(kAdded), std::end(kAdded));
  for (const SharedName &name : kSharedNames)
    all.push_back({name.table, name.key, aliasOf(name)});
  return all;
}

std::vector<AddedColumn> changedColumns() { return {{"spans", "end", ADA_EXITS}}; }

std::vector<SchemaView> schemaViews() {
  std::vector<SchemaView> views(std::begin(kViews), std::end(kViews));
  for (const Question &question : questions()) {
    std::string query = queryOf(question, "1");
    if (!question.where.empty())
      query = "SELECT * FROM (" + query + ") WHERE " + std::string(question.where);
    views.push_back({question.view, std::move(query)});
  }
  return views;
}

ProcessPlace placeOf(const model::Process &process) {
  const JsonDocument document(process.description.get());
  ProcessPlace place;
  if (const dom::object *const manifest = document.object()) {
    if (dom::object host; !(*manifest)[manifest::kHost].get(host))
      place.host = textIn(host, manifest::kName);
    if (dom::object clock; !(*manifest)[manifest::kClock].get(clock))
      if (uint64_t offset; !clock[manifest::kEpochOffsetNs].get(offset))
        place.epochOffsetNs = offset;
  }
  return place;
}

void putFunction(RowBinary &out, const model::Function &function, const model::Process &process) {
  const std::string module =
      function.isExternal ? std::string() : analysis::moduleName(process, static_cast<uint32_t>(function.id >> 32));
  out.number(sipHash64(function.displayName)).text(function.displayName).text(function.name).text(function.file);
  out.number(static_cast<uint32_t>(function.line)).text(validUtf8(module));
}

void putMark(RowBinary &out, uint64_t hash, std::string_view name) {
  out.number(hash).text(name).text({}).text({}).number(uint32_t{0}).text({});
}

void putSession(RowBinary &out, const SessionRow &row, const analysis::TraceTable &table,
                const std::vector<ProcessPlace> &places) {
  out.number(row.session).number(row.version).number(uint8_t{row.isComplete}).number(row.plan).text(row.name);
  out.text(row.path).text(places.empty() ? std::string() : places.front().host).text(row.release);
  putEach(out, row.labels, [&](const auto &label) { out.text(label.first); });
  putEach(out, row.labels, [&](const auto &label) { out.text(label.second); });
  out.number(row.beganNs).number(row.endedNs).number(row.spans);
  const auto &processes = table.processes;
  putEach(out, processes, [&](const model::Process &process) { out.number(process.index); });
  putEach(out, processes, [&](const model::Process &process) { out.number(process.pid.value_or(0)); });
  putEach(out, processes, [&](const model::Process &process) { out.text(validUtf8(process.label)); });
  putEach(out, processes, [&](const model::Process &process) { out.text(validUtf8(process.executable)); });
  putEach(out, processes, [&](const model::Process &process) { out.text(places[process.index].host); });
  putEach(out, processes, [&](const model::Process &process) { out.text(process.description.get()); });
  putEach(out, processes, [&](const model::Process &process) { out.number(places[process.index].epochOffsetNs); });
  putEach(out, table.threads, [&](const model::Thread &thread) { out.number(thread.index); });
  putEach(out, table.threads, [&](const model::Thread &thread) { out.number(thread.process); });
  putEach(out, table.threads, [&](const model::Thread &thread) { out.number(thread.tid); });
  putEach(out, table.threads, [&](const model::Thread &thread) { out.text(validUtf8(thread.label)); });
  const std::vector<Module> modules = modulesOf(table);
  putEach(out, modules, [&](const Module &module) { out.number(module.process); });
  putEach(out, modules, [&](const Module &module) { out.number(module.number); });
  putEach(out, modules, [&](const Module &module) { out.text(module.path); });
  putEach(out, modules, [&](const Module &module) { out.text(module.buildId); });
}

} // namespace ada::formats
