// adatrace sql: answers SQL on traces, as they lie there.
#include "ada/trace/sql.h"
#include "analysis/query/sql/allowed.h"
#include "analysis/query/tables.h"
#include "analysis/query/views.h"
#include "command.h"
#include "output/sql_columns.h"
#include "output/sql_rows.h"
#include "process/live_session.h"
#include "process/session_place.h"
#include "terminal/line_reader.h"

#include "formats/table.h"
#include "trace/base/text.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace ada::cli {

namespace sql_command {
namespace {

struct Options {
  std::vector<std::string> arguments;
  TableOptions table;
  bool explains = false;
};

// While it lives, ^C ends the query that is being run, or the next one if none is, but not the shell.
class Interruption {
public:
  explicit Interruption(query::SqlDatabase &database) {
    running = &database;
    struct sigaction action = {};
    action.sa_handler = [](int) {
      if (query::SqlDatabase *const database = running)
        database->interrupt();
    };
    sigaction(SIGINT, &action, &before_);
  }
  Interruption(const Interruption &) = delete;
  ~Interruption() {
    sigaction(SIGINT, &before_, nullptr);
    running = nullptr;
  }

private:
  static inline std::atomic<query::SqlDatabase *> running = nullptr;
  struct sigaction before_;
};

class Session {
public:
  Session(const Options &options, const Invocation &invocation)
      : options_(options), palette_(invocation.palette()), database_(need(query::SqlDatabase::open())) {}

  void open(const std::vector<std::string> &sessions) {
    if (sessions.size() <= 1)
      attach("main", sessionOrNewest(sessions.empty() ? "" : sessions[0]));
    else
      for (const std::string &session : sessions)
        attachNamed(session);
    tellDamage();
  }

  /// Runs all statements of a text, and lines that begin with a dot between them. The exit status.
  int run(std::string_view sql) {
    while (!sql.empty()) {
      sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n"), sql.size()));
      if (sql.starts_with('.')) {
        const size_t end = std::min(sql.find('\n'), sql.size());
        if (const int code = command(std::string(sql.substr(0, end))))
          return code;
        if (isOver_)
          break;
        sql.remove_prefix(end);
        continue;
      }
      auto done = runFirst(sql);
      if (!done && done.error().code == "E_INTERRUPTED") {
        out_.flush();
        return fail(kSignalBase + SIGINT, "sql: interrupted");
      }
      if (!done)
        return fail(kWrongUsage, "sql: {}", done.error().message);
    }
    return tellDamage();
  }

  int shell();

private:
  void attach(const std::string &schema, const std::string &path) {
    if (std::filesystem::is_directory(path) && LiveSession::at(path).isLive())
      warning("{}: it is still being recorded; queries see what is in its files now", path);
    auto source = need(model::openTrace(path));
    need(database_->attach(schema, std::move(source)));
  }
  // NAME=PATH, or a path: then its number is the name.
  void attachNamed(const std::string &text) {
    const size_t sign = text.find('=');
    const std::string name = text.substr(0, std::min(sign, text.size()));
    const bool isNamed =
        sign != text.npos && !std::filesystem::exists(text) && !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == name.npos;
    const std::string schema = isNamed ? name : "s" + std::to_string(database_->schemas().size() + 1);
    const std::vector<std::string> taken = database_->schemas();
    if (schema == "main" || schema == "temp" || std::ranges::find(taken, schema) != taken.end())
      stop(kWrongUsage, "sql: '{}' can't name a session: it names something else", schema);
    attach(schema, isNamed ? text.substr(sign + 1) : text);
  }

