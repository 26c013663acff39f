// Globs: a pattern that matches the whole of a text. docs/reference/globs.md has the grammar.
//
// A glob is compiled into a row of items, and a text moves a set of positions in that row forward, one character at a
// time. So the time is bounded by the product of both lengths, whatever the glob. Nothing is allocated: the runtime
// compiles this into traced programs.
#pragma once

#include "shared/text/text_piece.h"

namespace ada::select {

// The characters of a text in order, as Glob::matches() reads them. Other kinds of texts have the same member.
class Characters {
public:
  explicit Characters(TextPiece text) : text_(text) {}
  bool next(char &c) {
    if (at_ == text_.size)
      return false;
    c = text_.data[at_++];
    return true;
  }

private:
  TextPiece text_;
  size_t at_ = 0;
};

// One glob, without `|`. Refers to the pattern's text.
class Glob {
public:
  static constexpr size_t kMaxCharacters = 1023, kMaxNesting = 8;

  explicit Glob(TextPiece pattern) : pattern_(pattern) {
    if (pattern.size > kMaxCharacters)
      fault_ = "is longer than 1,023 characters";
    else
      compile(0, pattern.size, 0);
    add(Item::End);
  }

  // What is wrong with the glob, as the rest of a sentence that begins with it; null if nothing is. A wrong glob
  // matches nothing.
  const char *fault() const { return fault_; }

  // Whether the glob matches the whole of `text`, which has a member bool next(char &).
  template <typename Text> bool matches(Text text) const {
    if (fault_)
      return false;
    uint64_t sets[2][kMaxItems / 64], *now = sets[0], *next = sets[1];
    const size_t words = (count_ + 63) / 64;
    for (size_t w = 0; w < words; ++w)
      now[w] = w == 0;
    char c;
    while (text.next(c)) {
      for (size_t w = 0; w < words; ++w)
        next[w] = 0;
      if (!advance(now, next, words, &c))
        return false;
      uint64_t *swapped = now;
      now = next, next = swapped;
    }
    advance(now, nullptr, words, nullptr);
    return now[(count_ - 1) / 64] >> ((count_ - 1) % 64) & 1;
  }
  bool matches(TextPiece text) const { return matches(Characters(text)); }

private:
  struct Item {
    enum Kind : uint8_t {
      Is,   // the character `c`
      Any,  // one character
      Run,  // any text
      Set,  // a character of the set at pattern_[to]
      Fork, // continues after itself and at `to`, which is after it
      Jump, // continues at `to`, which is after it
      End
    };
    Kind kind;
    char c;
    uint16_t to;
  };
  static constexpr size_t kMaxItems = 1024;

  TextPiece pattern_;
  const char *fault_ = nullptr;
  size_t count_ = 0;
  Item items_[kMaxItems];

  char at(size_t p) const { return pattern_.data[p]; }

  Item *add(Item::Kind kind, char c = 0, size_t to = 0) {
    if (count_ == kMaxItems) {
      fault_ = "has too many alternatives";
      --count_;
    }
    items_[count_] = {kind, c, static_cast<uint16_t>(to)};
    return &items_[count_++];
  }

  // The position after the set at `p`, or `p` if there is no set: `[` that is not closed and `[]` are characters.
  size_t endOfSet(size_t p, size_t end) const {
    if (at(p) != '[' || p + 1 == end || at(p + 1) == ']')
      return p;
    for (size_t i = p + 1; i < end; i += at(i) == '\\' ? 2 : 1)
      if (at(i) == ']')
        return i + 1;
    return p;
  }

  // The position after the single character, escaped character or set at `p`.
  size_t endOfItem(size_t p, size_t end) const {
    if (at(p) == '\\')
      return p + 1 < end ? p + 2 : p + 1;
    const size_t behind = endOfSet(p, end);
    return behind == p ? p + 1 : behind;
  }

