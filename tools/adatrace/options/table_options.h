// --format and --columns of commands that print rows.
#pragma once

#include "command_line.h"
#include "trace/base/table.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace ada::cli {

enum class Format { Text, Csv, Json, JsonLines, Markdown, Parquet };

struct TableOptions {
  Format format = Format::Text;
  std::vector<std::string> columns; ///< keys or headings; empty: those that the format has
  unsigned width = 0;               ///< text fits this many columns; 0: it may be of any width

  bool isText() const { return format == Format::Text; }
  bool isJson() const { return format == Format::Json || format == Format::JsonLines; }
  /// Ends the command if --columns has other columns than these.
  void check(const char *command, const ColumnList &columns) const;
};

/// --format of commands that have only some of them.
void addFormat(CommandLine &line, Format &format, std::initializer_list<Format> formats, const std::string &text);
/// `rows`: what JSON has one object for each of. `alias`: another word for text. `hasParquet`: the command writes that,
/// too, instead of printing rows.
void addTableOptions(CommandLine &line, TableOptions &options, const char *rows = "row", const char *alias = nullptr,
                     bool hasParquet = false);

/// --sort by one of `words`, or by `other`, whose order is that of the alphabet. `column` holds the default.
void addSort(CommandLine &line, std::string &column, std::vector<std::string> words, const std::string &other);

} // namespace ada::cli
