// Whether a glob matches a function: the rule that pass, runtime and views share (docs/reference/globs.md).
//
// A glob has to match the whole of one of the function's names or its source file. So `ns::parse` matches all overloads
// of ns::parse and all its instances, and `*/net/*.cpp` all functions defined there.
#pragma once

#include "function_name.h"
#include "glob.h"

namespace ada::select {

// The names of a function; null for names that are not known.
struct Names {
  const char *mangled = nullptr, *demangled = nullptr, *file = nullptr;
};

// All texts of one function that a glob may match. Make it once to try many globs on the function.
class FunctionTexts {
public:
  explicit FunctionTexts(const Names &names) {
    const TextPiece full = names.demangled;
    const TextPiece declared = declarator(full);
    const size_t start = startOfName(declared);
    const TextPiece named = declared.from(start);
    plain_ = named.first(lengthWithoutParameters(named));
    add(names.mangled);
    add(full);
    add(named);
    add(plain_);
    add(names.file);
  }

  // Whether one of `globs`, which are separated by '|', matches.
  bool match(TextPiece globs) const {
    return isNamed(globs) || anyGlob(globs, [&](TextPiece one) { return isNamed(one) || isMatched(Glob(one)); });
  }

  // A name that is written literally matches its function, whatever characters it has.
  bool isNamed(TextPiece text) const {
    for (size_t i = 0; i < count_; ++i)
      if (texts_[i] == text)
        return true;
    return false;
  }

private:
  TextPiece texts_[5]; // "_ZN2ns1fIiEEic", "int ns::f<int>(char)", "ns::f<int>(char)", "ns::f<int>", "ns.cpp"
  size_t count_ = 0;
  TextPiece plain_;

  void add(TextPiece text) {
    if (text.size && !(count_ && texts_[count_ - 1] == text))
      texts_[count_++] = text;
  }
  bool isMatched(const Glob &glob) const {
    for (size_t i = 0; i < count_; ++i)
      if (glob.matches(texts_[i]))
        return true;
    return plain_.size && glob.matches(PlainCharacters(plain_));
  }
};

// Whether one of `globs` matches the function.
inline bool means(const char *globs, const Names &names) { return FunctionTexts(names).match(globs); }

} // namespace ada::select
