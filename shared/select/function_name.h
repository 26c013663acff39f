// The parts of a demangled name: return type, qualified name, template arguments, parameters.
//
// Reads the names that the demanglers of LLVM and GNU write.
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "glob.h"

namespace ada::select {

inline bool isIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

inline bool isAt(TextPiece name, size_t i, const char *word) {
  for (; *word; ++word, ++i)
    if (i >= name.size || name.data[i] != *word)
      return false;
  return true;
}

inline bool isOneOf(char c, const char *set) {
  while (*set && *set != c)
    ++set;
  return *set != 0;
}

// "-[Counter(Sums) add:to:]", a method of Objective-C: a category is in parentheses, and there is no parameter list.
inline bool isMethodOfObjectiveC(TextPiece name) { return isAt(name, 0, "-[") || isAt(name, 0, "+["); }

// The length of `name` (demangled) without its parameter list and what follows that: "ns::f" of "ns::f(int) const
// [clone .cold]". The whole length where there is no parameter list.
inline size_t lengthWithoutParameters(TextPiece name) {
  if (isMethodOfObjectiveC(name))
    return name.size;
  for (size_t end = name.size; end > 0; --end) {
    if (name.data[end - 1] != ')')
      continue;
    int nesting = 0;
    size_t i = end;
    while (i > 0) {
      char c = name.data[--i];
      nesting += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (nesting == 0)
        break;
    }
    if (nesting != 0)
      return name.size;
    // "operator()(int)": the list is the last pair. " (.resume)", a suffix of the compiler, is not a list.
    if (i > 0 && name.data[i - 1] == ' ' && i + 1 < name.size && name.data[i + 1] == '.') {
      end = i;
      continue;
    }
    return i;
  }
  return name.size;
}

// The length of the operator's name at `i`: "operator<<", "operator()", "operator new[]", "operator char const*". 0 if
// there is none.
inline size_t operatorLength(TextPiece name, size_t i) {
  if (!isAt(name, i, "operator") || (i > 0 && isIdentifier(name.data[i - 1])) || i + 8 >= name.size ||
      isIdentifier(name.data[i + 8]))
    return 0;
  const auto at = [&](size_t p) { return p < name.size ? name.data[p] : '\0'; };
  size_t p = i + 8;
  if (isAt(name, p, "()") || isAt(name, p, "[]")) {
    p += 2;
  } else if (at(p) == ' ' || at(p) == '"') { // a type, "new", or a literal's suffix: up to the parameters
    while (p < name.size && name.data[p] != '(')
      ++p;
    return p - i;
  } else if (at(p) == '<') {
    // "operator<<int>" is operator< with template arguments.
    const bool isShift = at(p + 1) == '<' && (p + 2 >= name.size || isOneOf(at(p + 2), "(< ="));
    p += isShift ? 2 : 1;
    if (at(p) == '=')
      p += !isShift && at(p + 1) == '>' ? 2 : 1;
  } else {
    while (p < name.size && isOneOf(name.data[p], "+-*/%^&|~!=>,"))
      ++p;
  }
  return p - i;
}

// The position after the brackets of the kind that opens at `i`; `i` if they are not closed.
inline size_t endOfBrackets(TextPiece name, size_t i) {
  const char open = name.data[i], close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
  size_t nesting = 0;
  for (size_t p = i; p < name.size;) {
    if (size_t length = operatorLength(name, p)) {
      p += length;
      continue;
    }
    const char c = name.data[p];
    if (c == '(' && open == '<') { // parentheses may contain such characters as operators: Array<(3)>(2)>
      const size_t end = endOfBrackets(name, p);
      if (end == p)
        return i;
      p = end;
      continue;
    }
    nesting += c == open;
    if (c == close && !(close == '>' && p > 0 && name.data[p - 1] == '-') && --nesting == 0)
      return p + 1;
    ++p;
  }
  return i;
}

// For a function that returns a pointer to a function, or a reference to an array, the part that declares it:
// "f<int>(int)" of "void (*f<int>(int))(char)". Returns any other name unchanged.
inline TextPiece declarator(TextPiece name) {
  for (size_t i = 0; i + 2 < name.size; ++i) {
    if (size_t length = operatorLength(name, i)) {
      i += length - 1;
      continue;
    }
    if (!isOneOf(name.data[i], "(<[{"))
      continue;
    const size_t end = endOfBrackets(name, i);
    if (end == i)
      return name;
    const bool isDeclarator = name.data[i] == '(' && (i == 0 || name.data[i - 1] == ' ') &&
                              isOneOf(name.data[i + 1], "*&") && end < name.size && isOneOf(name.data[end], "([");
    if (isDeclarator) { // it may return such a pointer again
      size_t begin = i + 1;
      while (begin < end - 1 && isOneOf(name.data[begin], "*& "))
        ++begin;
      name = {name.data + begin, end - 1 - begin};
      i = ~size_t(0);
      continue;
    }
    i = end - 1;
  }
  return name;
}

// Where the name begins after the return type, which template functions have:
// 4 in "int f<int>(int)". 0 without a return type.
inline size_t startOfName(TextPiece name) {
  size_t start = 0, found = 0;
  for (size_t i = 0; i < name.size;) {
    if (size_t length = operatorLength(name, i)) {
      i += length;
      continue;
    }
    const char c = name.data[i];
    if (isOneOf(c, "(<[{")) {
      const size_t end = endOfBrackets(name, i);
      if (end != i) {
        i = end;
        // Template arguments before a parameter list: only such functions have the return type as part of the name.
        if (c == '<' && i < name.size && name.data[i] == '(')
          found = start;
        continue;
      }
    }
    ++i;
    // "g() const::Local::f<int>()": the qualifier belongs to the enclosing function.
    const bool isQualifier =
        i > 1 && name.data[i - 2] == ')' && (isAt(name, i, "const") || isAt(name, i, "volatile") || isAt(name, i, "&"));
    if (c == ' ' && !isQualifier && !isAt(name, i, "<")) // "operator< <int>"
      start = i;
  }
  return found;
}

// The characters of a name without template arguments and ABI tags: "ns::C::f" of "ns::C<int>::f<char>[abi:v2]".
class PlainCharacters {
public:
  explicit PlainCharacters(TextPiece name) : name_(name) {}
  bool next(char &c) {
    if (at_ >= verbatim_)
      skip();
    if (at_ >= name_.size)
      return false;
    c = name_.data[at_++];
    return true;
  }

private:
  TextPiece name_;
  size_t at_ = 0, verbatim_ = 0; // up to here nothing is left out

  void skip() {
    while (at_ < name_.size) {
      if (size_t length = operatorLength(name_, at_)) {
        verbatim_ = at_ + length;
        return;
      }
      const bool isSpaced = at_ > 0 && at_ == verbatim_ && isAt(name_, at_, " <"); // "operator< <int>"
      const size_t open = at_ + isSpaced;
      const size_t end = name_.data[open] == '<' || isAt(name_, open, "[abi:") ? endOfBrackets(name_, open) : open;
      if (end == open)
        return;
      at_ = end;
    }
  }
};

} // namespace ada::select
