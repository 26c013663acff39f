// Prints a table in any format.
#include "table_writer.h"

#include "trace/base/text.h"

#include <algorithm>

namespace ada::cli {

namespace {

constexpr size_t kHeldRows = 10'000;
// The last column is the name of what a row is about. Other columns are dropped before it gets less than this.
constexpr size_t kLeastName = 24;

// As a field of CSV (RFC 4180).
std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

// Escapes characters that Markdown would interpret.
std::string markdownField(const std::string &text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|&~").find(c) != std::string_view::npos)
      safe += '\\';
    safe += c;
  }
  return safe;
}

std::string headingOf(const ColumnInfo &column) { return column.heading ? column.heading : column.key; }

} // namespace

TableWriter::TableWriter(Output &out, const Palette &palette, const ColumnList &columns, const TableOptions &options,
                         Facts facts)
    : out_(out), palette_(palette), columns_(columns), options_(options),
      facts_(facts | (options.isText()                     ? kTextOnly
                      : options.format == Format::Markdown ? kMarkdownOnly
                                                           : 0)),
      isPretty_(options.isText() || options.format == Format::Markdown) {
  choose();
  if (options_.format != Format::Csv)
    return;
  for (size_t i = 0; i < shown_.size(); ++i)
    out_.print("{}{}", i ? "," : "", columns_[shown_[i]]->key);
  out_.write("\n");
}

void TableWriter::choose() {
  const auto isChosen = [&](const ColumnInfo &column) {
    if (options_.isJson())
      return isInJson(column, facts_);
    const Facts more = isPretty_ ? column.text : column.csv;
    return (column.heading || !isPretty_) && ((column.needs | more) & ~facts_) == 0;
  };
  for (const std::string &word : options_.columns) {
    const auto called = [&](const ColumnInfo *column) { return word == column->key; };
    const auto headed = [&](const ColumnInfo *column) { return column->heading && word == column->heading; };
    auto found = std::ranges::find_if(columns_, called);
    if (found == columns_.end())
      found = std::ranges::find_if(columns_, headed);
    if (found != columns_.end())
      shown_.push_back(static_cast<size_t>(found - columns_.begin()));
  }
  if (!shown_.empty())
    return;
  for (size_t i = 0; i < columns_.size(); ++i)
    if (isChosen(*columns_[i]))
      shown_.push_back(i);
  if (isPretty_)
    std::ranges::stable_sort(shown_, {}, [&](size_t i) { return columns_[i]->order; });
  if (options_.format == Format::Markdown && !shown_.empty() && !(facts_ & kInOrder)) // the name comes first
    std::rotate(shown_.begin(), shown_.end() - 1, shown_.end());
}

void TableWriter::writeCells(const std::vector<std::string> &cells) {
  begin();
  for (const size_t number : shown_)
    add(*columns_[number], cells[number]);
  end({});
}

void TableWriter::writeValues(const std::vector<Value> &values) {
  begin();
  for (const size_t number : shown_)
    add(*columns_[number], values[number]);
  end({});
}

void TableWriter::begin() {
  cells_.clear();
  members_.clear();
}

void TableWriter::add(const ColumnInfo &column, const Value &value) {
  if (options_.isJson())
    return appendMember(members_, column, value);
  if (isPretty_)
    return cells_.push_back(textOf(column, value));
  std::string &cell = cells_.emplace_back();
  if (const auto *number = std::get_if<uint64_t>(&value))
    cell = std::to_string(*number);
  else if (const auto *flag = std::get_if<bool>(&value))
    cell = *flag ? "1" : "0";
  else if (const auto *text = std::get_if<std::string>(&value))
    cell = csvField(*text);
  else if (const auto *json = std::get_if<Json>(&value))
    cell = csvField(json->text);
}

void TableWriter::end(RowNotes notes) {
  const bool isFirst = rows_++ == 0;
  switch (options_.format) {
  case Format::Json:
  case Format::JsonLines:
    out_.write(options_.format == Format::Json ? isFirst ? "[\n{" : ",\n{" : "{");
    out_.write(members_);
    out_.write(options_.format == Format::Json ? "}" : "}\n");
    break;
  case Format::Csv:
    for (size_t i = 0; i < cells_.size(); ++i)
      out_.print("{}{}", i ? "," : "", cells_[i]);
    out_.write("\n");
    break;
  case Format::Markdown:
    if (isFirst) {
      for (const size_t number : shown_)
        out_.print("| {} ", headingOf(*columns_[number]));
      out_.write("|\n");
      for (const size_t number : shown_)
        out_.write(isNumeric(*columns_[number]) ? "|--:" : "|---");
      out_.write("|\n");
    }
    for (const std::string &cell : cells_)
      out_.print("| {} ", markdownField(cell));
    out_.write("|\n");
    break;
  case Format::Parquet: // has no rows that are printed
    break;
  case Format::Text:
    if (isSettled_)
      return print({std::move(cells_), std::move(notes)});
    held_.push_back({std::move(cells_), std::move(notes)});
    if (held_.size() == kHeldRows)
      settle();
  }
}

