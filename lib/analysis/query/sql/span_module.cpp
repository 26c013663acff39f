// The virtual table `spans`.
//
// SQLite asks for rows one after the other, while the reader hands out chunks: it runs in threads of its own, and is
// ahead by as many parts as it has workers.
#include "module_of.h"

#include "analysis/query/handover.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ada::query {

namespace span_module {
namespace {

struct SpanVtab : TraceVtab {
  using TraceVtab::TraceVtab;
  static int connect(sqlite3 *database, void *traces, int, const char *const *argv, sqlite3_vtab **made,
                     char **message);
  int bestIndex(sqlite3_index_info &info);
};

const ColumnInfo *columnsOfSpans() {
  static const ColumnInfo *const columns = findTable("spans")->columns.data();
  return columns;
}
const char *nameOfColumn(int column) { return columnsOfSpans()[column].key; }

// Asked for each column of each row.
SpanColumn columnAt(int number) {
  static const std::vector<SpanColumn> columns = [] {
    std::vector<SpanColumn> all;
    for (const ColumnInfo &column : findTable("spans")->columns)
      all.push_back(*spanColumn(column.key));
    return all;
  }();
  return columns[static_cast<size_t>(number)];
}

// Where a cursor gets its rows from.
struct SpanCursor : sqlite3_vtab_cursor {
  explicit SpanCursor(SpanVtab &table) : sqlite3_vtab_cursor{}, trace(table.trace) {}
  ~SpanCursor() { close(); }

  AttachedTrace &trace;
  // Either a read that is under way,
  SpanRequest request;
  std::atomic<bool> isClosed = false;
  std::optional<Expected<void>> done;
  std::unique_ptr<Handover<const SpanChunk>> reading;
  // or one call that is kept.
  std::optional<KeptSpan> kept;
  SpanChunk keptChunk;

  const SpanChunk *chunk = nullptr; // null: at the end
  size_t row = 0;

