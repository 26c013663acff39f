// Lays pages out for terminals.
#include "plain_text.h"

#include "terminal/terminal.h"
#include "trace/base/text.h"

#include <algorithm>
#include <unistd.h>

namespace ada::cli {

unsigned textColumns() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) // a pager's input, for example, is none
    if (isTerminal(fd))
      return std::clamp(terminalColumns(fd), 40u, kMaxColumns);
  return 80;
}

namespace {

class PlainText {
public:
  /// `indent`: of everything but headings.
  PlainText(size_t columns, size_t indent) : columns_(columns), indent_(indent) {}

  std::string of(const Page &page) {
    for (const Block &block : page.blocks)
      if (const size_t width = displayWidth(block.term) + 4; block.kind == Block::Kind::Item && width <= kMaxTerm)
        termColumns_ = std::max(termColumns_, width);
    Block::Kind before = Block::Kind::Code;
    for (const Block &block : page.blocks) {
      const bool isHeading = block.kind == Block::Kind::Heading || block.kind == Block::Kind::Subheading;
      const bool isList = block.kind == before && (block.kind == Block::Kind::Item || block.kind == Block::Kind::Code);
      const bool isBelowHeading = before == Block::Kind::Heading || before == Block::Kind::Subheading;
      if (!text_.empty() && !isBelowHeading && (isHeading || !isList))
        text_ += '\n';
      print(block);
      before = block.kind;
    }
    return std::move(text_);
  }

private:
  static constexpr size_t kMaxTerm = 24; ///< after longer terms, the meaning begins in the next line

  void print(const Block &block) {
    switch (block.kind) {
    case Block::Kind::Heading:
      return line(0, block.term);
    case Block::Kind::Subheading:
      return line(indent_ / 2, block.term);
    case Block::Kind::Text:
      return wrap(indent_, indent_, {}, block.text);
    case Block::Kind::Item:
      return wrap(indent_ + 2, indent_ + termColumns_, block.term, block.text);
    case Block::Kind::Code:
      for (const std::string &part : codeLines(block.term, columns_ - indent_ - 2))
        line(indent_ + 2, part);
    }
  }
  void line(size_t indent, const std::string &text) { text_ += std::string(indent, ' ') + text + '\n'; }
  // `term` at `indent`, and the text at `from`, in the same line if it fits.
  void wrap(size_t indent, size_t from, const std::string &term, const std::string &text) {
    std::string now = std::string(indent, ' ') + term;
    size_t width = indent + displayWidth(term);
    if (!term.empty() && width + 2 > from) {
      line(0, now);
      now.clear(), width = 0;
    }
    if (width < from)
      now += std::string(from - width, ' '), width = from;
    bool isFirst = true;
    for (const std::string_view word : partsOf(text, ' ')) {
      const size_t size = displayWidth(word);
      if (!isFirst && width + 1 + size > columns_) {
        line(0, now);
        now = std::string(from, ' '), width = from, isFirst = true;
      }
      now.append(isFirst ? "" : " ").append(word);
      width += size + !isFirst;
      isFirst = false;
    }
    if (!isFirst)
      line(0, now);
  }

  const size_t columns_, indent_;
  size_t termColumns_ = 0; ///< where the meaning of an item begins
  std::string text_;
};

} // namespace

std::vector<std::string> codeLines(const std::string &line, size_t columns) {
  std::vector<std::string> lines;
  std::string rest = line, indent;
  while (rest.size() + indent.size() > columns) {
    size_t at = 0; // the last blank at which the line can end
    char quote = 0;
    for (size_t i = 0; i < rest.size() && i + indent.size() + 2 <= columns; ++i) {
      if (quote ? rest[i] == quote : rest[i] == '\'' || rest[i] == '"')
        quote = quote ? 0 : rest[i];
      else if (!quote && rest[i] == ' ')
        at = i;
    }
    if (at == 0)
      break;
    lines.push_back(indent + rest.substr(0, at) + " \\");
    rest.erase(0, at + 1);
    indent = "  ";
  }
  lines.push_back(indent + rest);
  return lines;
}

std::string helpText(const Page &page, unsigned columns) { return PlainText(columns, 0).of(page); }
std::string manualText(const Page &page, unsigned columns) { return PlainText(columns, 7).of(page); }

} // namespace ada::cli