  Expected<void> runFirst(std::string_view &sql) {
    auto query = database_->query(sql, &sql);
    if (!query)
      return query.error();
    if (!*query)
      return {};
    if (options_.explains)
      return explain(**query);
    if (options_.table.format == Format::Parquet)
      return writeFile(**query);
    return printRows(out_, palette_, **query, options_.table);
  }
  Expected<void> writeFile(query::SqlQuery &query) {
    if (std::exchange(hasFile_, true))
      return Error{.code = "E_SQL", .message = "--format=parquet writes one table, so there can be one query only"};
    return writeParquet(query, [this](std::span<const std::byte> bytes) {
      out_.write({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
      return true;
    });
  }
  Expected<void> explain(const query::SqlQuery &query) {
    if (!query.changed().empty())
      out_.print("run as: {}\n", query.changed());
    auto lines = query.plan();
    if (!lines)
      return lines.error();
    for (const std::string &line : *lines)
      out_.print("{}\n", line);
    return {};
  }

  // Prints what was wrong with the traces, each thing once.
  int tellDamage() {
    out_.flush();
    for (const std::string &schema : database_->schemas()) {
      for (const Warning &flaw : database_->warnings(schema))
        if (isNew(flaw.message))
          warning("{}", flaw.message);
      for (const Error &problem : database_->problems(schema)) {
        code_ = kProblemsFound;
        if (isNew(problem.text()))
          complain(problem.text());
      }
    }
    return code_;
  }
  bool isNew(const std::string &text) {
    const bool isKnown = std::ranges::find(told_, text) != told_.end();
    if (!isKnown)
      told_.push_back(text);
    return !isKnown;
  }

  int command(const std::string &line);
  void showTables();
  void showSchema(std::string_view name);
  void showFunctions();

  const Options &options_;
  Palette palette_;
  Output out_;
  std::unique_ptr<query::SqlDatabase> database_;
  std::vector<std::string> told_;
  bool hasFile_ = false; // a file was begun
  bool isOver_ = false;  // .quit
  int code_ = kOk;
};

//===--- the shell --------------------------------------------------------===//

void Session::showTables() {
  for (const query::TableInfo &table : query::tables())
    out_.print("{:18} {}\n", table.name, table.help);
  for (const auto &view : query::kViews)
    out_.print("{:18} {}\n", view.name, view.help);
}

void Session::showSchema(std::string_view name) {
  for (const query::TableInfo &table : query::tables()) {
    if (!name.empty() && name != table.name)
      continue;
    out_.print("{}{}{}: {}\n", palette_.name, table.name, palette_.reset, table.help);
    for (const ColumnInfo &column : table.columns)
      out_.print("  {:12}  {}\n", column.key, column.help);
  }
  for (const auto &view : query::kViews)
    if (name.empty() || name == view.name)
      out_.print("{}{}{}: {}\n  {}\n", palette_.name, view.name, palette_.reset, view.help, view.query);
}

void Session::showFunctions() {
  for (const std::string_view name : query::allowedFunctions())
    out_.print("{}\n", name);
}

// A line that begins with a dot. The exit status.
int Session::command(const std::string &line) {
  constexpr std::string_view kSpaces = " \t\r";
  const size_t end = std::min(line.find_first_of(kSpaces), line.size());
  const std::string word = line.substr(0, end);
  const size_t more = line.find_first_not_of(kSpaces, end);
  const std::string rest = more == line.npos ? "" : line.substr(more, line.find_last_not_of(kSpaces) + 1 - more);
  if (word == ".quit" || word == ".exit")
    isOver_ = true;
  else if (word == ".tables")
    showTables();
  else if (word == ".schema")
    showSchema(rest);
  else if (word == ".functions")
    showFunctions();
  else if (word != ".help")
    return fail(kWrongUsage, "sql: there is no command '{}'; .help shows which there are", word);
  else
    out_.write("SQL ends with a semicolon. ^C ends a query, ^D the shell.\n"
               ".tables         the tables and views, and what a row of each is\n"
               ".schema TABLE   its columns, with units; without TABLE, of all tables\n"
               ".functions      the functions that a query can call; some are not in every version\n"
               ".quit           end\n"
               "Times are nanoseconds. An example:\n"
               "  SELECT name, count(*), sum(dur) FROM spans GROUP BY name ORDER BY 3 DESC LIMIT 10;\n");
  out_.flush();
  return kOk;
}

int Session::shell() {
  LineReader lines("sql_history");
  const Interruption interruption(*database_);
  out_.write(".help shows what can be asked.\n");
  out_.flush();
  std::string sql;
  const auto next = [&] {
    const auto resume = [this] { database_->resume(); }; // from ^C, which ended a query or came too late
    return lines.read(sql.empty() ? "adatrace> " : "     ...> ", resume);
  };
  while (const auto line = next()) {
    if (lines.wasCancelled()) {
      sql.clear();
      continue;
    }
    if (!line->empty())
      lines.remember(*line);
    if (sql.empty() && line->starts_with('.')) {
      (void)command(*line);
      if (isOver_)
        break;
      continue;
    }
    sql += (sql.empty() ? "" : "\n") + *line;
    if (sql.find_first_not_of(" \t\n") == sql.npos)
      sql.clear();
    else if (query::isCompleteSql(sql))
      (void)run(std::exchange(sql, {}));
  }
  return code_;
}

//===--- the command ------------------------------------------------------===//

// A query has a space, or is a command with a dot, and is no file.
bool isQuery(const std::string &text) {
  std::error_code ignored;
  const bool isCommand = text.starts_with('.') && text.find('/') == text.npos;
  return (isCommand || text.find_first_of(" \t\n") != text.npos) && !std::filesystem::exists(text, ignored);
}

int run(Options &options, const Invocation &invocation) {
  std::vector<std::string> sessions = options.arguments;
  std::optional<std::string> sql;
  if (!sessions.empty() && isQuery(sessions.back())) {
    sql = sessions.back();
    sessions.pop_back();
  }
  const bool isShell = !sql && isTerminal(STDIN_FILENO) && isTerminal(STDOUT_FILENO);
  if (options.table.format == Format::Parquet && isTerminal(STDOUT_FILENO))
    return fail(kWrongUsage, "sql: a Parquet file can't be shown on a terminal: write `> FILE` after the command");
  if (options.table.format == Format::Parquet && !options.table.columns.empty())
    return fail(kWrongUsage, "sql: --columns is for rows that are printed; name the columns in the query");
  if (!sql && !isShell && std::ranges::find(sessions, "-") != sessions.end())
    return fail(kWrongUsage, "sql: standard input can't be both the trace and the query");
  Session session(options, invocation);
  session.open(sessions);
  if (isShell)
    return session.shell();
  if (!sql)
    sql = std::string(std::istreambuf_iterator<char>(std::cin), {});
  return session.run(*sql);
}

void declare(CommandLine &line, Options &options) {
  line.option(
          "session", options.arguments,
          "Sessions, or traces of any other format [the newest session under ./ada-traces]; and a query, which has a "
          "space, or a command such as .tables. With several sessions, each is a schema: s1, s2, or NAME for "
          "NAME=SESSION. Without a query, SQL is "
          "read from standard input; on a terminal, a shell asks for it")
      .type("");
  line.flag("--explain", options.explains,
            "Show how the query would be run: which conditions are used to read less, and which columns are read")
      .under(heading::kOutput);
  addTableOptions(line, options.table, "row", "table", /*hasParquet=*/true);
}

} // namespace
} // namespace sql_command

const Command kSql = {
    "sql",
    "Ask in SQL",
    "adatrace sql 'SELECT name, calls, self FROM functions'\n"
    "adatrace sql run.adatrace 'SELECT ts FROM spans WHERE dur > 1e6' --format=csv\n"
    "adatrace sql run.adatrace 'SELECT * FROM functions' --format=parquet > functions.parquet\n"
    "adatrace sql before=a after=b 'SELECT max(dur) FROM after.spans'\n"
    "adatrace sql --explain 'SELECT max(dur) FROM spans'",
    withOptions<sql_command::declare, sql_command::run>,
};

} // namespace ada::cli
