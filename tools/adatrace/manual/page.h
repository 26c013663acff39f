// A text with headings, lists and examples: --help, or a page of the manual.
#pragma once

#include <string>
#include <vector>

namespace ada::cli {

struct Block {
  enum class Kind {
    Heading,
    Subheading,
    Text, ///< a paragraph
    Item, ///< `term`, and what it means
    Code, ///< one line to type
  } kind;
  std::string term, text = {};
};

/// Words in backticks are code.
struct Page {
  std::string name; ///< "adatrace-report"
  int section = 1;  ///< of the manual: 1 commands, 5 files, 7 other
  std::string summary;
  std::vector<Block> blocks;

  void heading(const std::string &text) { blocks.push_back({Block::Kind::Heading, text}); }
  void subheading(const std::string &text) { blocks.push_back({Block::Kind::Subheading, text}); }
  void text(const std::string &text) { blocks.push_back({Block::Kind::Text, {}, text}); }
  void item(const std::string &term, const std::string &text) { blocks.push_back({Block::Kind::Item, term, text}); }
  /// The first sections of a manual page. `names`: all that it describes; `lines`: how they are called.
  void begin(const std::string &names, const std::vector<std::string> &lines) {
    heading("NAME");
    text(names + " - " + summary);
    heading("SYNOPSIS");
    for (const std::string &line : lines)
      code(line);
  }
  void code(const std::string &line) { blocks.push_back({Block::Kind::Code, line}); }
};

} // namespace ada::cli