  void close() {
    isClosed = true;
    reading.reset();
    chunk = nullptr;
    kept.reset();
    isClosed = false;
  }
  void show(const KeptSpan &span) {
    kept = span;
    const KeptSpan &k = *kept;
    keptChunk = {.rows = 1,
                 .id = std::span(&k.id, 1),
                 .parentId = std::span(&k.parentId, 1),
                 .ts = std::span(&k.ts, 1),
                 .dur = std::span(&k.dur, 1),
                 .function = std::span(&k.function, 1),
                 .thread = std::span(&k.thread, 1),
                 .process = std::span(&k.process, 1),
                 .depth = std::span(&k.depth, 1),
                 .exit = std::span(&k.exit, 1),
                 .outermost = std::span(&k.outermost, 1)};
    chunk = &keptChunk;
    row = 0;
  }
  void read() {
    request.stop = &isClosed;
    reading = std::make_unique<Handover<const SpanChunk>>([this](Handover<const SpanChunk> &to) {
      done = SpanRead(trace.trace(), request, [&](const SpanChunk &chunk) { return to.give(chunk); }).run();
    });
  }
  int filter(const TablePlan &plan, sqlite3_value **values);
  int next() {
    if (chunk && ++row < chunk->rows)
      return SQLITE_OK;
    chunk = nullptr;
    row = 0;
    if (!reading)
      return SQLITE_OK;
    chunk = reading->next([this] { return trace.interrupt.load(); });
    if (chunk)
      return SQLITE_OK;
    if (trace.interrupt)
      return SQLITE_INTERRUPT;
    const Expected<void> result = *done;
    return result ? SQLITE_OK : failTable(*pVtab, result.error().text());
  }
  bool isAtEnd() const { return chunk == nullptr; }
  int column(sqlite3_context *context, int number) const;
  sqlite3_int64 rowId() const { return static_cast<sqlite3_int64>(chunk->id[row]); }
};

int SpanVtab::connect(sqlite3 *database, void *traces, int, const char *const *argv, sqlite3_vtab **made,
                      char **message) {
  AttachedTrace *const trace = traceOf(traces, argv);
  if (!trace) {
    *message = sqlite3_mprintf("there is no trace '%s'", argv[1]);
    return SQLITE_ERROR;
  }
  const int status = sqlite3_declare_vtab(database, declarationOf(findTable("spans")->columns).c_str());
  if (status == SQLITE_OK)
    *made = new SpanVtab(*trace);
  return status;
}

// Rough numbers, so that joins begin with the table that has fewer rows.
double rowsOf(SharedTrace &trace) {
  uint64_t events = 0;
  for (const model::Thread &thread : trace.table().threads)
    events += thread.extent ? thread.extent->events : 0;
  return static_cast<double>(events) / 2 + 1;
}

double shareOf(const UsedConstraint &constraint) {
  const std::string_view name = nameOfColumn(constraint.column);
  if (name == "name" || name == "function_id")
    return 0.02;
  if (name == "parent_id")
    return 1e-6;
  return name == "ts" || name == "dur" ? 0.2 : 0.5;
}

int SpanVtab::bestIndex(sqlite3_index_info &info) {
  TablePlan plan = planOf(info, [](int column) { return pushOfSpans(nameOfColumn(column)); }, nameOfColumn, false);
  double rows = rowsOf(trace.trace());
  bool isOne = false;
  for (const UsedConstraint &constraint : plan.constraints) {
    rows *= shareOf(constraint);
    isOne |= std::string_view(nameOfColumn(constraint.column)) == "id" && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
  }
  info.estimatedRows = isOne ? 1 : static_cast<sqlite3_int64>(std::max(rows, 2.0));
  info.estimatedCost = isOne ? 30.0 : 1000.0 + rows;
  if (isOne)
    info.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  plan.text = (plan.text.empty() ? "all calls" : plan.text) + "; reads";
  for (size_t i = 0; i < findTable("spans")->columns.size(); ++i)
    if (plan.used >> i & 1)
      plan.text += std::string(" ") + nameOfColumn(static_cast<int>(i));
  return offer(info, std::move(plan));
}

SpanColumns columnsOf(const TablePlan &plan) {
  SpanColumns columns = {SpanColumn::Id}; // SQLite may ask for it as the number of the row
  for (size_t i = 0; i < findTable("spans")->columns.size(); ++i)
    if (plan.used >> i & 1)
      columns.add(columnAt(static_cast<int>(i)));
  return columns;
}

int SpanCursor::filter(const TablePlan &plan, sqlite3_value **values) {
  close();
  auto conditions = spanConditions(trace, plan, values, nameOfColumn);
  if (trace.interrupt)
    return SQLITE_INTERRUPT;
  if (!conditions)
    return failTable(*pVtab, conditions.error().text());
  if (!*conditions)
    return SQLITE_OK;
  request = std::move((*conditions)->request);
  request.columns = columnsOf(plan);
  const bool isOne = request.minId == request.maxId;
  if (isOne && !request.columns.hasAny(kSumColumns) && !request.columns.hasAny(kTextColumns)) {
    const auto found = trace.find(request.minId);
    if (trace.interrupt)
      return SQLITE_INTERRUPT;
    if (!found)
      return failTable(*pVtab, found.error().text());
    if (*found)
      show(**found);
    return SQLITE_OK;
  }
  read();
  return next();
}

void setText(sqlite3_context *context, std::string_view text) {
  if (text.empty())
    return sqlite3_result_null(context);
  if (isUtf8(text))
    return sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  const std::string valid = validUtf8(text);
  sqlite3_result_text64(context, valid.data(), valid.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

int SpanCursor::column(sqlite3_context *context, int number) const {
  const SpanChunk &chunk = *this->chunk;
  const auto setNumber = [&](uint64_t value) { sqlite3_result_int64(context, static_cast<sqlite3_int64>(value)); };
  const auto setOrNull = [&](uint64_t value, uint64_t none) {
    value == none ? sqlite3_result_null(context) : setNumber(value);
  };
  constexpr std::string_view kName = "name";
  switch (columnAt(number)) {
  case SpanColumn::Id:
    setNumber(chunk.id[row]);
    break;
  case SpanColumn::ParentId:
    setOrNull(chunk.parentId[row], kNoParent);
    break;
  case SpanColumn::Ts:
    setNumber(chunk.ts[row]);
    break;
  case SpanColumn::Dur:
    setNumber(chunk.dur[row]);
    break;
  case SpanColumn::Self:
    setNumber(chunk.self[row]);
    break;
  case SpanColumn::OnCpu:
    setOrNull(chunk.onCpu[row], kUnknown);
    break;
  case SpanColumn::Waiting:
    setOrNull(chunk.waiting[row], kUnknown);
    break;
  case SpanColumn::Preempted:
    setOrNull(chunk.preempted[row], kUnknown);
    break;
  case SpanColumn::Recorder:
    setOrNull(chunk.recorder[row], kUnknown);
    break;
  case SpanColumn::SelfRecorder:
    setOrNull(chunk.selfRecorder[row], kUnknown);
    break;
  case SpanColumn::Function:
    if (nameOfColumn(number) == kName) {
      const std::string &name = trace.nameOf(chunk.function[row]);
      sqlite3_result_text64(context, name.data(), name.size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      setNumber(chunk.function[row]);
    }
    break;
  case SpanColumn::Thread:
    setNumber(chunk.thread[row]);
    break;
  case SpanColumn::Process:
    setNumber(chunk.process[row]);
    break;
  case SpanColumn::Depth:
    setNumber(chunk.depth[row]);
    break;
  case SpanColumn::Exit:
    sqlite3_result_text(context, spanEndName(static_cast<SpanEnd>(chunk.exit[row])).data(), -1, SQLITE_STATIC);
    break;
  case SpanColumn::Outermost:
    setNumber(chunk.outermost[row]);
    break;
  case SpanColumn::Arguments:
    setText(context, chunk.arguments[row]);
    break;
  case SpanColumn::Result:
    setText(context, chunk.result[row]);
    break;
  case SpanColumn::Values:
    setText(context, chunk.values[row]);
    break;
  }
  return SQLITE_OK;
}

} // namespace
} // namespace span_module

AttachedTrace *traceOf(void *traces, const char *const *argv) {
  const auto &all = *static_cast<AttachedTraces *>(traces);
  const auto at = all.find(argv[1]);
  return at == all.end() ? nullptr : at->second.get();
}

int failTable(sqlite3_vtab &table, const std::string &message) {
  sqlite3_free(table.zErrMsg);
  table.zErrMsg = sqlite3_mprintf("%s", message.c_str());
  return SQLITE_ERROR;
}

std::string declarationOf(std::span<const ColumnInfo> columns) {
  std::string text = "CREATE TABLE x (";
  for (const ColumnInfo &column : columns) {
    const char *type = column.holds == Holds::Real                                 ? "REAL"
                       : column.holds < Holds::Real || column.holds == Holds::Flag ? "INTEGER"
                                                                                   : "TEXT";
    text += (&column == columns.data() ? "\"" : ", \"") + std::string(column.key) + "\" " + type;
  }
  return text + ")";
}

const sqlite3_module kSpanModule = moduleOf<span_module::SpanVtab, span_module::SpanCursor>();

} // namespace ada::query
