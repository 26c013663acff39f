// --format and --columns of commands that print rows.
#include "table_options.h"
#include "terminal/terminal.h"

#include <algorithm>
#include <unistd.h>

namespace ada::cli {

static const std::pair<std::string, Format> kFormats[] = {{"text", Format::Text},
                                                          {"csv", Format::Csv},
                                                          {"json", Format::Json},
                                                          {"jsonl", Format::JsonLines},
                                                          {"markdown", Format::Markdown}};

void addFormat(CommandLine &line, Format &format, std::initializer_list<Format> formats, const std::string &text) {
  std::vector<std::pair<std::string, Format>> words;
  for (const auto &[word, which] : kFormats)
    if (std::ranges::find(formats, which) != formats.end())
      words.emplace_back(word, which);
  line.choice("--format", format, words, text).type("FORMAT").under(heading::kOutput);
}

void addTableOptions(CommandLine &line, TableOptions &options, const char *rows, const char *alias, bool hasParquet) {
  options.width = isTerminal(STDOUT_FILENO) ? terminalColumns(STDOUT_FILENO) : 0;
  std::vector<std::pair<std::string, Format>> words(std::begin(kFormats), std::end(kFormats));
  if (alias)
    words.emplace_back(alias, Format::Text);
  if (hasParquet)
    words.emplace_back("parquet", Format::Parquet);
  line.choice(
          "--format", options.format, words,
          fmt::format("text, markdown, csv, jsonl (one JSON object per {}) or json (an array of them){}; csv and JSON "
                      "have times in nanoseconds [text]",
                      rows, hasParquet ? ", or parquet (a file, for standard output that goes to one)" : ""))
      .type("FORMAT")
      .under(heading::kOutput);
  const auto split = [&options](const std::string &value) {
    for (size_t at = 0; at <= value.size();) {
      const size_t end = std::min(value.find(',', at), value.size());
      options.columns.push_back(value.substr(at, end - at));
      at = end + 1;
    }
    return std::string();
  };
  line.parsed("--columns", split, "Only these columns, in this order, by their keys in JSON or their headings in text")
      .type("A,B,...")
      .under(heading::kOutput);
}

void addSort(CommandLine &line, std::string &column, std::vector<std::string> words, const std::string &other) {
  std::string list;
  for (const std::string &word : words)
    list += (list.empty() ? "" : ", ") + word;
  words.push_back(other);
  line.option("--sort", column,
              fmt::format("Sort by this column, largest first: {}; or by {} [{}]", list, other, column))
      .type("COLUMN")
      .under(heading::kOutput)
      .oneOf(words);
}

void TableOptions::check(const char *command, const ColumnList &known) const {
  for (const std::string &word : columns) {
    const bool isThere = std::ranges::any_of(known, [&](const ColumnInfo *column) {
      return word == column->key || (column->heading && word == column->heading);
    });
    if (isThere)
      continue;
    std::string list;
    for (const ColumnInfo *column : known)
      list += (list.empty() ? "" : ", ") + std::string(column->key);
    stop(kWrongUsage, "{}: there is no column '{}' here; the columns are {}", command, word, list);
  }
}

} // namespace ada::cli
