// Prints a table in any format; what its columns are is in its description (trace/base/table.h).
#pragma once

#include "options/table_options.h"
#include "terminal/terminal.h"

#include "trace/base/table.h"

#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

struct Styled {
  Escape style;
  std::string text;
};

/// What text also shows of a row, unless --columns chose the columns.
struct RowNotes {
  std::vector<Styled> after; ///< the last column, on the same line
  std::vector<Styled> below; ///< lines under the last column
  Escape verdict = {};       ///< the colour of columns with Look::Verdict
};

/// Takes rows one after the other. Text is held back until the widths are known: to the end, or for 10,000 rows.
class TableWriter {
public:
  TableWriter(Output &out, const Palette &palette, const ColumnList &columns, const TableOptions &options, Facts facts);

  template <class Row> void write(Columns<Row> columns, const Row &row, RowNotes notes = {}) {
    begin();
    for (const size_t number : shown_) {
      const Column<Row> &column = columns[number];
      if (isPretty_ && column.text)
        cells_.push_back(column.text(row));
      else
        add(column, column.get(row));
    }
    end(std::move(notes));
  }
  /// A row of a table whose columns are known only now; one text for each column.
  void writeCells(const std::vector<std::string> &cells);
  /// The same; one value for each column.
  void writeValues(const std::vector<Value> &values);
  /// Call after the last row.
  void finish();

  uint64_t written() const { return rows_; }
  bool wantsNotes() const { return options_.isText() && options_.columns.empty(); }

private:
  struct Line {
    std::vector<std::string> cells;
    RowNotes notes;
  };

  void choose();
  void begin();
  void add(const ColumnInfo &column, const Value &value);
  void end(RowNotes notes);
  void settle();
  void fit(const std::vector<size_t> &natural);
  bool isLeft(size_t column) const;
  size_t positionOf(size_t column) const;
  void print(const Line &line, bool isHead = false);

  Output &out_;
  const Palette &palette_;
  const ColumnList columns_;
  const TableOptions &options_;
  const Facts facts_;
  const bool isPretty_; // for people
  std::vector<size_t> shown_;
  std::vector<std::string> cells_; // of the row that is being written
  std::string members_;            // the same as JSON
  uint64_t rows_ = 0;

  std::vector<Line> held_;
  bool isSettled_ = false;
  std::vector<bool> isLeftOut_; // by position in shown_, like the next
  std::vector<size_t> widths_;
  std::string leftOut_;
};

/// Prints a whole table. `notes(row)` returns its RowNotes.
template <class Row, class List, class Notes>
void printTable(Output &out, const Palette &palette, Columns<Row> columns, const List &rows,
                const TableOptions &options, Facts facts, const Notes &notes) {
  TableWriter table(out, palette, infoOf(columns), options, facts);
  for (const Row &row : rows)
    table.write(columns, row, table.wantsNotes() ? notes(row) : RowNotes());
  table.finish();
}
template <class Row, class List>
void printTable(Output &out, const Palette &palette, Columns<Row> columns, const List &rows,
                const TableOptions &options, Facts facts) {
  printTable(out, palette, columns, rows, options, facts, [](const Row &) { return RowNotes(); });
}

} // namespace ada::cli
