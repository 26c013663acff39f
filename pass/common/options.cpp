// Options by name, and the words of ADA_PASS_OPTIONS.
#include "options.h"

#include <cctype>
#include <cstdlib>
#include <strings.h>

namespace ada::pass {

namespace {

// One for each type in compile_options.inc. They return what is wrong with a value, or "".
std::string setList(std::vector<std::string> &list, const char *name, const std::string &value) {
  if (value.empty())
    return std::string("needs a value, as in -ada-") + name + "=VALUE";
  list.push_back(value);
  return "";
}
std::string setMaybeList(std::vector<std::string> &list, const char *, const std::string &value) {
  list.push_back(value.empty() ? "*" : value);
  return "";
}
std::string setNumber(unsigned &number, const char *, const std::string &value) {
  unsigned long result = 0;
  for (char c : value) {
    if (c < '0' || c > '9' || result > 400'000'000)
      return "needs a number";
    result = result * 10 + static_cast<unsigned long>(c - '0');
  }
  number = static_cast<unsigned>(result);
  return value.empty() ? "needs a number" : "";
}
std::string setBool(bool &flag, const char *, const std::string &value) {
  flag = value.empty() || value == "1" || strcasecmp(value.c_str(), "true") == 0;
  return flag || value == "0" || strcasecmp(value.c_str(), "false") == 0 ? "" : "takes 0 or 1";
}
std::string setOn(bool &flag, const char *name, const std::string &value) { return setBool(flag, name, value); }

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)); }

/// The words of TEXT, with quotes and backslashes as in a shell.
std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (isSpace(text[i])) {
      ++i;
      continue;
    }
    std::string word;
    char quote = 0;
    for (; i < text.size() && (quote || !isSpace(text[i])); ++i) {
      const char c = text[i];
      if (c == '\\' && quote != '\'' && i + 1 < text.size())
        word += text[++i];
      else if (quote ? c == quote : c == '"' || c == '\'')
        quote = quote ? 0 : c;
      else
        word += c;
    }
    words.push_back(word);
  }
  return words;
}

} // namespace

std::string setOption(PassOptions &options, const std::string &name, const std::string &value) {
#define ADA_PLUGIN_OPTION(TYPE, NAME, MEMBER, VALUE, SENTENCE)                                                         \
  if (name == NAME)                                                                                                    \
    return set##TYPE(options.MEMBER, NAME, value);
#include "shared/options/compile_options.inc"
  return "is not an option of AdaTrace";
}

std::string readEnvironment(PassOptions &options, const char *listing) {
  const char *variable = std::getenv("ADA_PASS_OPTIONS");
  for (const std::string &word : wordsOf(variable ? variable : "")) {
    const size_t dashes = word.compare(0, 2, "--") == 0 ? 2 : word.compare(0, 1, "-") == 0 ? 1 : 0;
    const size_t equals = word.find('=');
    const std::string name = word.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
    const bool isOurs = name.compare(0, 4, "ada-") == 0;
    const std::string wrong =
        setOption(options, isOurs ? name.substr(4) : "", equals == std::string::npos ? "" : word.substr(equals + 1));
    if (!wrong.empty())
      return "ADA_PASS_OPTIONS: '" + word + "' " + wrong +
             (wrong == "is not an option of AdaTrace" ? std::string("; ") + listing + " lists the options" : "");
  }
  return "";
}

} // namespace ada::pass
