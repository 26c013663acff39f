// Tables: what each column is called, what it holds, and where it is shown.
//
// A table is described once, beside what computes its rows. Text, CSV, JSON, Markdown, the words of --sort and
// --columns and the page docs/json.md are made from the description; other interfaces can use the same names.
//
//   constexpr Column<Point> kPoints[] = {
//       {{.key = "x", .heading = "x", .holds = Holds::Count, .help = "how far right"},
//        [](const Point &point) -> Value { return point.x; }},
//       ...
#ifndef ADA_LIB_BASE_TABLE_H
#define ADA_LIB_BASE_TABLE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ada {

struct Json {
  std::string text; ///< is JSON already
};
/// The row does not have this column, which JSON leaves out.
struct Absent {};

/// What a cell holds. std::monostate: the value is not known, or makes no sense.
class Value : public std::variant<std::monostate, uint64_t, bool, std::string, Json, Absent> {
public:
  using variant::variant;
  Value(std::string_view text) : variant(std::string(text)) {}
  Value(const char *text) : variant(std::string(text)) {}
  template <class Number> Value(const std::optional<Number> &number) {
    if (number)
      emplace<uint64_t>(*number);
  }

  uint64_t number() const {
    const uint64_t *number = std::get_if<uint64_t>(this);
    return number ? *number : 0;
  }
};

/// The number if it is known, otherwise null.
inline Value knownIf(bool isKnown, uint64_t number) { return isKnown ? Value(number) : Value(); }

enum class Holds {
  Count,
  Number,   ///< identifies something, so it has no thousands separators
  Duration, ///< in nanoseconds
  Moment,   ///< nanoseconds on the trace's clock
  Real,     ///< as JSON; "nan" and "inf" as strings
  Text,     ///< if empty, null in columns that may be
  Flag,
  Texts,
  Object,
  Objects, ///< the section "TABLE: KEY" of docs/json.md describes them
  Any,
};

enum class Look {
  Plain,
  Name,
  Tree, ///< a name with its place in a tree, which is never cut
  Number,
  Verdict, ///< in a colour that the row decides
};

/// A set of facts about a command's rows, each a bit that the table defines. A column is shown if all that it needs
/// are true.
using Facts = uint32_t;
inline constexpr Facts kNever = 1U << 31;
/// The format is text, or Markdown: for columns that only one of them has.
inline constexpr Facts kTextOnly = 1U << 30, kMarkdownOnly = 1U << 29;

struct ColumnInfo {
  const char *key;               ///< in JSON and CSV
  const char *heading = nullptr; ///< in text and Markdown; null: only shown there if --columns names it
  Holds holds = Holds::Text;
  bool orNull = false;
  const char *help = ""; ///< as docs/json.md says it; empty: described together with the column before
  Facts needs = 0;                                 ///< in all formats
  Facts text = 0, csv = 0, json = 0;               ///< and also in text and Markdown, in CSV, in JSON
  Facts blank = 0;                                 ///< without these, CSV has the column, but no value
  bool sorts = false;                                         ///< --sort knows the heading
  Look look = Look::Plain;
  bool isRight = false; ///< aligned like numbers, which always are
  uint8_t width = 0; ///< in text, at least
  uint8_t order = 0; ///< in text, columns with less come first
  uint8_t drop = 0;  ///< when text is too wide, columns with the least go first; 0: never
};

constexpr bool isNumeric(const ColumnInfo &column) { return column.isRight || column.holds <= Holds::Real; }

template <class Row> struct Column : ColumnInfo {
  Value (*get)(const Row &);
  std::string (*text)(const Row &) = nullptr; ///< in text and Markdown, if that is not simply the value
};
template <class Row> using Columns = std::span<const Column<Row>>;

/// A table without the type of its rows.
using ColumnList = std::vector<const ColumnInfo *>;
template <class Row> ColumnList infoOf(Columns<Row> columns) {
  ColumnList list;
  for (const Column<Row> &column : columns)
    list.push_back(&column);
  return list;
}

/// The column with this key or heading; null if there is none.
template <class Row> const Column<Row> *findColumn(Columns<Row> columns, std::string_view word) {
  for (const Column<Row> &column : columns)
    if (word == column.key)
      return &column;
  for (const Column<Row> &column : columns)
    if (column.heading && word == column.heading)
      return &column;
  return nullptr;
}

/// The words by which rows can be sorted.
template <class Row> std::vector<std::string> sortWords(Columns<Row> columns) {
  std::vector<std::string> words;
  for (const Column<Row> &column : columns)
    if (column.sorts)
      words.emplace_back(column.heading);
  return words;
}

/// An object with the columns that JSON always has; for rows inside rows.
template <class Row> std::string jsonOf(Columns<Row> columns, const Row &row);
/// An array of such objects.
template <class Row, class List> Json jsonList(Columns<Row> columns, const List &rows) {
  std::string text = "[";
  for (const Row &row : rows)
    text += (text.size() > 1 ? "," : "") + jsonOf(columns, row);
  return {text + "]"};
}
/// An array of texts.
Json jsonTexts(const std::vector<std::string> &texts);

/// Appends `"key":value`, after a comma if `members` has any; nothing if the value is absent.
void appendMember(std::string &members, const ColumnInfo &column, const Value &value);

template <class Row> std::string jsonOf(Columns<Row> columns, const Row &row) {
  std::string members;
  for (const Column<Row> &column : columns)
    appendMember(members, column, column.get(row));
  return "{" + members + "}";
}

/// How a value is shown in text if its column has no other way; "-" if it is not known.
std::string textOf(const ColumnInfo &column, const Value &value);

/// The columns as rows of a Markdown table, | key | type | meaning |, as docs/json.md has them.
std::string columnsPage(const ColumnList &columns);

} // namespace ada

#endif // ADA_LIB_BASE_TABLE_H
