// Writes the model as an SQLite database with views for the usual questions (schema.h).
//
// The file is new, and nothing reads it before it is complete, so there is no journal and one transaction.
#include "base/text.h"
#include "formats/row_sink.h"
#include "formats/table.h"
#include "schema.h"

#include <sqlite3.h>

#include <optional>

namespace ada::model {

namespace {

// A prepared INSERT. Texts must stay valid until insert().
class Insertion {
public:
  Insertion() = default;
  Insertion(const Insertion &) = delete;
  ~Insertion() { sqlite3_finalize(statement_); }
  bool prepare(sqlite3 *database, const char *sql) {
    return sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) == SQLITE_OK;
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

class SqliteSink : public RowSink {
public:
  explicit SqliteSink(std::string path) : path_(std::move(path)) {}
  ~SqliteSink() override { close(); }

private:
  void beginTrace(const TraceInfo &) override {
    if (sqlite3_open_v2(path_.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK)
      return fail();
    run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16384;"
        "PRAGMA temp_store=FILE;");
    run(kSqliteTables);
    run("INSERT INTO trace VALUES ('writer', 'AdaTrace'), ('times', 'nanoseconds on the clock of the trace'); BEGIN");
    calls_.emplace();
    marks_.emplace();
    check(!status_ || calls_->prepare(database_, "INSERT INTO calls VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
    counters_.emplace();
    flows_.emplace();
    check(!status_ || counters_->prepare(database_, "INSERT INTO counters VALUES (NULL,?,?,?,?,?)"));
    check(!status_ || flows_->prepare(database_, "INSERT INTO flows VALUES (NULL,?,?,?,?,?,?)"));
    check(!status_ || marks_->prepare(database_, "INSERT INTO marks VALUES (NULL,?,?,?,?,?)"));
  }
  void newProcess(const Process &process) override {
    Insertion row;
    check(!status_ || (row.prepare(database_, "INSERT INTO processes VALUES (?,?,?,?,?)") &&
                       row.number(process.index)
                           .text(validUtf8(process.name))
                           .numberOrNull(process.pid)
                           .text(validUtf8(process.executable))
                           .number(process.resolutionNs)
                           .insert()));
  }
  void newThread(const Thread &thread) override {
    const std::string name = validUtf8(thread.name);
    Insertion row;
    check(
        !status_ ||
        (row.prepare(database_, "INSERT INTO threads VALUES (?,?,?,?,?)") &&
         row.number(thread.index).number(thread.process).number(thread.number).number(thread.tid).text(name).insert()));
  }
  void offCpuTimes(const Thread &thread, const OffCpuLane &lane) override {
    Insertion row;
    check(!status_ || row.prepare(database_, "INSERT INTO off_cpu VALUES (NULL,?,?,?,?,?)"));
    for (const OffCpu &off : lane.periods()) {
      if (!status_)
        return;
      row.number(thread.index).number(off.fromNs).number(off.toNs);
      check(row.text(offCpuName(off.why)).number(off.processor).insert());
    }
  }
  void newFunction(const Function &function) override {
    const std::string signature = validUtf8(function.signature);
    Insertion row;
    check(!status_ || (row.prepare(database_, "INSERT INTO functions VALUES (?,?,?,?,?,?,?,?)") &&
                       row.number(function.index)
                           .number(function.process)
                           .text(function.displayName)
                           .text(function.name)
                           .textOrNull(function.file)
                           .numberOrNull(function.line ? std::optional(function.line) : std::nullopt)
                           .textOrNull(signature)
                           .text(kindName(function.kind))
                           .insert()));
  }
  void writeRow(const Row &row) override {
    if (!status_)
      return;
    const Span &span = row.span;
    calls_->number(row.id).numberOrNull(row.parent ? std::optional(row.parent) : std::nullopt);
    calls_->number(row.thread).number(span.functionIndex).number(span.depth);
    calls_->number(span.beginNs).number(span.endNs).number(span.selfNs());
    calls_->text(spanEndName(span.how)).number(span.outermost);
    const std::string arguments = validUtf8(row.arguments), result = validUtf8(row.result),
                      values = validUtf8(row.values);
    calls_->textOrNull(arguments).textOrNull(result).textOrNull(values).number(span.recorderNs);
    check(calls_->insert());
  }
  bool point(const Point &point) override {
    const Function &about = function(point.function);
    if (point.kind == SymbolKind::Instant) {
      mark(point.thread, point.timeNs, {about.displayName, point.json});
      return true;
    }
    if (!point.value || !point.value->isFinite()) // NaN would be NULL
      return false;
    if (!status_)
      return true;
    Insertion &row = point.kind == SymbolKind::Counter ? *counters_ : *flows_;
    const uint64_t call = openCall(point.thread);
    row.number(point.thread).numberOrNull(call ? std::optional(call) : std::nullopt);
    row.number(point.function).number(point.timeNs);
    if (isFlow(point.kind))
      row.text(kindName(point.kind).substr(std::string_view("flow_").size()));
    // Integers have 64 bits including the sign.
    if (!point.value->isInteger || (!isFlow(point.kind) && point.value->number > static_cast<long double>(INT64_MAX)))
      row.real(point.value->asDouble());
    else if (point.value->number < 0)
      row.number(static_cast<uint64_t>(static_cast<int64_t>(point.value->number)));
    else
      row.number(static_cast<uint64_t>(point.value->number));
    check(row.insert());
    return true;
  }
  void mark(uint32_t thread, uint64_t timeNs, const Text &text) override {
    if (!status_)
      return;
    const uint64_t call = openCall(thread);
    const std::string name = validUtf8(text.name), data = validUtf8(text.json);
    marks_->number(thread).numberOrNull(call ? std::optional(call) : std::nullopt);
    check(marks_->number(timeNs).text(name).textOrNull(data).insert());
  }
  void endTrace() override {
    run("COMMIT");
    run(kSqliteViews);
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
    calls_.reset();
    marks_.reset();
    counters_.reset();
    flows_.reset();
    if (database_ && sqlite3_close(database_) != SQLITE_OK)
      fail();
    database_ = nullptr;
  }

  std::string path_;
  sqlite3 *database_ = nullptr;
  std::optional<Insertion> calls_, marks_, counters_, flows_;
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

} // namespace ada::model
