// adatrace fleet: answers common questions from a database of sessions.
#include "command.h"
#include "fleet/loaded_sessions.h"
#include "options/option_values.h"
#include "output/diff_lines.h"
#include "output/table_writer.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include "analysis/diff/diff.h"
#include "analysis/events/globbed_function.h"
#include "analysis/events/near_names.h"
#include "formats/clickhouse/questions.h"

#include <algorithm>
#include <cctype>
#include <chrono>

namespace ada::cli {

namespace fleet_command {
namespace {

constexpr const char *kChange = "change";

struct Options {
  std::string from, credentials, question, since, until, before, after;
  std::vector<std::string> functions, hosts, releases;
  TableOptions table;
  uint64_t limit = 20;
  bool all = false;
};

// Prints an answer, whose first row is the names of its columns.
void printAnswer(Output &out, const Palette &palette, const std::vector<std::vector<std::string>> &rows,
                 const TableOptions &options) {
  if (rows.empty())
    return;
  const auto isNumber = [](const std::string &text) {
    return !text.empty() && text.find_first_not_of("0123456789.e+-") == text.npos;
  };
  std::vector<ColumnInfo> columns;
  for (size_t i = 0; i < rows[0].size(); ++i) {
    const bool isRight =
        std::ranges::all_of(rows.begin() + 1, rows.end(), [&](const auto &row) { return isNumber(row[i]); });
    const char *name = rows[0][i].c_str();
    columns.push_back(ColumnInfo{name} | inText(name) | (isRight ? kRight : kLeft));
  }
  ColumnList list;
  for (const ColumnInfo &column : columns)
    list.push_back(&column);
  TableOptions whole = options;
  whole.columns.clear(); // the server chose them
  TableWriter table(out, palette, list, whole, 0);
  for (size_t row = 1; row < rows.size(); ++row)
    table.writeCells({rows[row].begin(), rows[row].end()});
  table.finish();
}

// "2026-11-20T10:00" (UTC) or "2h" (that long ago) in nanoseconds since 1970.
std::optional<uint64_t> momentOf(const std::string &text) {
  if (const auto ago = parseDuration(text)) {
    const auto now = uint64_t(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
    return *ago < now ? now - *ago : 0;
  }
  std::tm date = {};
  for (const char *format :
       {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    date = {};
    if (const char *end = ::strptime(text.c_str(), format, &date); end && !*end)
      return uint64_t(::timegm(&date)) * 1'000'000'000;
  }
  return std::nullopt;
}

std::string isText(const char *column, const std::vector<std::string> &values) {
  std::string list;
  for (const std::string &value : values)
    list += (list.empty() ? "" : ", ") + sqlQuoted(value);
  return fmt::format(" AND {} IN ({})", column, list);
}

// A condition, and whether each glob of --function matches a function.
struct Condition {
  std::string sql = "1";
  int status = kOk;
};

bool isChosen(const model::Function &function, const std::vector<std::string> &globs) {
  const analysis::GlobbedFunction names(function);
  return std::ranges::any_of(globs, [&](const std::string &glob) { return names.matches(glob); });
}

// Warns of globs that match none of the functions. If all of them do, ends the command. Returns the exit status.
int checkGlobs(const Server &server, const std::vector<std::string> &globs, const std::vector<model::Function> &all) {
  const bool hasAny = globs.empty() || std::ranges::any_of(all, [&](const auto &f) { return isChosen(f, globs); });
  int status = kOk;
  for (const analysis::UnmatchedGlob &glob : analysis::unmatchedGlobs(globs, all)) {
    if (!hasAny)
      stop(kProblemsFound, "fleet: {}: no function matches '{}'", server.address().shown, oneLine(glob.glob));
    warning("fleet: {}: no function matches '{}'", server.address().shown, oneLine(glob.glob));
    status = kProblemsFound;
  }
  return status;
}

// Globs are matched here, not by the server, so that they mean the same as elsewhere.
Expected<Condition> isFunction(Server &server, const std::vector<std::string> &globs) {
  const auto rows = ADA_TRY(server.rows("SELECT DISTINCT function, name, symbol, file FROM functions"));
  std::vector<model::Function> all;
  std::vector<std::string> numbers;
  for (const auto &row : rows) {
    model::Function &function = all.emplace_back();
    function.displayName = row.at(1), function.name = row.at(2), function.file = row.at(3);
    if (isChosen(function, globs))
      numbers.push_back(row[0]);
  }
  const int status = checkGlobs(server, globs, all);
  return Condition{" AND " + isOneOf("function", numbers), status};
}

// A condition for rows of spans and of aggregates.
Expected<Condition> conditionOf(Server &server, const Options &options) {
  Condition condition;
  if (!options.hosts.empty())
    condition.sql += isText("host", options.hosts);
  if (!options.releases.empty())
    condition.sql += isText("release", options.releases);
  for (const auto &[name, text, sign] :
       {std::tuple("--since", &options.since, ">="), std::tuple("--until", &options.until, "<")}) {
    if (text->empty())
      continue;
    const auto moment = momentOf(*text);
    if (!moment)
      return Error{.code = "E_USAGE",
                   .message = fmt::format("{}: '{}' is not a time like 2026-11-20T10:00 (UTC) or 2h (ago)", name,
                                          oneLine(*text))};
    // With the day, the server knows which parts it need not read.
    condition.sql += fmt::format(" AND begin {} {} AND day {}= toDate({})", sign, *moment, sign[0],
                                 *moment / (uint64_t(86'400) * 1'000'000'000));
  }
  if (!options.functions.empty()) {
    const auto functions = ADA_TRY(isFunction(server, options.functions));
    condition.sql += functions.sql, condition.status = functions.status;
  }
  return condition;
}

int printChange(Server &server, const Options &options, const Invocation &invocation) {
  if (options.before.empty() || options.after.empty())
    return fail(kWrongUsage, "fleet: change needs --before and --after: --before=release=1.3 --after=release=1.4");
  if (!options.hosts.empty() || !options.releases.empty() || !options.since.empty() || !options.until.empty())
    return fail(kWrongUsage, "fleet: change does not take --host, --release, --since or --until: --before and --after "
                             "choose the sessions");
  options.table.check("fleet", infoOf(analysis::diffColumns()));
  std::vector<analysis::Report> sides[2];
  for (const auto &[label, side] : {std::pair(&options.before, &sides[0]), std::pair(&options.after, &sides[1])}) {
    const auto sessions = need("fleet", sessionsWith(server, *label));
    // With one session per side, all durations would be needed to show a change.
    if (sessions.size() < 2)
      return fail(kWrongUsage,
                  "fleet: only one session has {}; at least two are needed to show a change (`adatrace "
                  "diff BEFORE AFTER` compares the files of single sessions)",
                  oneLine(*label));
    *side = need("fleet", reportsOf(server, sessions));
  }
  // All functions are compared, because together they show the speed of each run.
  analysis::Diff diff = analysis::makeDiff(sides[0], sides[1]);
  const int status = checkGlobs(server, options.functions, diff.functions);
  if (!options.functions.empty())
    std::erase_if(diff.rows, [&](const auto &row) { return !isChosen(*row.function, options.functions); });
  DiffLineOptions lines;
  lines.table = options.table;
  lines.all = options.all;
  Output out;
  printDiff(out, invocation.palette(), diff, lines);
  return status;
}

// Prints one JSON object per line, or an array of them.
void printJson(Output &out, std::string_view lines, bool isArray) {
  if (!isArray)
    return out.write(lines);
  out.write("[");
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out.write(rest.size() == lines.size() ? "\n" : ",\n");
    out.write(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  out.write("\n]\n");
}

int run(const Options &options, const Invocation &invocation) {
  if (options.question != kChange && (!options.before.empty() || !options.after.empty()))
    return fail(kWrongUsage, "fleet: only change takes --before and --after");
  Server server = need("fleet", openDatabase(options.from, options.credentials));
  if (options.question == kChange)
    return printChange(server, options, invocation);
  const Condition condition = need("fleet", conditionOf(server, options));
  const auto question = std::ranges::find(formats::questions(), options.question, &formats::Question::name);
  std::string columns;
  for (const std::string &column : options.table.columns) {
    const auto isPlain = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (column.empty() || !std::ranges::all_of(column, isPlain))
      return fail(kWrongUsage, "fleet: '{}' is not the name of a column", column);
    columns += (columns.empty() ? "" : ", ") + column;
  }
  std::string sql =
      fmt::format("SELECT {} FROM ({})", columns.empty() ? "*" : columns, formats::queryOf(*question, condition.sql));
  if (!question->where.empty())
    sql += fmt::format(" WHERE {}", question->where);
  sql += fmt::format(" ORDER BY {}", question->order);
  if (options.limit)
    sql += fmt::format(" LIMIT {}", options.limit);
  Output out;
  const bool isCsv = options.table.format == Format::Csv;
  if (!isCsv && !options.table.isJson()) {
    const auto rows = need("fleet", server.rows(sql + " FORMAT TabSeparatedWithNames"));
    printAnswer(out, invocation.palette(), rows, options.table);
    return condition.status;
  }
  const auto answer = need("fleet", server.query(sql + (isCsv ? " FORMAT CSVWithNames" : " FORMAT JSONEachRow"),
                                                 {"output_format_json_quote_64bit_integers=0"}));
  if (isCsv)
    out.write(answer);
  else
    printJson(out, answer, options.table.format == Format::Json);
  return condition.status;
}

void declare(CommandLine &line, Options &options) {
  std::vector<std::string> names;
  std::string about = "One of:";
  const auto add = [&](std::string_view name, std::string_view text) {
    about += fmt::format("{} {} ({})", names.empty() ? "" : ",", name, text);
    names.emplace_back(name);
  };
  for (const formats::Question &question : formats::questions())
    add(question.name, question.about);
  add(kChange, "what changed between --before and --after, and how sure that is");
  line.option("query", options.question, about).type("").required().oneOf(names);
  line.option("--from", options.from, "The database, as for `load`: clickhouse://HOST:PORT/DATABASE")
      .type("ADDRESS")
      .required();
  line.option("--credentials", options.credentials, "As for `load`").type("FILE");
  addGlobs(line, "--function", options.functions, "Only these functions; may be repeated");
  line.option("--host", options.hosts, "Only this host; may be repeated").type("NAME").repeatable();
  line.option("--release", options.releases, "Only this release; may be repeated").type("NAME").repeatable();
  line.option("--since", options.since,
              "Only calls that began at this time or later: 2026-11-20T10:00 in UTC, or 2h for two hours ago")
      .type("TIME");
  line.option("--until", options.until, "Only calls that began before this time").type("TIME");
  line.option("--before", options.before, "change: the sessions with this label, or host=NAME").type("NAME=VALUE");
  line.option("--after", options.after, "change: the sessions to compare them with").type("NAME=VALUE");
  line.flag("--all", options.all, "change: also show functions of which no change is shown");
  addLimit(line, options.limit, "At most this many lines; 0: all [20]");
  addTableOptions(line, options.table, "row", "table");
}

} // namespace
} // namespace fleet_command

const Command kFleet = {
    "fleet",
    "Query a database of many machines' sessions: what was slow, and where",
    "adatrace fleet functions --from=clickhouse://db.example:8123/traces\n"
    "adatrace fleet slowest --from=clickhouse://db.example:8123/traces --limit=5 --since=2h\n"
    "adatrace fleet change --from=clickhouse://db.example:8123/traces --before=release=1.3 --after=release=1.4",
    withOptions<fleet_command::declare, fleet_command::run>,
};

} // namespace ada::cli
