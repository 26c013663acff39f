// Cuts a query into words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::query {

struct Token {
  enum class Kind { Word, Quoted, Other, End } kind = Kind::End;
  std::string_view text = {}; ///< as written
  std::string name = {};      ///< a word in lower case, without quotes
  bool is(std::string_view word) const { return kind == Kind::Word && name == word; }
  bool isSign(std::string_view sign) const { return kind == Kind::Other && text == sign; }
  bool isName() const { return kind == Kind::Word || kind == Kind::Quoted; }
};

/// The words and signs, without comments and final semicolons; the last one is Kind::End. Nothing if a quoted text does
/// not end.
std::optional<std::vector<Token>> tokensOf(std::string_view sql);

/// Whether a word, given in lower case, is in the query outside of quotes and comments, or may be.
bool mayHaveWord(std::string_view sql, std::string_view word);

} // namespace ada::query