  // The position of the first separator at or after `p` that is outside of inner braces:
  // ',' or '}'. `end` if there is none.
  size_t separator(size_t p, size_t end) const {
    for (size_t nesting = 0; p < end; p = endOfItem(p, end)) {
      if (nesting == 0 && (at(p) == ',' || at(p) == '}'))
        return p;
      nesting += at(p) == '{' ? 1 : at(p) == '}' ? -1 : 0;
    }
    return end;
  }

  // The position of the '}' that ends the alternatives which begin at `p`; `p` if there are none: braces that are not
  // closed or hold no comma are characters.
  size_t endOfAlternatives(size_t p, size_t end) const {
    bool hasComma = false;
    size_t i = separator(p + 1, end);
    for (; i < end && at(i) == ','; i = separator(i + 1, end))
      hasComma = true;
    return i < end && hasComma ? i : p;
  }

  void compile(size_t p, size_t end, size_t nesting) {
    while (p < end && !fault_) {
      const size_t next = endOfItem(p, end);
      const char c = at(p);
      if (c == '{' && endOfAlternatives(p, end) != p) {
        p = compileAlternatives(p, endOfAlternatives(p, end), nesting + 1);
        continue;
      }
      if (isFolded(p, end)) {
        compileFolded(c);
        p += 4;
        continue;
      }
      if (c == '*')
        add(Item::Run);
      else if (c == '?')
        add(Item::Any);
      else if (c == '[' && next > p + 1)
        add(Item::Set, 0, p);
      else
        add(Item::Is, at(next - 1));
      p = next;
    }
  }

  // "(..)" and "<..>", as short names are printed.
  bool isFolded(size_t p, size_t end) const {
    return (at(p) == '(' || at(p) == '<') && p + 4 <= end && at(p + 1) == '.' && at(p + 2) == '.' &&
           at(p + 3) == (at(p) == '(' ? ')' : '>');
  }

  // Any parameters, after which ABI tags that short names leave out, or any template arguments.
  void compileFolded(char open) {
    if (open == '(') {
      Item *tag = add(Item::Fork);
      for (const char *c = "[abi:"; *c; ++c)
        add(Item::Is, *c);
      add(Item::Run);
      add(Item::Is, ']');
      tag->to = static_cast<uint16_t>(count_);
    }
    add(Item::Is, open);
    add(Item::Run);
    add(Item::Is, open == '(' ? ')' : '>');
  }

  // `{a,b,c}` is Fork(2) a Jump(end), 2: Fork(3) b Jump(end), 3: c, end. `close` is the position of the '}'.
  size_t compileAlternatives(size_t p, size_t close, size_t nesting) {
    if (nesting > kMaxNesting) {
      fault_ = "has braces nested more than 8 deep";
      return close;
    }
    size_t jumps[2] = {0, 0}; // the last jump, and whether there is one: each names the one before until they are set
    while (p < close && !fault_) {
      const size_t next = separator(p + 1, close);
      Item *fork = next < close ? add(Item::Fork) : nullptr;
      compile(p + 1, next, nesting);
      if (fork) {
        const size_t jump = count_;
        add(Item::Jump, static_cast<char>(jumps[1]), jumps[0]);
        jumps[0] = jump, jumps[1] = 1;
        fork->to = static_cast<uint16_t>(count_);
      }
      p = next;
    }
    for (bool more = jumps[1]; more && !fault_;) {
      Item &jump = items_[jumps[0]];
      more = jump.c;
      jumps[0] = jump.to;
      jump.to = static_cast<uint16_t>(count_);
    }
    return close + 1;
  }

