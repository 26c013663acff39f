// Lists of globs, from the texts of options.
#include "globs.h"

#include <algorithm>
#include <cstring>

namespace ada::pass {

FunctionNames::FunctionNames(std::string symbol, std::string full, std::string scope, std::string file)
    : symbol_(std::move(symbol)), full_(std::move(full)), scope_(std::move(scope)), file_(std::move(file)),
      texts_({symbol_.c_str(), full_.c_str(), file_.c_str()}) {}

bool isLibraryNamespace(const std::string &scope) {
  for (const char *space : {"std", "__gnu_cxx", "__cxxabiv1", "__gnu_debug", "__gnu_parallel"}) {
    const size_t length = std::strlen(space);
    if (scope.compare(0, length, space) == 0 && (scope.size() == length || scope.compare(length, 2, "::") == 0))
      return true;
  }
  return false;
}

std::string GlobList::add(const std::string &text) {
  if (text.empty() || text == "|")
    return std::string("-") + option_ + ": the list of globs is empty";
  TextPiece wrong;
  if (const char *fault = select::faultOf(text, &wrong))
    return std::string("-") + option_ + ": '" + std::string(wrong.data, wrong.size) + "' " + fault;
  texts_.push_back(text);
  return "";
}

bool GlobList::match(const select::FunctionTexts &function) const {
  for (const std::string &globs : texts_)
    if (function.match(globs))
      return true;
  return false;
}

std::vector<std::string> GlobList::each() const {
  std::vector<std::string> globs;
  for (const std::string &text : texts_)
    select::anyGlob(text, [&](TextPiece glob) {
      globs.emplace_back(glob.data, glob.size);
      return false;
    });
  return globs;
}

/// Only commas outside of brackets separate: those inside have another meaning, as in "{a,b}" and "f(int, int)".
std::string CallList::add(const std::string &text) {
  auto take = [&](const std::string &glob) -> std::string {
    if (glob != "default")
      return globs_.add(glob);
    hasDefault_ = true;
    return "";
  };
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (std::strchr("([{<", text[i]))
      ++depth;
    else if (std::strchr(")]}>", text[i]))
      --depth;
    else if (text[i] == '|' || (text[i] == ',' && depth <= 0)) {
      std::string wrong = take(text.substr(begin, i - begin));
      if (!wrong.empty())
        return wrong;
      begin = i + 1;
    }
  }
  return take(text.substr(begin));
}

std::vector<std::string> unmatchedGlobs(const std::string &unit, const GlobList &include, const GlobList &exclude,
                                        const CallList &calls, const NamesOfAll &defined, const NamesOfAll &declared) {
  const auto matches = [](const std::string &glob, const NamesOfAll &functions) {
    return std::any_of(functions.begin(), functions.end(),
                       [&](const auto &names) { return names->texts().match(glob); });
  };
  std::vector<std::string> sentences;
  for (const GlobList *list : {&include, &exclude})
    for (const std::string &glob : list->each())
      if (!matches(glob, defined) && !(list == &exclude && !calls.empty() && matches(glob, declared)))
        sentences.push_back(unit + ": no function here matches -" + list->option() + "='" + glob + "'");
  for (const std::string &glob : calls.globs().each())
    if (!matches(glob, declared))
      sentences.push_back(unit + ": no function that is only declared here matches -ada-calls='" + glob + "'");
  return sentences;
}

} // namespace ada::pass
