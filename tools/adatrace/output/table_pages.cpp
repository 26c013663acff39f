// The tables of docs/json.md.
#include "table_pages.h"
#include "flow_lines.h"
#include "graph_lines.h"
#include "stack_rows.h"
#include "tree_lines.h"

#include "analysis/check/check.h"
#include "analysis/diff/diff_table.h"
#include "analysis/diff/explain_table.h"
#include "analysis/findings/finding_table.h"
#include "analysis/outliers/outlier_table.h"
#include "analysis/processes/process_table.h"
#include "analysis/processes/process_why.h"
#include "analysis/query/tables.h"
#include "analysis/query/views.h"
#include "analysis/report/call_rates_table.h"
#include "analysis/report/report_table.h"
#include "analysis/tree/tree_table.h"
#include "analysis/values/counters.h"
#include "analysis/waits/coroutine_table.h"
#include "analysis/waits/why_table.h"
#include "doctor/finding.h"
#include "live/control/status.h"

namespace ada::cli {

std::string tablePages() {
  const std::pair<const char *, ColumnList> tables[] = {
      {"tree", infoOf(analysis::treeColumns())},
      {"graph", graphTable(GraphView::Calls, false)},
      {"graph --callers", graphTable(GraphView::Callers, false)},
      {"graph --callees", graphTable(GraphView::Callees, false)},
      {"coroutines", infoOf(analysis::coroutineNodeColumns())},
      {"coroutines --each", infoOf(analysis::coroutineColumns())},
      {"processes", infoOf(analysis::processColumns())},
      {"stacks", stackTable()},
      {"stacks: deadlock", infoOf(analysis::deadlockColumns())},
      {"stacks: frames", frameTable()},
      {"waits", infoOf(analysis::waitColumns())},
      {"waits: callers", infoOf(analysis::callerColumns())},
      {"waits: holders", infoOf(analysis::holderColumns())},
      {"waits: deadlock", infoOf(analysis::deadlockColumns())},
      {"why without a function", infoOf(analysis::findingsColumns())},
      {"why: findings", infoOf(analysis::findingColumns())},
      {"why: cannot_say", infoOf(analysis::cannotSayColumns())},
      {"why", infoOf(analysis::whyColumns())},
      {"why: parts", infoOf(analysis::whyPartColumns())},
      {"why: holders", infoOf(analysis::whyHolderColumns())},
      {"why --process", infoOf(analysis::processWhyColumns())},
      {"why: chain", infoOf(analysis::chainColumns())},
      {"why: at_once", infoOf(analysis::atOnceColumns())},
      {"why: alone", infoOf(analysis::aloneColumns())},
      {"outliers", infoOf(analysis::tailColumns())},
      {"outliers --function", infoOf(analysis::outlierColumns())},
      {"outliers --function: factors", infoOf(analysis::factorColumns())},
      {"outliers --function: slowest", infoOf(analysis::slowExampleColumns())},
      {"top", infoOf(analysis::rateColumns())},
      {"check", infoOf(analysis::ruleColumns())},
      {"check: worst", infoOf(analysis::ruleExampleColumns())},
      {"last", lastCallTable()},
      {"diff", infoOf(analysis::diffColumns())},
      {"diff --explain", infoOf(analysis::causeColumns())},
      {"diff --flow", flowTable()},
      {"report", infoOf(analysis::reportColumns())},
      {"report: histogram", infoOf(analysis::binColumns())},
      {"report --counters", infoOf(analysis::counterColumns())},
      {"status", infoOf(control::statusColumns())},
      {"report --slowest", infoOf(analysis::callColumns())},
      {"doctor", infoOf(findingColumns())},
  };
  std::string page;
  for (const auto &[heading, columns] : tables)
    page += std::string("## ") + heading + "\n\n" + columnsPage(columns) + "\n";
  return page;
}

std::string sqlTablePages() {
  std::string page;
  for (const query::TableInfo &table : query::tables()) {
    ColumnList columns;
    for (const ColumnInfo &column : table.columns)
      columns.push_back(&column);
    page += std::string("## ") + table.name + "\n\n" + table.help + "\n\n" + columnsPage(columns) + "\n";
  }
  page += "## Views\n\n| view | what it is | query |\n|---|---|---|\n";
  for (const auto &view : query::kViews)
    page += std::string("| `") + view.name + "` | " + view.help + " | `" + view.query + "` |\n";
  return page;
}

} // namespace ada::cli