  bool isInSet(size_t p, char c) const {
    const bool negate = (at(p + 1) == '!' || at(p + 1) == '^') && at(p + 2) != ']';
    bool in = false;
    for (size_t i = p + 1 + negate; at(i) != ']'; ++i) {
      i += at(i) == '\\';
      const char low = at(i);
      char high = low;
      if (at(i + 1) == '-' && at(i + 2) != ']') {
        i += 2;
        i += at(i) == '\\';
        high = at(i);
      }
      in |=
          static_cast<uint8_t>(low) <= static_cast<uint8_t>(c) && static_cast<uint8_t>(c) <= static_cast<uint8_t>(high);
    }
    return in != negate;
  }

  // From each position in `now`, adds the later positions that can be reached without a character to `now`,
  // and those reached with `c`, unless that is null, to `next`. False if `next` stays empty.
  bool advance(uint64_t *now, uint64_t *next, size_t words, const char *c) const {
    uint64_t any = 0;
    const auto put = [](uint64_t *set, size_t i) { set[i / 64] |= uint64_t(1) << (i % 64); };
    for (size_t w = 0; w < words; ++w) {
      uint64_t done = 0;
      while (uint64_t left = now[w] & ~done) {
        const size_t bit = static_cast<size_t>(__builtin_ctzll(left)), i = w * 64 + bit;
        done |= uint64_t(1) << bit;
        const Item &item = items_[i];
        size_t to = i + 1;
        bool takes = false;
        switch (item.kind) {
        case Item::Fork:
          put(now, item.to);
          put(now, i + 1);
          break;
        case Item::Jump:
          put(now, item.to);
          break;
        case Item::Run:
          put(now, i + 1);
          takes = true, to = i;
          break;
        case Item::Any:
          takes = true;
          break;
        case Item::Is:
          takes = c && item.c == *c;
          break;
        case Item::Set:
          takes = c && isInSet(item.to, *c);
          break;
        case Item::End:
          break;
        }
        if (takes && c) {
          put(next, to);
          any = 1;
        }
      }
    }
    return any;
  }
};

// The length of "|", "||" or "|=" at `p` if that is the rest of an operator's name: what follows is the end, a list of
// parameters or template arguments, or a separator.
inline size_t lengthOfOrOperator(TextPiece globs, size_t p) {
  constexpr TextPiece word = "operator";
  if (p < word.size || !(globs.first(p).from(p - word.size) == word))
    return 0;
  const auto at = [&](size_t i) { return i < globs.size ? globs.data[i] : '\0'; };
  const auto mayFollow = [](char c) { return c == '\0' || c == '(' || c == '<' || c == '|'; };
  if ((at(p + 1) == '|' || at(p + 1) == '=') && mayFollow(at(p + 2)))
    return 2;
  return mayFollow(at(p + 1)) ? 1 : 0;
}

// Calls `use` with each glob of `globs`, which are separated by '|', until it returns true, and returns whether it did.
template <typename Use> bool anyGlob(TextPiece globs, Use use) {
  for (size_t begin = 0;;) {
    size_t end = begin;
    while (end < globs.size) {
      const size_t inName = globs.data[end] == '|' ? lengthOfOrOperator(globs, end) : 0;
      if (globs.data[end] == '|' && !inName)
        break;
      end += inName ? inName : globs.data[end] == '\\' && end + 1 < globs.size ? 2 : 1;
    }
    if (use(globs.first(end).from(begin)))
      return true;
    if (end >= globs.size)
      return false;
    begin = end + 1;
  }
}

// Whether one of `globs` matches the whole of `text`. A text written literally matches itself,
// whatever characters it has.
inline bool matches(TextPiece globs, TextPiece text) {
  return globs == text || anyGlob(globs, [&](TextPiece one) { return one == text || Glob(one).matches(text); });
}

// What is wrong with the first wrong glob of `globs`, which is stored in `*which`; null if none is wrong.
inline const char *faultOf(TextPiece globs, TextPiece *which) {
  const char *fault = nullptr;
  anyGlob(globs, [&](TextPiece one) {
    *which = one;
    return (fault = Glob(one).fault()) != nullptr;
  });
  return fault;
}

} // namespace ada::select
