// Pages as text of a given width.
#pragma once

#include "page.h"

namespace ada::cli {

/// Lines are never wider, but for words that are.
inline constexpr unsigned kMaxColumns = 100;

/// The width for the terminal that shows standard output, at most kMaxColumns; 80 if none does.
unsigned textColumns();

/// For --help: headings at the margin.
std::string helpText(const Page &page, unsigned columns);
/// Like man: everything but the headings is indented.
std::string manualText(const Page &page, unsigned columns);

/// A command in lines that can be pasted: all but the last end with a backslash.
std::vector<std::string> codeLines(const std::string &line, size_t columns);

} // namespace ada::cli
