// Writes the model as an SQLite database: the tables of lib/analysis/query/tables.cpp, and its views.
//
// The file is new, and nothing reads it before it is complete, so there is no journal and one transaction.
#include "analysis/query/arguments.h"
#include "analysis/query/function_keys.h"
#include "analysis/query/list_rows.h"
#include "analysis/query/tables.h"
#include "analysis/query/views.h"
#include "formats/row_sink.h"
#include "formats/span_off_cpu.h"
#include "formats/table.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/text.h"
#include "trace/statistics.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ada::formats {

namespace {

// A prepared INSERT. Texts must stay valid until insert().
class Insertion {
public:
  Insertion() = default;
  Insertion(const Insertion &) = delete;
  ~Insertion() { sqlite3_finalize(statement_); }
  bool prepare(sqlite3 *database, const std::string &sql) {
    return sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) == SQLITE_OK;
  }
  Insertion &null() {
    sqlite3_bind_null(statement_, ++column_);
    return *this;
  }
  /// Integers have 63 bits.
  Insertion &number(uint64_t value) {
    sqlite3_bind_int64(statement_, ++column_, static_cast<sqlite3_int64>(value));
    return *this;
  }
  Insertion &real(double value) {
    sqlite3_bind_double(statement_, ++column_, value);
    return *this;
  }
  Insertion &numberOrNull(std::optional<uint64_t> value) { return value ? number(*value) : null(); }
  Insertion &text(std::string_view value) {
    sqlite3_bind_text64(statement_, ++column_, value.data() ? value.data() : "", value.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
    return *this;
  }
  Insertion &textOrNull(std::string_view value) { return value.empty() ? null() : text(value); }
  bool insert() {
    column_ = 0;
    const bool isDone = sqlite3_step(statement_) == SQLITE_DONE;
    sqlite3_reset(statement_);
    return isDone;
  }

private:
  sqlite3_stmt *statement_ = nullptr;
  int column_ = 0;
};

// The tables that are written. Single events are left out: every call is a row already.
constexpr std::array<const char *, 10> kTables = {
    "processes", "threads", "functions", "process_functions", "spans", "args", "off_cpu", "counters", "marks", "flows"};

constexpr std::pair<const char *, const char *> kReferences[] = {
    {"parent_id", "spans"}, {"span_id", "spans"},     {"function_id", "functions"},
    {"thread", "threads"},  {"process", "processes"},
};

std::string declarationOf(const query::TableInfo &table) {
  std::string text = "CREATE TABLE " + std::string(table.name) + " (";
  for (const ColumnInfo &column : table.columns) {
    const bool isNumber = column.holds < Holds::Real || column.holds == Holds::Flag;
    text += (&column == table.columns.data() ? "\"" : ", \"") + std::string(column.key) + "\"" +
            (column.holds == Holds::Real ? " NUMERIC"
             : isNumber                  ? " INTEGER"
                                         : " TEXT");
    if (std::string_view(column.key) == "id")
      text += " PRIMARY KEY";
    else if (!column.orNull)
      text += " NOT NULL";
    for (const auto &[key, other] : kReferences)
      if (std::string_view(column.key) == key && column.holds == Holds::Number)
        text += std::string(" REFERENCES ") + other;
  }
  return text + ")";
}

std::string insertionInto(const query::TableInfo &table) {
  std::string text = "INSERT INTO " + std::string(table.name) + " VALUES (?";
  for (size_t i = 1; i < table.columns.size(); ++i)
    text += ",?";
  return text + ")";
}

constexpr char kIndexes[] = R"(
CREATE INDEX spans_by_parent ON spans (parent_id);
CREATE INDEX spans_by_function ON spans (function_id);
CREATE INDEX spans_by_thread ON spans (thread, ts);
CREATE INDEX args_by_span ON args (span_id);
CREATE INDEX off_cpu_by_thread ON off_cpu (thread, ts);
)";

