// Writes pages with the macros of man(7).
#include "roff.h"

#include "plain_text.h"
#include "version.h"

#include "trace/base/format.h"

#include <cctype>
#include <string_view>

namespace ada::cli {

namespace {

// One character as roff takes it; `at` moves to the next one.
std::string escaped(std::string_view text, size_t &at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first == '\\')
    return "\\e";
  if (first == '-')
    return "\\-";
  if (first == '\'')
    return "\\(aq";
  if (first == '`')
    return "\\(ga";
  if (first == '^')
    return "\\(ha";
  if (first == '~')
    return "\\(ti";
  if (first < 0x80)
    return std::string(1, static_cast<char>(first));
  uint32_t code = first & (first < 0xe0 ? 0x1fu : first < 0xf0 ? 0x0fu : 0x07u);
  for (; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; ++at)
    code = code << 6 | (static_cast<unsigned char>(text[at]) & 0x3f);
  return fmt::format("\\[u{:04X}]", code);
}

std::string plain(std::string_view text) {
  std::string roff;
  for (size_t at = 0; at < text.size();)
    roff += escaped(text, at);
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

// Words in backticks in bold.
std::string withCode(std::string_view text) {
  std::string roff = text.starts_with('.') ? "\\&" : "";
  bool isCode = false;
  for (size_t at = 0; at < text.size();)
    if (text[at] == '`') {
      isCode = !isCode;
      roff += isCode ? "\\fB" : "\\fR";
      ++at;
    } else {
      roff += escaped(text, at);
    }
  return roff + (isCode ? "\\fR" : "");
}

// "-o, --output=DIR": what is typed as it is in bold, the rest in italics.
std::string termOf(std::string_view term) {
  std::string roff = "\\fB";
  bool isBold = true;
  for (size_t at = 0; at < term.size();) {
    const bool begins = at == 0 || term[at - 1] == ' ' || term[at - 1] == '=' || term[at - 1] == '[';
    const bool wantsBold = begins ? !std::isupper(static_cast<unsigned char>(term[at])) : isBold;
    if (wantsBold != isBold)
      roff += wantsBold ? "\\fB" : "\\fI";
    isBold = wantsBold;
    roff += escaped(term, at);
  }
  return roff + "\\fR";
}

} // namespace

std::string roffOf(const Page &page) {
  std::string title;
  for (const char c : page.name)
    title += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  // Not adjusted and not hyphenated: most words are names.
  std::string roff =
      fmt::format(".\\\" Made by adatrace.\n.TH \"{}\" {} \"\" \"AdaTrace {}\" \"AdaTrace\"\n.nh\n.ad l\n",
                  plain(title), page.section, plain(kVersion));
  bool isCode = false;
  for (const Block &block : page.blocks) {
    if (isCode && block.kind != Block::Kind::Code)
      roff += ".fi\n.RE\n";
    switch (block.kind) {
    case Block::Kind::Heading:
      roff += fmt::format(".SH \"{}\"\n", plain(block.term));
      break;
    case Block::Kind::Subheading:
      roff += fmt::format(".SS \"{}\"\n", plain(block.term));
      break;
    case Block::Kind::Text:
      roff += fmt::format(".PP\n{}\n", withCode(block.text));
      break;
    case Block::Kind::Item:
      roff += fmt::format(".TP\n{}\n{}\n", termOf(block.term), withCode(block.text));
      break;
    case Block::Kind::Code:
      roff += isCode ? "" : ".PP\n.RS 2\n.nf\n";
      for (const std::string &line : codeLines(block.term, 70))
        roff += plain(line) + "\n";
    }
    isCode = block.kind == Block::Kind::Code;
  }
  return roff + (isCode ? ".fi\n.RE\n" : "");
}

} // namespace ada::cli
