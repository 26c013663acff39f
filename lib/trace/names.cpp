// Demangles names and folds the noise out of them.
#include "trace/names.h"
#include "shared/demangle/demangle.h"
#include "shared/select/function_name.h"

#include <cctype>
#include <cstdio>

namespace ada {

std::string functionIdText(uint64_t functionId) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(functionId));
  return text;
}

//===--- demangling -------------------------------------------------------===//

// Suffixes that only make a name unique in a program: ThinLTO's promotion of
// static functions and -funique-internal-linkage-names.
static std::string_view dropUniqueSuffixes(std::string_view suffixes, std::string &kept) {
  for (std::string_view unique : {".llvm.", ".__uniq."})
    for (size_t at; (at = suffixes.find(unique)) != suffixes.npos;) {
      size_t end = suffixes.find('.', at + unique.size());
      kept = std::string(suffixes.substr(0, at));
      if (end != suffixes.npos)
        kept += suffixes.substr(end);
      suffixes = kept;
    }
  return suffixes;
}

std::string demangle(std::string_view name) {
  std::string storage;
  const SymbolParts parts = partsOfSymbol(name);
  if (parts.mangling == Mangling::None)
    return std::string(dropUniqueSuffixes(name, storage));
  std::string result = demangledBase(parts.mangling, parts.base);
  if (result.empty())
    return std::string(name);
  if (auto suffixes = dropUniqueSuffixes(parts.suffix, storage); !suffixes.empty())
    result += " [" + std::string(suffixes) + "]";
  return result;
}

//===--- folding ----------------------------------------------------------===//

namespace {

// Reads a demangled name from left to right and writes the folded one. It gives up at anything it doesn't understand,
// and the caller shows the whole name.
class Folder {
public:
  Folder(std::string_view in, const NameStyle &style) : in_(in), style_(style) {}

  bool run() {
    while (at_ < in_.size())
      if (!step())
        return false;
    if (style_.dropReturnType && sawParameters_ && nameStart_ > 0)
      out.erase(0, nameStart_);
    return true;
  }
  std::string out;

private:
  bool step() {
    if (startsOperator())
      return copyOperator();
    switch (in_[at_]) {
    case '<':
      return startsRustPath() ? rustPath() : templateArguments();
    case '(':
      return parentheses();
    case '{': // {lambda(int)#1}, {unnamed type#2}
      return braces();
    case '[':
      if (in_.substr(at_).starts_with("[abi:") && style_.dropAbiTags) {
        size_t end = in_.find(']', at_);
        if (end == in_.npos)
          return false;
        at_ = end + 1;
        return true;
      }
      if (in_.substr(at_).starts_with("[.") || in_.substr(at_).starts_with("[clone"))
        return copyTo(in_.size());
      break;
    case ' ':
      // In front of the parameters, a space ends a return type.
      out += in_[at_++];
      if (!sawParameters_)
        nameStart_ = out.size();
      return true;
    default:
      break;
    }
    out += in_[at_++];
    return true;
  }

