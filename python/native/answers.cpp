// What the commands of adatrace compute, as JSON: the same rows with the same keys.
#include "answers.h"

#include "analysis/check/check.h"
#include "analysis/diff/diff_table.h"
#include "analysis/events/near_names.h"
#include "analysis/findings/finding_table.h"
#include "analysis/findings/findings.h"
#include "analysis/processes/process_why.h"
#include "analysis/report/report_table.h"
#include "analysis/tree/flame_page.h"
#include "analysis/tree/tree_table.h"
#include "analysis/waits/wait_table.h"
#include "analysis/waits/why_table.h"
#include "flame/assets.h"
#include "trace/base/try.h"

#include <deque>
#include <iterator>

namespace ada::python {

namespace {

// Globs that match none of the functions, unless some threads were not read.
std::vector<std::string> adviceOn(const Choice &choice, const std::vector<model::Function> &functions) {
  std::vector<std::string> advice;
  if (choice.threads)
    return advice;
  const std::pair<const char *, const std::vector<std::string> *> lists[] = {{"function", &choice.filter.functions},
                                                                             {"include", &choice.filter.included},
                                                                             {"exclude", &choice.filter.excluded},
                                                                             {"prune", &choice.filter.pruned}};
  for (const auto &[name, globs] : lists)
    for (const analysis::UnmatchedGlob &unmatched : analysis::unmatchedGlobs(*globs, functions)) {
      std::string text = std::string(name) + " '" + unmatched.glob + "' matches no function that was called";
      for (const std::string &near : unmatched.near)
        text += (&near == unmatched.near.data() ? "; did you mean " : " or ") + near;
      advice.push_back(text + (unmatched.near.empty() ? "" : "?"));
    }
  return advice;
}

// Adds the lines of the trees to a JSON array.
class TreeRows : public analysis::TreeOutput {
public:
  TreeRows(const Trace &trace, const analysis::TraceTable &table, const Choice &choice, uint64_t most)
      : trace_(trace), table_(table), names_(table.functions, choice.names), most_(most) {}
  void beginThread(uint32_t thread) override { thread_ = thread; }
  bool line(const analysis::CallNode &node, uint32_t depth) override {
    if (lines_ == most_)
      return false;
    const analysis::TreeLine line = {&node, depth, thread_, &table_, &names_, trace_.startNs(), trace_.endNs()};
    text_ += (lines_++ ? ",\n" : "") + jsonOf(analysis::treeColumns(), line);
    return true;
  }
  std::string json() const { return "[" + text_ + "]"; }

private:
  const Trace &trace_;
  const analysis::TraceTable &table_;
  analysis::FunctionNames names_;
  const uint64_t most_;
  uint64_t lines_ = 0;
  uint32_t thread_ = 0;
  std::string text_;
};

Expected<analysis::CallPaths> pathsOf(const Trace &trace, const Choice &choice, analysis::PathsBy by, size_t most,
                                      const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  auto paths = ADA_TRY(analysis::readCallPaths({*reading.source, reading.table, trace.threads(choice.threads)},
                                               {.filter = choice.filter, .by = by, .mostNodes = most}));
  paths.damage += reading.damage();
  return paths;
}

Expected<analysis::Report> reportOf(const Trace &trace, const Choice &choice, const ReportWish &wish,
                                    const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  auto report = ADA_TRY(analysis::makeReport(
      {*reading.source, reading.table, trace.threads(choice.threads)},
      {.filter = choice.filter, .by = wish.by, .arguments = wish.arguments, .selfDurations = wish.selfDurations}));
  report.damage += reading.damage();
  return report;
}

// Reads all runs with read(trace) and compares them with compare(before, after).
template <class Read, class Compare>
Expected<Answer> compareRuns(const std::vector<const Trace *> &before, const std::vector<const Trace *> &after,
                             const Choice &choice, bool byPath, const Read &read, const Compare &compare) {
  std::vector<std::decay_t<decltype(*read(*before[0]))>> sides[2];
  Answer answer;
  for (const int side : {0, 1})
    for (const Trace *trace : side ? after : before) {
      sides[side].push_back(ADA_TRY(read(*trace)));
      answer.damage += std::move(sides[side].back().damage);
    }
  const analysis::Diff diff = compare(sides[0], sides[1]);
  const analysis::NamedDiff all = analysis::namedDiff(diff, choice.names);
  std::vector<analysis::DiffLine> lines;
  for (const analysis::DiffRow &row : diff.rows)
    lines.push_back({&row, &all});
  answer.text = jsonRows(analysis::diffColumns(), lines, analysis::diffFacts(byPath));
  answer.advice = adviceOn(choice, diff.functions);
  return answer;
}

} // namespace

std::vector<std::string> reportSortWords() {
  std::vector<std::string> words = sortWords(analysis::reportColumns());
  words.emplace_back("name");
  return words;
}

Expected<Answer> report(const Trace &trace, const Choice &choice, const ReportWish &wish, const StopFlag &stop) {
  analysis::Report report = ADA_TRY(reportOf(trace, choice, wish, stop));
  const auto lines = analysis::sortedLines(report, trace.table(), choice.names, wish.sort);
  const Facts facts = analysis::reportFacts(lines, trace.table(), {.by = wish.by, .arguments = wish.arguments}, false);
  return Answer{jsonRows(analysis::reportColumns(), lines, facts), adviceOn(choice, report.metFunctions),
                std::move(report.damage)};
}

Expected<Answer> tree(const Trace &trace, const Choice &choice, const TreeWish &wish, const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  TreeRows rows(trace, reading.table, choice, wish.most);
  ADA_TRY(analysis::walkTrees({*reading.source, reading.table, trace.threads(choice.threads)}, choice.filter,
                              {.fold = wish.fold, .values = wish.values}, rows));
  return Answer{rows.json(), adviceOn(choice, reading.table.functions), reading.damage()};
}

Expected<Answer> waits(const Trace &trace, const Choice &choice, analysis::WaitsBy by, const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  const analysis::Waits waits = ADA_TRY(analysis::readWaits(
      {*reading.source, reading.table, trace.threads(choice.threads)}, {.filter = choice.filter, .by = by}));
  const analysis::NamedTrace named = analysis::namedTrace(reading.table, choice.names);
  std::vector<analysis::WaitLine> lines;
  for (const analysis::WaitRow &row : waits.rows)
    lines.push_back({&row, &named, &waits.deadlocks});
  analysis::sortWaits(lines, "total");
  Answer answer{jsonRows(analysis::waitColumns(), lines, analysis::processFacts(reading.table)),
                adviceOn(choice, reading.table.functions), reading.damage()};
  return answer;
}

Expected<Answer> findings(const Trace &trace, const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  Damage damage;
  const analysis::Findings found =
      ADA_TRY(analysis::findAll({*reading.source, reading.table, trace.threads(std::nullopt)}, trace.path(), damage));
  damage += reading.damage();
  return Answer{jsonOf(analysis::findingsColumns(), found), {}, std::move(damage)};
}

Expected<Answer> whyCall(const Trace &trace, const Choice &choice, std::optional<std::pair<uint32_t, uint64_t>> call,
                         const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  uint32_t thread = call ? call->first : 0;
  const auto span =
      ADA_TRY(call ? analysis::callAt(*reading.source, reading.table, thread, call->second)
                   : analysis::longestCall({*reading.source, reading.table, trace.threads(choice.threads)},
                                           choice.filter, thread));
  Answer answer;
  if (span) {
    const analysis::Why why = ADA_TRY(analysis::explainCall(*reading.source, reading.table, thread, *span));
    const analysis::NamedTrace named = analysis::namedTrace(reading.table, choice.names);
    answer.text = jsonOf(analysis::whyColumns(), {&why, &named});
  }
  answer.advice = adviceOn(choice, reading.table.functions);
  answer.damage = reading.damage();
  return answer;
}

Expected<Answer> whyProcess(const Trace &trace, std::optional<uint64_t> pid, const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  const analysis::ProcessList list = analysis::listProcesses(reading.table);
  Answer answer;
  const std::vector<uint32_t> runs = pid ? runsWithPid(list, *pid) : std::vector<uint32_t>{wholeSession(list)};
  if (!runs.empty())
    answer.text = jsonOf(analysis::processWhyColumns(), analysis::explainProcess(list, reading.table, runs[0]));
  answer.damage = reading.damage();
  return answer;
}

Expected<Answer> tails(const Trace &trace, const Choice &choice, const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  Damage damage;
  const auto rows = ADA_TRY(analysis::readTails({*reading.source, reading.table, trace.threads(choice.threads)},
                                                choice.filter.fromNs, choice.filter.toNs, damage));
  damage += reading.damage();
  return Answer{jsonRows(analysis::tailColumns(), rows, 0), {}, std::move(damage)};
}

Expected<Answer> outliers(const Trace &trace, const Choice &choice, const analysis::OutlierQuestion &question,
                          const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  Damage damage;
  const auto answers =
      ADA_TRY(analysis::askOutliers({*reading.source, reading.table, trace.threads(choice.threads)}, question, damage));
  std::vector<analysis::OutlierLine> lines;
  for (const analysis::Outliers &found : answers.found)
    lines.push_back({&found, &reading.table});
  damage += reading.damage();
  return Answer{jsonRows(analysis::outlierColumns(), lines, 0), adviceOn(choice, reading.table.functions),
                std::move(damage)};
}

Expected<Answer> check(const Trace &trace, const Choice &choice, const std::vector<analysis::Rule> &rules,
                       const StopFlag &stop) {
  Trace::Reading reading = trace.read(stop);
  Damage damage;
  const auto answers = ADA_TRY(analysis::checkRules({*reading.source, reading.table, trace.threads(choice.threads)},
                                                    rules, choice.filter.fromNs, choice.filter.toNs, damage));
  std::vector<analysis::RuleLine> lines;
  Answer answer;
  for (size_t i = 0; i < rules.size(); ++i) {
    const analysis::CheckAnswer &one = answers[i];
    lines.push_back({&rules[i], &one, &reading.table, trace.path(),
                     one.worst
                         ? analysis::commandThatShows(*one.worst, reading.table, trace.severalProcesses(), trace.path())
                         : std::string()});
    if (one.verdict == analysis::CheckAnswer::Verdict::Kept && !one.missing.empty())
      answer.advice.push_back("'" + rules[i].text + "' is kept, because no call of '" + one.missing +
                              "' is in the trace");
  }
  answer.text = jsonRows(analysis::ruleColumns(), lines, 0);
  damage += reading.damage();
  answer.damage = std::move(damage);
  return answer;
}

Expected<Answer> diff(const std::vector<const Trace *> &before, const std::vector<const Trace *> &after,
                      const Choice &choice, bool byPath, const StopFlag &stop) {
  constexpr size_t kMaxPaths = 100'000;
  if (byPath)
    return compareRuns(
        before, after, choice, byPath,
        [&](const Trace &trace) { return pathsOf(trace, choice, analysis::PathsBy::Trace, kMaxPaths, stop); },
        [](const auto &a, const auto &b) { return analysis::makePathDiff(a, b); });
  return compareRuns(
      before, after, choice, byPath,
      [&](const Trace &trace) { return reportOf(trace, choice, {.selfDurations = true}, stop); },
      [](const auto &a, const auto &b) { return analysis::makeDiff(a, b); });
}

Expected<Answer> flame(const Trace &trace, const Trace *before, const Choice &choice, size_t most,
                       const StopFlag &stop) {
  Answer answer;
  std::deque<analysis::CallPaths> paths;
  std::deque<analysis::FlameSession> sessions;
  for (const Trace *one : {&trace, before}) {
    if (!one)
      break;
    paths.push_back(
        ADA_TRY(pathsOf(*one, choice, analysis::PathsBy::Thread, analysis::CallPathsOptions().mostNodes, stop)));
    answer.damage += std::move(paths.back().damage);
    sessions.push_back({one->path(), paths.back(), one->table(), [one](uint32_t thread) {
                          return analysis::threadLabel(one->table(), thread, one->severalProcesses());
                        }});
  }
  const analysis::FlamePage page = analysis::makeFlamePage(sessions[0], before ? &sessions[1] : nullptr, most);
  using namespace flame_assets;
  answer.text = analysis::flameHtml(page, {page_html, flame_css, flame_js, numbers_js}, choice.names);
  answer.advice = adviceOn(choice, page.functions);
  return answer;
}

} // namespace ada::python