void TableWriter::finish() {
  if (options_.format == Format::Json)
    out_.write(rows_ ? "\n]\n" : "[]\n");
  if (!options_.isText())
    return;
  if (!isSettled_ && rows_)
    settle();
  if (!leftOut_.empty())
    out_.print("{}{}{}\n", palette_.dim, fitted("... without " + leftOut_ + ": --columns chooses", options_.width),
               palette_.reset);
}

// Chooses columns and widths so that a line fits, if a width is given. `natural`: of the widest cells.
void TableWriter::fit(const std::vector<size_t> &natural) {
  const size_t last = shown_.size() - 1;
  const auto isTooWide = [&] { return positionOf(last) + std::min(natural[last], kLeastName) > options_.width; };
  if (options_.width == 0 || !isTooWide())
    return;
  widths_ = natural;
  while (isTooWide()) {
    const auto dropOf = [&](size_t i) { return isLeftOut_[i] || i == last ? 0 : columns_[shown_[i]]->drop; };
    size_t least = last;
    for (size_t i = 0; i < last; ++i)
      if (dropOf(i) && (least == last || dropOf(i) < dropOf(least)))
        least = i;
    if (least == last)
      return;
    isLeftOut_[least] = true;
    leftOut_ += (leftOut_.empty() ? "" : ", ") + headingOf(*columns_[shown_[least]]);
  }
}

bool TableWriter::isLeft(size_t i) const { return !isNumeric(*columns_[shown_[i]]); }

// Where the column begins.
size_t TableWriter::positionOf(size_t column) const {
  size_t position = 0;
  for (size_t i = 0; i <= column; ++i) {
    if (isLeftOut_[i])
      continue;
    position += position == 0 ? 0 : isLeft(i) ? 2 : 1;
    position += i < column ? widths_[i] : 0;
  }
  return position;
}

// Prints the headings and the rows that were held back.
void TableWriter::settle() {
  isSettled_ = true;
  Line head;
  std::vector<size_t> natural;
  for (const size_t number : shown_) {
    head.cells.push_back(headingOf(*columns_[number]));
    natural.push_back(displayWidth(head.cells.back()));
  }
  for (Line &line : held_)
    for (size_t i = 0; i < shown_.size(); ++i)
      natural[i] = std::max(natural[i], displayWidth(line.cells[i] = oneLine(line.cells[i])));
  isLeftOut_.assign(shown_.size(), false);
  for (size_t i = 0; i < shown_.size(); ++i)
    widths_.push_back(std::max<size_t>(natural[i], columns_[shown_[i]]->width));
  fit(natural);
  print(head, true);
  for (const Line &line : std::exchange(held_, {}))
    print(line, false);
}

void TableWriter::print(const Line &line, bool isHead) {
  const size_t last = shown_.size() - 1, indent = positionOf(last);
  // On a terminal, the name and the notes share what is left of the line.
  const bool isCut = options_.width > indent && columns_[shown_[last]]->look != Look::Tree;
  size_t left = isCut ? options_.width - indent : ~size_t(0), room = left;
  for (const Styled &note : line.notes.after)
    room -= std::min(room, 1 + displayWidth(note.text));
  room = std::max(room, std::min(left, displayWidth(line.cells[last]) / 2));
  out_.write(isHead ? palette_.dim.text : "");
  for (size_t i = 0, position = 0; i <= last; ++i) {
    if (isLeftOut_[i])
      continue;
    const Look look = isHead ? Look::Plain : columns_[shown_[i]]->look;
    std::string text = oneLine(line.cells[i]);
    if (i == last) {
      text = fitted(text, room);
      left -= std::min(left, displayWidth(text));
    }
    const size_t width = displayWidth(text), pad = widths_[i] > width ? widths_[i] - width : 0;
    const size_t gap = position == 0 ? 0 : isLeft(i) ? 2 : 1;
    const Escape style = look == Look::Plain     ? Escape()
                         : look == Look::Verdict ? line.notes.verdict
                         : look == Look::Number  ? palette_.number
                                                 : palette_.name;
    out_.print("{:{}}{}{}{}{:{}}", "", gap + (isLeft(i) ? 0 : pad), style, text,
               style.text.empty() ? Escape() : palette_.reset, "", isLeft(i) && i < last ? pad : 0);
    position += gap + widths_[i];
  }
  for (const Styled &note : line.notes.after) {
    const std::string text = fitted(" " + oneLine(note.text), left);
    out_.print("{}{}{}", note.style, text, note.style.text.empty() ? Escape() : palette_.reset);
    left -= std::min(left, displayWidth(text));
  }
  out_.write(isHead ? palette_.reset.text : "");
  out_.write("\n");
  for (const Styled &note : line.notes.below)
    out_.print("{:{}}{}{}{}\n", "", indent, note.style,
               options_.width > indent ? fitted(oneLine(note.text), options_.width - indent) : note.text,
               note.style.text.empty() ? Escape() : palette_.reset);
}

} // namespace ada::cli