class SqliteSink : public RowSink {
public:
  explicit SqliteSink(std::string path) : RowSink(Wants::ValueLists), path_(std::move(path)) {}
  ~SqliteSink() override { close(); }
  bool wantsNumbers() const override { return true; }

private:
  struct ThreadState {
    std::unique_ptr<SpanOffCpu> offCpu;
    std::unordered_map<uint32_t, uint32_t> open; // calls of each function
    query::ThreadTotals totals;
    query::Knowledge known;
    model::ThreadExtent extent;
  };

  void beginTrace(const model::TraceInfo &) override {
    // For the user alone, as all files that we make: SQLite would let others read it.
    const FileDescriptor made(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (sqlite3_open_v2(path_.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK)
      return fail();
    run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16384;"
        "PRAGMA temp_store=FILE;");
    for (const char *name : kTables) {
      const query::TableInfo &table = *query::findTable(name);
      run(declarationOf(table).c_str());
      check(!status_ || insertions_[name].prepare(database_, insertionInto(table)));
    }
    run("CREATE TABLE trace (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
        "INSERT INTO trace VALUES ('writer', 'AdaTrace'), ('times', 'nanoseconds on the clock of the trace'); BEGIN");
    spans_ = &insertions_["spans"];
  }
  struct ProcessState {
    std::map<uint32_t, FunctionStatistics> called; // by number in the trace, until it has ended
    uint32_t threadsLeft = 0;                      // whose events are still to come
    query::Knowledge known;
  };
  struct KnownFunction {
    model::Function about;
    FunctionStatistics figures; // of the processes that have ended
  };

  void newProcess(const model::Process &) override { processes_.emplace_back(); }
  void newThread(const model::Thread &thread) override {
    threads_.emplace_back();
    processes_[thread.process].threadsLeft += !thread.extent || thread.extent->events > 0;
    followEvents(thread.index);
  }
  void offCpuTimes(const model::Thread &thread) override {
    ThreadState &state = threads_[thread.index];
    state.offCpu = std::make_unique<SpanOffCpu>(table(), thread);
    state.known.add(thread);
    processes_[thread.process].known.add(thread);
    Insertion &row = insertions_["off_cpu"];
    thread.eachOffCpu([&](const OffCpu &off) {
      if (!status_)
        return;
      row.number(thread.indexInTrace).number(thread.process).number(off.fromNs).number(off.durationNs());
      check(row.text(offCpuName(off.why)).number(off.processor).insert());
    });
  }
  void nextEvent(const model::Event &event, std::span<const Span> open) override {
    ThreadState &thread = threads_[event.thread];
    if (thread.offCpu)
      thread.offCpu->next(event, open);
    if (event.isEarlier)
      return;
    if (thread.extent.events++ == 0)
      thread.extent.firstNs = event.timeNs;
    thread.extent.lastNs = event.timeNs;
  }
  void newFunction(const model::Function &function) override {
    const uint32_t number = function.numberInTrace; // several may have the same
    numbers_.push_back(number);
    names_.push_back(validUtf8(function.displayName));
    functions_.try_emplace(number, KnownFunction{function, {}});
  }
  // 1 for calls that are in no other call of the same function.
  uint64_t wayOf(const Call &call, uint64_t) override {
    return threads_[call.thread].open[numbers_[call.function]]++ == 0;
  }
  void writeRow(const Row &row) override {
    const uint32_t function = numbers_[row.span.functionIndex];
    ThreadState &thread = threads_[row.thread];
    --thread.open[function];
    if (!status_)
      return;
    Span span = row.span;
    span.recorderNs = 0; // it is among the off-CPU times
    const bool isOutermost = row.way == 1, isKnown = thread.offCpu != nullptr;
    const analysis::OffCpuOfCall off = isKnown ? thread.offCpu->end(span.depth) : analysis::OffCpuOfCall();
    FunctionStatistics &figures = processes_[this->thread(row.thread).process].called[function];
    figures.add(span, isOutermost);
    figures.addOffCpu(off.all, off.self, isOutermost);
    const uint64_t selfNs = span.selfNs() - std::min(span.selfNs(), off.self.recorderNs);
    thread.totals += query::ThreadTotals{1, selfNs, off.self};
    writeSpan(row, selfNs, off, isKnown && thread.offCpu->isSchedKnown(), isKnown);
    if (!row.argumentsJson.empty())
      writeArguments(row);
  }
  void writeSpan(const Row &row, uint64_t selfNs, const analysis::OffCpuOfCall &off, bool knowsSched,
                 bool knowsRecorder) {
    const Span &span = row.span;
    const auto known = [&](bool isKnown, uint64_t ns) { return isKnown ? std::optional(ns) : std::nullopt; };
    spans_->number(row.spanId).numberOrNull(known(row.parentSpanId != 0, row.parentSpanId));
    spans_->number(span.beginNs).number(span.durationNs()).number(selfNs);
    spans_->numberOrNull(known(knowsSched, off.self.onCpuNs(selfNs)));
    spans_->numberOrNull(known(knowsSched, off.all.waitingNs)).numberOrNull(known(knowsSched, off.all.preemptedNs));
    spans_->numberOrNull(known(knowsRecorder, off.all.recorderNs));
    spans_->numberOrNull(known(knowsRecorder, off.self.recorderNs));
    const uint32_t function = numbers_[span.functionIndex];
    spans_->text(names_[span.functionIndex]).number(function).number(thread(row.thread).indexInTrace);
    spans_->number(thread(row.thread).process).number(span.depth);
    spans_->text(spanEndName(span.how)).number(row.way);
    const std::string arguments = validUtf8(row.arguments), result = validUtf8(row.result),
                      values = validUtf8(row.values);
    check(spans_->textOrNull(arguments).textOrNull(result).textOrNull(values).insert());
  }
  void writeArguments(const Row &row) {
    uint64_t position = 0;
    Insertion &to = insertions_["args"];
    query::forEachArgument(row.argumentsJson, [&](std::string_view name, const std::string &value, bool isNumber) {
      const std::string key = validUtf8(name), text = validUtf8(value);
      to.number(row.spanId)
          .number(thread(row.thread).indexInTrace)
          .number(thread(row.thread).process)
          .number(row.span.beginNs);
      to.number(numbers_[row.span.functionIndex]).number(position++).text(key).text(text);
      check((isNumber ? to.text(text) : to.null()).insert()); // the column makes a number of it
      return bool(status_);
    });
  }
  void leaveThread(uint32_t number) override {
    threads_[number].offCpu.reset();
    threads_[number].open.clear();
    // Sources that know what a thread holds have announced all threads. The others may have more.
    const uint32_t process = thread(number).process;
    if (--processes_[process].threadsLeft == 0 && thread(number).extent)
      leaveProcess(process);
  }
  // Writes what the process's functions cost.
  void leaveProcess(uint32_t process) {
    for (const auto &[number, figures] : std::exchange(processes_[process].called, {})) {
      writeValues("process_functions", query::processFunctionRow(number, process, figures, processes_[process].known));
      functions_.at(number).figures.merge(figures);
    }
  }

  bool point(const Point &point) override {
    if (point.kind == SymbolKind::Instant) {
      mark(point.thread, point.timeNs, {names_[point.function], point.json});
      return true;
    }
    if (!point.value || !point.value->isFinite()) // NaN would be NULL
      return false;
    if (!status_)
      return true;
    Insertion &row = insertions_[point.kind == SymbolKind::Counter ? "counters" : "flows"];
    row.number(thread(point.thread).indexInTrace).number(thread(point.thread).process).number(point.timeNs);
    row.text(names_[point.function]).number(numbers_[point.function]);
    if (isFlow(point.kind))
      row.text(kindName(point.kind).substr(std::string_view("flow_").size()));
    // Integers have 64 bits including the sign.
    if (!point.value->isInteger || (!isFlow(point.kind) && point.value->number > static_cast<long double>(INT64_MAX)))
      row.real(point.value->asDouble());
    else if (point.value->number < 0)
      row.number(static_cast<uint64_t>(static_cast<int64_t>(point.value->number)));
    else
      row.number(static_cast<uint64_t>(point.value->number));
    check(addCall(row, point.thread).insert());
    return true;
  }
  void mark(uint32_t number, uint64_t timeNs, const model::Text &text) override {
    if (!status_)
      return;
    const std::string name = validUtf8(text.name), data = validUtf8(text.json);
    Insertion &row = insertions_["marks"];
    row.number(thread(number).indexInTrace).number(thread(number).process).number(timeNs).text(name).textOrNull(data);
    check(addCall(row, number).insert());
  }
  Insertion &addCall(Insertion &row, uint32_t thread) {
    const uint64_t call = openSpan(thread);
    return row.numberOrNull(call ? std::optional(call) : std::nullopt);
  }

  // The lists come last, with the figures.
  void writeLists() {
    query::Knowledge known; // about any process
    std::vector<query::ThreadTotals> totals(processes_.size());
    std::vector<uint64_t> threads(processes_.size());
    for (const model::Process &process : table().processes) {
      leaveProcess(process.index);
      known |= processes_[process.index].known;
    }
    for (const model::Thread &thread : table().threads) {
      const ThreadState &state = threads_[thread.index];
      totals[thread.process] += state.totals;
      ++threads[thread.process];
      writeValues("threads", query::threadRow(thread.indexInTrace, thread, state.extent, state.totals, state.known));
    }
    query::FunctionKeys keys(table());
    for (const auto &[number, function] : functions_) {
      const bool isShared = keys.isShared(function.about);
      writeValues("functions", query::functionRow(number, function.about, isShared, function.figures,
                                                  isShared ? known : processes_[function.about.process].known));
    }
    for (const model::Process &process : table().processes)
      writeValues("processes", query::processRow(process, threads[process.index], totals[process.index],
                                                 processes_[process.index].known));
  }
  // Texts, numbers, and what is not known.
  void writeValues(std::string_view table, const std::vector<Value> &values) {
    if (!status_)
      return;
    Insertion &row = insertions_[table];
    std::deque<std::string> texts;
    for (const Value &value : values)
      if (const auto *number = std::get_if<uint64_t>(&value))
        row.number(*number);
      else if (const auto *text = std::get_if<std::string>(&value))
        row.text(texts.emplace_back(validUtf8(*text)));
      else
        row.null();
    check(row.insert());
  }
  void endTrace() override {
    writeLists();
    run("COMMIT");
    run(kIndexes);
    for (const auto &view : query::kViews)
      run(("CREATE VIEW " + std::string(view.name) + " AS " + view.query).c_str());
    close();
  }
  const Expected<void> &status() const override { return status_; }

  void run(const char *sql) { check(!status_ || sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }
  void check(bool isDone) {
    if (!isDone)
      fail();
  }
  void fail() {
    if (status_)
      status_ = Error{.code = "E_IO",
                      .message = std::string("the database can't be written: ") +
                                 (database_ ? sqlite3_errmsg(database_) : "no memory")};
  }
  void close() {
    insertions_.clear();
    if (database_ && sqlite3_close(database_) != SQLITE_OK)
      fail();
    database_ = nullptr;
  }

  std::string path_;
  sqlite3 *database_ = nullptr;
  std::map<std::string_view, Insertion> insertions_; // by table
  Insertion *spans_ = nullptr;
  std::map<uint32_t, KnownFunction> functions_; // by number in the trace
  std::vector<uint32_t> numbers_;               // by the source's number
  std::vector<std::string> names_;              // likewise
  std::vector<ProcessState> processes_;
  std::vector<ThreadState> threads_;
  Expected<void> status_;
};

constexpr FormatVariant kSqliteVariants[] = {{.name = "sqlite", .title = "SQLite database", .extension = ".sqlite"}};

} // namespace

extern const TraceFormat kSqliteFormat;
const TraceFormat kSqliteFormat = {
    .title = "SQLite database",
    .variants = kSqliteVariants,
    .shape = Shape::File,
    .makeSink = makeFileSink<SqliteSink>,
};

} // namespace ada::formats