  bool copyTo(size_t end) {
    out += in_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  // `operator` as a separate word.
  bool startsOperator() const {
    constexpr std::string_view word = "operator";
    if (!in_.substr(at_).starts_with(word))
      return false;
    auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (at_ > 0 && isWord(in_[at_ - 1]))
      return false;
    size_t after = at_ + word.size();
    return after < in_.size() && !isWord(in_[after]);
  }

  // An operator's name holds brackets that match nothing, and conversions hold
  // spaces that separate nothing.
  bool copyOperator() {
    size_t end = at_ + 8;
    std::string_view rest = in_.substr(end);
    for (std::string_view symbol : {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"})
      if (rest.starts_with(symbol)) {
        end += symbol.size();
        copyTo(end);
        if (in_.substr(at_).starts_with(" <")) // operator<< <char>
          out += in_[at_++];
        return true;
      }
    if (rest.starts_with(" ") || rest.starts_with("\"")) {
      // A conversion, new, delete or a literal: up to the parameters.
      size_t open = end;
      int angles = 0;
      for (; open < in_.size(); ++open) {
        char c = in_[open];
        if (c == '<')
          ++angles;
        else if (c == '>')
          --angles;
        else if (c == '(' && angles == 0)
          break;
      }
      return copyTo(open);
    }
    return copyTo(end);
  }

  // Position after the '>' that matches the '<' here, or npos.
  // Parentheses are skipped whole, because they may contain comparisons.
  size_t closingAngle() const {
    int angles = 0, parens = 0;
    for (size_t i = at_; i < in_.size(); ++i) {
      char c = in_[i];
      if (c == '(')
        ++parens;
      else if (c == ')')
        --parens;
      else if (parens == 0 && c == '<')
        ++angles;
      else if (parens == 0 && c == '>' && in_[i - 1] != '-' && --angles == 0)
        return i + 1;
    }
    return in_.npos;
  }

  size_t closing(char open, char close) const {
    int depth = 0;
    for (size_t i = at_; i < in_.size(); ++i) {
      depth += in_[i] == open;
      if (in_[i] == close && --depth == 0)
        return i + 1;
    }
    return in_.npos;
  }

  bool foldGroup(size_t end, std::string_view folded, bool fold) {
    if (end == in_.npos)
      return false;
    if (!fold)
      return copyTo(end);
    out += folded;
    at_ = end;
    return true;
  }

  // A lambda among the arguments stays: it says which std::function this is.
  bool templateArguments() {
    const size_t end = closingAngle();
    const std::string_view group = in_.substr(at_, end == in_.npos ? 0 : end - at_);
    const size_t lambda = group.find("{lambda at ");
    const size_t lambdaEnd = group.find('}', lambda == group.npos ? group.size() : lambda);
    if (lambdaEnd == group.npos)
      return foldGroup(end, "<..>", style_.foldTemplateArguments);
    return foldGroup(end, "<" + std::string(group.substr(lambda, lambdaEnd + 1 - lambda)) + ">",
                     style_.foldTemplateArguments);
  }

  // In Rust "<Stack<u8> as Clone>::clone" and "list::<impl Sum for [u8]>::sum" are paths; the brackets hold a name.
  // Names of C++ and D don't begin like this, so it does not take the symbol, which most callers don't have.
  bool startsRustPath() const { return at_ == 0 || (out.ends_with("::") && in_.substr(at_).starts_with("<impl ")); }

  bool rustPath() {
    const size_t end = closingAngle();
    if (end == in_.npos)
      return false;
    NameStyle inner = style_;
    inner.dropReturnType = false;
    Folder folder(in_.substr(at_ + 1, end - at_ - 2), inner);
    if (!folder.run())
      return false;
    out += "<" + folder.out + ">";
    at_ = end;
    return true;
  }

  bool parentheses() {
    size_t end = closing('(', ')');
    if (end == in_.npos)
      return false;
    std::string_view group = in_.substr(at_, end - at_);
    // Part of a name or of a type, not parameters.
    if (group == "(anonymous namespace)" || at_ == 0 || in_[at_ - 1] == ' ')
      return copyTo(end);
    sawParameters_ = true;
    return foldGroup(end, group == "()" ? "()" : "(..)", style_.foldParameters);
  }

  bool braces() {
    size_t end = closing('{', '}');
    if (end == in_.npos)
      return false;
    std::string_view group = in_.substr(at_, end - at_);
    size_t open = group.find('('), close = group.rfind(')');
    if (!style_.foldParameters || open == group.npos || close == group.npos || close <= open + 1)
      return copyTo(end);
    out += group.substr(0, open + 1);
    out += "..";
    out += group.substr(close);
    at_ = end;
    return true;
  }

  std::string_view in_;
  const NameStyle &style_;
  size_t at_ = 0;
  size_t nameStart_ = 0; // in `out`
  bool sawParameters_ = false;
};

} // namespace

// Rust's legacy mangling ends names in a hash:
// "core::fmt::write::h0123456789abcdef".
static std::string_view dropRustHash(std::string_view name) {
  constexpr size_t length = 19; // "::h" and 16 digits
  if (name.size() <= length)
    return name;
  std::string_view tail = name.substr(name.size() - length);
  if (!tail.starts_with("::h") || tail.find_first_not_of("0123456789abcdef", 3) != tail.npos)
    return name;
  return name.substr(0, name.size() - length);
}

std::string shortName(std::string_view demangled, const NameStyle &style) {
  if (select::isMethodOfObjectiveC({demangled.data(), demangled.size()}))
    return std::string(demangled);
  std::string_view prefix, rest = dropRustHash(demangled);
  for (std::string_view thunk : {"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to "})
    if (rest.starts_with(thunk)) {
      prefix = thunk;
      rest.remove_prefix(thunk.size());
      break;
    }
  Folder folder(rest, style);
  if (!folder.run())
    return std::string(demangled);
  return std::string(prefix) + folder.out;
}

} // namespace ada
