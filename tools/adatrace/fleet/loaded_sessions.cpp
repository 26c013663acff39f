// Reads sessions from a database into the same structures that the analyses make from files.
#include "loaded_sessions.h"
#include "loader.h"
#include "trace/base/format.h"
#include "trace/base/text.h"

#include "formats/clickhouse/questions.h"
#include "trace/base/try.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace ada::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

uint64_t numberIn(const std::string &text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct Functions {
  std::vector<model::Function> list;
  std::unordered_map<std::string, uint32_t> numbers; // by the database's numbers
};

// The functions whose numbers the query `chosen` selects.
Expected<Functions> functionsOf(Server &server, const std::string &chosen) {
  const auto rows = ADA_TRY(server.rows(
      "SELECT function, any(name), max(symbol), max(file), argMax(line, file) FROM functions WHERE function GLOBAL "
      "IN (" +
      chosen + ") GROUP BY function ORDER BY any(name)"));
  Functions functions;
  for (const auto &row : rows) {
    model::Function function;
    function.index = static_cast<uint32_t>(functions.list.size());
    function.displayName = row.at(1), function.name = row.at(2), function.file = row.at(3);
    function.line = numberIn(row.at(4));
    functions.numbers.emplace(row[0], function.index);
    functions.list.push_back(std::move(function));
  }
  return functions;
}

// Three values are enough: percentile(50) is the second, percentile(99) the third.
Distribution distributionOf(uint64_t p50, uint64_t p99) {
  Distribution durations;
  for (const uint64_t duration : {p50, p50, p99})
    durations.add(duration);
  return durations;
}

} // namespace

Expected<Server> openDatabase(const std::string &address, const std::string &file) {
  auto places = ADA_TRY(parseAddresses(address));
  auto credentials = ADA_TRY(readCredentials(file));
  // Any server of a cluster knows all sessions.
  Server server(places.front(), std::move(credentials), [] { return false; });
  ADA_TRY(checkTables(server));
  return server;
}

Expected<std::vector<std::string>> sessionsWith(Server &server, const std::string &label) {
  const size_t equals = label.find('=');
  if (!label.empty() && (equals == label.npos || equals == 0))
    return Error{.code = "E_USAGE", .message = fmt::format("'{}' is not NAME=VALUE, like release=1.4", oneLine(label))};
  const std::string name = label.substr(0, equals), value = label.empty() ? "" : sqlQuoted(label.substr(equals + 1));
  const std::string condition =
      label.empty()    ? "1"
      : name == "host" ? "host = " + value
      : name == "session"
          ? "name = " + value
          : fmt::format("arrayExists((n, v) -> n = {} AND v = {}, labels.name, labels.value)", sqlQuoted(name), value);
  const auto rows = ADA_TRY(server.rows(fmt::format(
      "SELECT session FROM sessions FINAL WHERE state = 'complete' AND {} ORDER BY began, name, session", condition)));
  if (rows.empty())
    return Error{.code = "E_USAGE",
                 .message =
                     label.empty() ? "there is no session" : fmt::format("there is no session with {}", oneLine(label)),
                 .file = server.address().shown};
  std::vector<std::string> sessions;
  for (const auto &row : rows)
    sessions.push_back(row.at(0));
  return sessions;
}

std::string isOneOf(std::string_view column, const std::vector<std::string> &numbers) {
  return fmt::format("{} IN ({})", column, fmt::join(numbers, ", "));
}

Expected<std::vector<analysis::Report>> reportsOf(Server &server, const std::vector<std::string> &sessions) {
  const std::string figures = formats::sessionFigures(isOneOf("session", sessions));
  const auto rows = ADA_TRY(server.rows(figures));
  const auto functions = ADA_TRY(functionsOf(server, "SELECT function FROM (" + figures + ")"));
  // Sessions without calls count, too.
  std::vector<analysis::Report> reports(sessions.size());
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < sessions.size(); ++i) {
    places.emplace(sessions[i], i);
    reports[i].functions.assign(functions.list.begin(), functions.list.end());
  }
  for (const auto &row : rows) {
    const auto number = functions.numbers.find(row.at(1));
    const auto place = places.find(row[0]);
    if (number == functions.numbers.end() || place == places.end())
      continue;
    analysis::Report &report = reports[place->second];
    analysis::ReportRow &line = report.rows.emplace_back();
    line.function = &report.functions[number->second];
    line.figures.calls = numberIn(row.at(2));
    line.figures.totalNs = numberIn(row.at(3));
    line.figures.selfNs = numberIn(row.at(4));
    line.figures.durations = distributionOf(numberIn(row.at(5)), numberIn(row.at(6)));
  }
  return reports;
}

Expected<analysis::CallPaths> callPathsOf(Server &server, const std::vector<std::string> &sessions) {
  const std::string calls = isOneOf("session", sessions);
  const auto sums = ADA_TRY(server.rows("SELECT way, count(), sum(duration), sum(self), countIf(self_recorder > 0), "
                                        "sum(self_recorder) FROM spans WHERE counted AND " +
                                        calls + " GROUP BY way"));
  if (sums.empty() || std::ranges::any_of(sums, [](const auto &row) { return row[0] == "0"; }))
    return Error{.code = "E_USAGE",
                 .message = sums.empty() ? "the database has no calls of these sessions, or only sums of them"
                                         : "a session was loaded by an older adatrace, without its call paths",
                 .file = server.address().shown};
  const auto ways = ADA_TRY(server.rows("SELECT way, any(parent), any(function) FROM ways GROUP BY way"));
  auto functions = ADA_TRY(functionsOf(server, "SELECT function FROM ways"));

  struct Place {
    std::string parent, function;
    uint32_t node = PathTree::kNone;
  };
  std::unordered_map<std::string, Place> places;
  for (const auto &row : ways)
    places.emplace(row.at(0), Place{row.at(1), row.at(2)});
  analysis::CallPaths paths;
  analysis::CallPathGroup &group = paths.groups.emplace_back();
  group.tree = PathTree(~size_t(0));
  // Builds nodes from the outermost call inwards, without recursion, because calls can be deeply nested.
  const auto nodeOf = [&](const std::string &way) {
    std::vector<Place *> inner;
    uint32_t node = PathTree::kRoot;
    for (auto found = places.find(way); found != places.end(); found = places.find(found->second.parent)) {
      if (found->second.node != PathTree::kNone) {
        node = found->second.node;
        break;
      }
      inner.push_back(&found->second);
    }
    for (auto place = inner.rbegin(); place != inner.rend(); ++place) {
      const auto number = functions.numbers.find((*place)->function);
      node = (*place)->node =
          group.tree.child(node, number == functions.numbers.end() ? PathTree::kRest : number->second);
    }
    return node;
  };
  for (const auto &row : sums)
    if (const uint32_t node = nodeOf(row[0]); node != PathTree::kRoot) {
      group.tree.addSum(node, numberIn(row.at(1)), numberIn(row.at(2)), numberIn(row.at(3)));
      if (numberIn(row.at(4)) > 0)
        group.tree.addRecorder(node, numberIn(row.at(4)), numberIn(row.at(5)));
    }
  group.tree.sort();
  paths.functions = std::move(functions.list);
  return paths;
}

} // namespace ada::cli
