// Names lambdas by their place in the source.
#include "formats/native/manifest/lambda_places.h"

#include <algorithm>
#include <cctype>

namespace ada::atf {

namespace {

constexpr std::string_view kCall = "::operator()";

// True for the functions that compilers make for a lambda: its body, its conversion to a pointer, and the function that
// this pointer points to. All of them have the lambda's place.
bool isOfLambda(std::string_view behind) {
  return behind.starts_with("::operator") || behind.starts_with("::__invoke") || behind.starts_with("::_FUN");
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The last lambda that ends at or before `end`, as [begin, end) of its last component: "$_0" or "{lambda(int)#1}".
// npos if there is none.
std::pair<size_t, size_t> lastLambda(std::string_view name, size_t end) {
  for (size_t at = end; at-- > 0;) {
    const std::string_view rest = name.substr(at, end - at);
    if (rest.starts_with("$_") && rest.size() > 2 && std::isdigit(static_cast<unsigned char>(rest[2]))) {
      size_t stop = 2;
      while (stop < rest.size() && std::isdigit(static_cast<unsigned char>(rest[stop])))
        ++stop;
      return {at, at + stop};
    }
    if (rest.starts_with("{lambda(")) {
      int braces = 0;
      for (size_t i = 0; i < rest.size(); ++i) {
        braces += rest[i] == '{' ? 1 : rest[i] == '}' ? -1 : 0;
        if (braces == 0)
          return {at, at + i + 1};
      }
    }
  }
  return {name.npos, name.npos};
}

} // namespace

bool LambdaPlaces::mayName(std::string_view mangled) {
  return mangled.starts_with("_Z") && (mangled.find("$_") != mangled.npos || mangled.find("Ul") != mangled.npos);
}

void LambdaPlaces::add(std::string_view demangled, std::string_view file, uint64_t line) {
  if (file.empty() || line == 0)
    return;
  const auto [begin, end] = lastLambda(demangled, demangled.size());
  if (begin == demangled.npos || !isOfLambda(demangled.substr(end)))
    return;
  // The name of a template is preceded by its return type: "auto main::$_0::operator()<int>(int) const".
  size_t start = begin;
  int nesting = 0;
  for (size_t i = begin; i-- > 0; start = i) {
    const char c = demangled[i];
    nesting += c == ')' || c == '>' || c == '}' || c == ']' ? 1 : c == '(' || c == '<' || c == '{' || c == '[' ? -1 : 0;
    if (nesting == 0 && c == ' ' && !demangled.substr(0, i).ends_with(")") &&
        !demangled.substr(i).starts_with(" const"))
      break;
  }
  const std::string name(demangled.substr(start, end - start));
  std::vector<std::string> &names = lines_[{std::string(file.substr(file.rfind('/') + 1)), line}];
  if (std::ranges::find(names, name) == names.end())
    names.push_back(name);
}

void LambdaPlaces::finish() {
  for (auto &[line, names] : lines_) {
    std::ranges::sort(names, [](const std::string &a, const std::string &b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b; // $_9 before $_10
    });
    std::map<std::string, unsigned> counts; // by enclosing scope
    for (const std::string &name : names) {
      const auto [begin, end] = lastLambda(name, name.size());
      const unsigned number = ++counts[name.substr(0, begin)];
      std::string place = "{lambda at " + line.first + ":" + std::to_string(line.second);
      place += number > 1 ? " #" + std::to_string(number) + "}" : "}";
      byEnd_[name.substr(begin, end - begin)].push_back({name, place});
    }
  }
  lines_.clear();
  for (auto &[end, lambdas] : byEnd_)
    std::ranges::sort(lambdas, std::greater<>(), [](const Lambda &lambda) { return lambda.name.size(); });
}

std::string LambdaPlaces::apply(std::string name) const {
  if (byEnd_.empty())
    return name;
  // From right to left, because the names of lambdas include everything to their left.
  for (size_t before = name.size(); before > 0;) {
    const auto [begin, end] = lastLambda(name, before);
    if (begin == name.npos)
      break;
    before = begin;
    const auto known = byEnd_.find(std::string_view(name).substr(begin, end - begin));
    if (known == byEnd_.end())
      continue;
    const std::string_view upTo = std::string_view(name).substr(0, end);
    for (const Lambda &lambda : known->second) {
      const size_t start = end - std::min(end, lambda.name.size());
      if (!upTo.ends_with(lambda.name) || (start > 0 && (isWord(name[start - 1]) || name[start - 1] == ':')))
        continue;
      const bool isCalled = std::string_view(name).substr(end).starts_with(kCall);
      name.replace(begin, end - begin + (isCalled ? kCall.size() : 0), lambda.place);
      break;
    }
  }
  return name;
}

} // namespace ada::atf
