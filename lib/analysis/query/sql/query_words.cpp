// Cuts a query into words. This is not a grammar of SQL.
#include "query_words.h"

#include <algorithm>
#include <cctype>

namespace ada::query {

namespace {

bool isWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }

// The length of a text in quotes that begins there, with the quotes; 0 if it does not end.
size_t quotedLength(std::string_view sql) {
  const char end = sql[0] == '[' ? ']' : sql[0];
  for (size_t i = 1; i < sql.size(); ++i)
    if (sql[i] == end) {
      if (end == ']' || i + 1 == sql.size() || sql[i + 1] != end)
        return i + 1;
      ++i;
    }
  return 0;
}

} // namespace

std::optional<std::vector<Token>> tokensOf(std::string_view sql) {
  std::vector<Token> tokens;
  while (!sql.empty()) {
    size_t size = 1;
    Token token{.kind = Token::Kind::Other};
    if (std::isspace(static_cast<unsigned char>(sql[0]))) {
      sql.remove_prefix(1);
      continue;
    }
    if (sql.starts_with("--") || sql.starts_with("/*")) {
      const bool isLine = sql[0] == '-';
      const size_t end = sql.find(isLine ? "\n" : "*/", 2);
      sql.remove_prefix(end == sql.npos ? sql.size() : end + (isLine ? 1 : 2));
      continue;
    }
    if (sql[0] == '\'' || sql[0] == '"' || sql[0] == '`' || sql[0] == '[') {
      size = quotedLength(sql);
      if (size == 0)
        return std::nullopt;
      token.kind = sql[0] == '\'' ? Token::Kind::Other : Token::Kind::Quoted;
      token.name = sql.substr(1, size - 2);
    } else if (std::isdigit(static_cast<unsigned char>(sql[0]))) {
      while (size < sql.size() && (isWordByte(sql[size]) || sql[size] == '.' ||
                                   ((sql[size] == '+' || sql[size] == '-') && std::tolower(sql[size - 1]) == 'e')))
        ++size;
    } else if (isWordByte(sql[0])) {
      while (size < sql.size() && isWordByte(sql[size]))
        ++size;
      token.kind = Token::Kind::Word;
    }
    token.text = sql.substr(0, size);
    if (token.kind == Token::Kind::Word)
      token.name = token.text;
    std::ranges::transform(token.name, token.name.begin(), [](unsigned char c) { return std::tolower(c); });
    tokens.push_back(std::move(token));
    sql.remove_prefix(size);
  }
  while (!tokens.empty() && tokens.back().isSign(";"))
    tokens.pop_back();
  tokens.push_back({});
  return tokens;
}

bool mayHaveWord(std::string_view sql, std::string_view word) {
  const auto tokens = tokensOf(sql);
  return !tokens || std::ranges::any_of(*tokens, [&](const Token &token) { return token.is(word); });
}

} // namespace ada::query
