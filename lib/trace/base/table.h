// Tables: what each column is called, what it holds, and where it is shown.
//
// A table is described once, beside what computes its rows. Text, CSV, JSON, Markdown, the words of --sort and
// --columns and the page docs/json.md are made from the description; other interfaces can use the same names.
//
//   constexpr Column<Point> kPoints[] = {
//       {ColumnInfo{"x", Holds::Count, "how far right"} | inText("x", 8) | kSorts,
//        [](const Point &point) -> Value { return point.x; }},
//       ...
#pragma once

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
/// The text, or null if it is empty.
inline Value textOrNull(const std::string &text) { return text.empty() ? Value() : Value(text); }

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
/// The columns are those that a user chose, so that no format changes their order.
inline constexpr Facts kInOrder = 1U << 28;

struct ColumnInfo {
  const char *key; ///< in JSON and CSV
  Holds holds = Holds::Text;
  const char *help = "";                        ///< empty: the help of the column before describes this one, too
  const char *heading = nullptr;                ///< null: text and Markdown have it only if --columns names it
  uint8_t width = 0;                            ///< in text, at least
  uint8_t order = 0;                            ///< in text, columns with less come first
  uint8_t drop = 0;                             ///< if text is too wide, columns with the least go first; 0: never
  Facts needs = 0, text = 0, csv = 0, json = 0; ///< in all formats; in text and Markdown; in CSV; in JSON
  bool orNull = false, sorts = false, isRight = false, isLeft = false;
  Look look = Look::Plain;
};

/// What is added to a column with `|`.
enum ColumnMark {
  kOrNull,
  kSorts,     ///< --sort knows the heading
  kRight,     ///< aligned like a number
  kLeft,      ///< not aligned like a number
  kNotInCsv,  ///< unless --columns names it
  kForPeople, ///< in text and Markdown only
};
constexpr ColumnInfo operator|(ColumnInfo column, ColumnMark mark) {
  column.orNull |= mark == kOrNull;
  column.sorts |= mark == kSorts;
  column.isRight |= mark == kRight;
  column.isLeft |= mark == kLeft;
  column.csv |= mark == kNotInCsv || mark == kForPeople ? kNever : 0;
  column.json |= mark == kForPeople ? kNever : 0;
  return column;
}
constexpr ColumnInfo operator|(ColumnInfo column, Look look) {
  column.look = look;
  return column;
}
struct ColumnText {
  const char *heading;
  uint8_t width, order, drop;
};
constexpr ColumnText inText(const char *heading, uint8_t width = 0, uint8_t order = 0, uint8_t drop = 0) {
  return {heading, width, order, drop};
}
constexpr ColumnInfo operator|(ColumnInfo column, const ColumnText &text) {
  column.heading = text.heading;
  column.width = text.width;
  column.order = text.order;
  column.drop = text.drop;
  return column;
}
struct ColumnNeeds {
  Facts ColumnInfo::*which;
  Facts facts;
};
constexpr ColumnNeeds needs(Facts facts) { return {&ColumnInfo::needs, facts}; }
constexpr ColumnNeeds textNeeds(Facts facts) { return {&ColumnInfo::text, facts}; }
constexpr ColumnNeeds csvNeeds(Facts facts) { return {&ColumnInfo::csv, facts}; }
constexpr ColumnInfo operator|(ColumnInfo column, ColumnNeeds needs) {
  column.*needs.which |= needs.facts;
  return column;
}

constexpr bool isNumeric(const ColumnInfo &column) {
  return column.isRight || (column.holds <= Holds::Real && !column.isLeft);
}

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

/// Whether JSON has the column unless columns are chosen.
constexpr bool isInJson(const ColumnInfo &column, Facts facts) { return ((column.needs | column.json) & ~facts) == 0; }
/// An array of rows as commands print them with --format=json.
template <class Row, class List> std::string jsonRows(Columns<Row> columns, const List &rows, Facts facts) {
  std::string text = "[", members;
  for (const Row &row : rows) {
    members.clear();
    for (const Column<Row> &column : columns)
      if (isInJson(column, facts))
        appendMember(members, column, column.get(row));
    text += (text.size() > 1 ? ",\n{" : "{") + members + "}";
  }
  return text + "]";
}

/// How a value is shown in text if its column has no other way; "-" if it is not known.
std::string textOf(const ColumnInfo &column, const Value &value);

/// The columns that JSON has, as a Markdown table: | key | type | meaning |.
std::string columnsPage(const ColumnList &all);

} // namespace ada
