// The grammar of ADA_OPTIONS, for the runtime that reads it and for the tool that writes it.
//
//   options    = { separator } { assignment { separator } }
//   assignment = name '=' value
//   value      = "'" any but "'" "'"  |  '"' any but '"' '"'  |  any but separators, with three exceptions
//   separator  = ':' | ' ' | tab | newline
//
// The exceptions are colons that need no quotes: C++'s '::' in a text value, unless the end or `name=` of an option
// follows, the colon after the kind of a trigger (triggers.h), and that of a clock (tick:50us).
// The list of options is shared/options/options.inc.
#pragma once

#include "triggers.h"

#include "shared/select/argument_list.h"

namespace ada::options {

enum class Type : uint8_t { String, Choice, Bool, Size, SizeOrAuto, Number, Time, Share, Clock, Rotation };

// A line of options.inc.
struct Option {
  Type type;
  const char *name, *defaultValue, *metavar, *sentence;
};

inline constexpr Option kOptions[] = {
#define ADA_OPTION(type, name, value, meta, text) {Type::type, #name, value, meta, text},
#include "shared/options/options.inc"
};

inline const Option *find(TextPiece name) {
  for (const Option &option : kOptions)
    if (name == option.name)
      return &option;
  return nullptr;
}

//===--- values -----------------------------------------------------------===//

// How the runtime keeps a value: its text, which is interpreted where it is used, or what parseValue() makes of it.
enum class Kept : uint8_t { Text, Truth, Number };

constexpr Kept keptAs(Type type) {
  switch (type) {
  case Type::String:
  case Type::Choice:
  case Type::Clock:
  case Type::Rotation:
    return Kept::Text;
  case Type::Bool:
    return Kept::Truth;
  case Type::Size:
  case Type::SizeOrAuto:
  case Type::Number:
  case Type::Time:
  case Type::Share:
    return Kept::Number;
  }
  return Kept::Text;
}

template <Kept> struct KeptValue {
  using Type = uint64_t;
};
template <> struct KeptValue<Kept::Text> {
  using Type = const char *;
};
template <> struct KeptValue<Kept::Truth> {
  using Type = bool;
};

// Whether `value` is one of several that are separated by '|'.
inline bool isOneOf(TextPiece value, TextPiece choices) {
  while (true) {
    size_t n = 0;
    while (n < choices.size && choices[n] != '|')
      ++n;
    if (value == choices.first(n))
      return true;
    if (n == choices.size)
      return false;
    choices = choices.from(n + 1);
  }
}

enum class ClockKind : uint8_t { Auto, Counter, System, Tick, None };

struct Clock {
  ClockKind kind = ClockKind::Auto;
  uint64_t tickNs = 20000;
  bool tickIsGiven = false;
};

// False if options.inc does not list `value`.
inline bool parseClock(TextPiece value, Clock &clock) {
  constexpr const char *kKinds[] = {"auto", "counter", "system", "tick", "none"};
  constexpr uint64_t kLeastNs = 1000, kMaxNs = 1000000000;
  for (unsigned i = 0; i < sizeof kKinds / sizeof *kKinds; ++i)
    if (value == kKinds[i]) {
      clock.kind = static_cast<ClockKind>(i);
      return true;
    }
  if (!value.startsWith("tick:"))
    return false;
  clock.kind = ClockKind::Tick, clock.tickIsGiven = true;
  return parseDuration(value.from(5), clock.tickNs) && clock.tickNs >= kLeastNs && clock.tickNs <= kMaxNs;
}

// When a part of a trace is complete: at this size in bytes, or at this age. Both 0: never.
struct Rotation {
  uint64_t bytes = 0, ns = 0;
};

// "64M", "60s" or "none". False if it is none of these, or so small that parts would consist of headers alone.
inline bool parseRotation(TextPiece value, Rotation &rotation) {
  constexpr uint64_t kLeastBytes = 64 << 10, kLeastNs = 100000000;
  rotation = {};
  return value == "none" || (parseDuration(value, rotation.ns) && rotation.ns >= kLeastNs) ||
         (parseSize(value, rotation.bytes) && rotation.bytes >= kLeastBytes);
}

// Whether an option can have that value. `number`: what is kept of it if it is not kept as text; of a Time nanoseconds,
// of a Share hundredths of a percent, of `auto` 0.
inline bool parseValue(const Option &option, TextPiece value, uint64_t &number) {
  switch (option.type) {
  case Type::String:
    return true;
  case Type::Choice:
    return isOneOf(value, option.metavar);
  case Type::Clock: {
    Clock clock;
    return parseClock(value, clock);
  }
  case Type::Rotation: {
    Rotation rotation;
    return parseRotation(value, rotation);
  }
  case Type::Bool:
    number = value == "1";
    return isOneOf(value, "0|1");
  case Type::Size:
    return parseSize(value, number);
  case Type::SizeOrAuto:
    number = 0;
    if (value == "auto")
      return true;
    if (!parseSize(value, number))
      return false;
    number += number == 0; // as little as there can be
    return true;
  case Type::Number:
    return takeNumber(value, number) && value.empty();
  case Type::Time:
    return parseDuration(value, number);
  case Type::Share:
    return parseShare(value, number);
  }
  return false;
}

// What a value has to be, for a message.
inline const char *wanted(const Option &option) {
  return option.type == Type::Time         ? "a time with its unit (10us, 5ms, 2s)"
         : option.type == Type::SizeOrAuto ? "a size like 4096, 64K, 16M or 1G, or auto"
         : option.type == Type::Share      ? "a share from 0.01% to 100%, or none"
         : option.type == Type::Rotation
             ? "a size of at least 64K (64M), a time of at least 100ms with its unit (60s), or none"
             : option.metavar;
}

// What is wrong with a number beyond its form, as the end of a sentence that begins with it; null if nothing is.
inline const char *limitOf(const Option &option, uint64_t number) {
  const TextPiece name(option.name);
  return (name == "stack_size" || name == "strings" || name == "pointees") && number > 256 ? "is more than 256"
         : name == "drain_threads" && number > 16                                          ? "is more than 16"
                                                                                           : nullptr;
}

inline bool isGlobs(const Option &option) { return TextPiece(option.metavar) == "GLOBS"; }

// What is wrong with a glob of such an option, as the end of a sentence that begins with the glob; null if nothing is.
// Stores the glob in `which`.
inline const char *faultOf(const Option &option, TextPiece value, TextPiece &which) {
  if (!isGlobs(option))
    return nullptr;
  const bool isDetail = TextPiece(option.name) == "detail";
  const char *fault = nullptr;
  select::anyGlob(value, [&](TextPiece one) {
    const select::DetailGlob split = isDetail ? select::splitArguments(one) : select::DetailGlob{one, {}};
    which = one;
    if (split.arguments.data && !select::isArgumentList(split.arguments))
      fault = "has an argument list that is not like (path:str, shape:fields, points:48, flags)";
    else
      fault = select::Glob(split.glob).fault();
    return fault != nullptr;
  });
  return fault;
}

// The beginning of a text that may be long, for a message.
inline TextPiece shown(TextPiece text) { return text.first(text.size < 60 ? text.size : 60); }

//===--- the text ---------------------------------------------------------===//

inline bool isSeparator(char c) { return c == ':' || c == ' ' || c == '\t' || c == '\n'; }

inline bool hasSeparator(TextPiece text) {
  for (size_t i = 0; i < text.size; ++i)
    if (isSeparator(text[i]))
      return true;
  return false;
}

// Whether `text` begins with name=, of any option.
inline bool beginsOption(TextPiece text) {
  for (const Option &option : kOptions) {
    const TextPiece name = option.name;
    if (text.size > name.size && text.startsWith(name) && text[name.size] == '=')
      return true;
  }
  return false;
}

// How many of the characters at `rest`, which begins with a separator, belong to the unquoted value that ends there.
inline size_t separatorsOfValue(const Option *option, TextPiece value, TextPiece rest) {
  if (!option || rest[0] != ':')
    return 0;
  if (option->type == Type::Clock)
    return value == "tick" && rest.size > 1 && rest[1] >= '0' && rest[1] <= '9' ? 1 : 0;
  if (option->type != Type::String)
    return 0;
  if (rest.size > 1 && rest[1] == ':')
    return rest.size > 2 && !isSeparator(rest[2]) && !beginsOption(rest.from(2)) ? 2 : 0;
  return TextPiece(option->name) == "trigger" && endsWithTriggerKind(value) ? 1 : 0;
}

struct Assignment {
  const Option *option; // null if there is none of that name
  TextPiece name, value;
  char quote; // around the value; 0 if none
};

enum class Reading {
  Assignment,
  End,
  NoValue,   // no '=' after assignment.name
  NotClosed, // assignment.quote does not occur again
};

// Takes the next assignment off `text`.
inline Reading takeAssignment(TextPiece &text, Assignment &a) {
  while (!text.empty() && isSeparator(text[0]))
    text = text.from(1);
  a = {};
  if (text.empty())
    return Reading::End;
  size_t n = 0;
  while (n < text.size && text[n] != '=' && !isSeparator(text[n]))
    ++n;
  a.name = text.first(n), a.option = find(a.name);
  if (n == text.size || text[n] != '=')
    return Reading::NoValue;
  text = text.from(n + 1);
  n = 0;
  if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
    a.quote = text[0];
    text = text.from(1);
    while (n < text.size && text[n] != a.quote)
      ++n;
    a.value = text.first(n);
    if (n == text.size)
      return Reading::NotClosed;
    text = text.from(n + 1);
    return Reading::Assignment;
  }
  while (n < text.size) {
    const size_t more = isSeparator(text[n]) ? separatorsOfValue(a.option, text.first(n), text.from(n)) : 1;
    if (more == 0)
      break;
    n += more;
  }
  a.value = text.first(n);
  text = text.from(n);
  return Reading::Assignment;
}

} // namespace ada::options
