// options.cpp - parses ADA_OPTIONS: name=value, separated by ':' or white space, values quoted where they contain either. Two colons are
// understood without quotes: C++'s '::', and the one in a trigger.
#include "options.h"
#include "message.h"
#include "os.h"
#include "text.h"

namespace ada {
namespace {

enum class Type { String, Choice, Bool, Size };
constexpr Type ADA_STRING = Type::String, ADA_CHOICE = Type::Choice, ADA_BOOL = Type::Bool, ADA_SIZE = Type::Size;

struct Description {
  Type type;
  const char *name, *value, *meta, *text;
  size_t offset;
};

const Description kOptions[] = {
#define ADA_OPTION(type, name, value, meta, text)                                                  \
  {type, #name, value, meta, text, offsetof(Options, name)},
#include <ada/options.inc>
#undef ADA_OPTION
};

template <class T> T &field(Options &o, const Description &d) { return *(T *)((char *)&o + d.offset); }

bool isOneOf(const char *value, const char *choices) {
  while (*choices) {
    const char *v = value;
    while (*choices && *choices != '|' && *v == *choices)
      ++v, ++choices;
    if (!*v && (!*choices || *choices == '|'))
      return true;
    while (*choices && *choices++ != '|') {
    }
  }
  return false;
}

bool parseSize(const char *s, uint64_t &result) {
  uint64_t v = 0;
  const char *p = s;
  for (; *p >= '0' && *p <= '9'; ++p)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
      return false;
  if (p == s)
    return false;
  unsigned shift = *p == 'K' || *p == 'k' ? 10 : *p == 'M' || *p == 'm' ? 20 : *p == 'G' || *p == 'g' ? 30 : 0;
  if (shift)
    ++p;
  if (*p || v > (UINT64_MAX >> shift))
    return false;
  result = v << shift;
  return true;
}

bool set(Options &o, const Description &d, const char *value) {
  switch (d.type) {
  case Type::String:
    field<const char *>(o, d) = value;
    return true;
  case Type::Choice:
    field<const char *>(o, d) = value;
    return isOneOf(value, d.meta);
  case Type::Bool:
    field<bool>(o, d) = value[0] == '1';
    return isOneOf(value, "0|1");
  case Type::Size:
    return parseSize(value, field<uint64_t>(o, d));
  }
  return false;
}

// Help goes out line by line: together it is longer than a message may be.
void printHelp() {
  Message head("options, as ADA_OPTIONS=name=value:name=value (quote a value that contains ':' or a space):");
  say(head);
  for (const Description &d : kOptions) {
    Message line("  ");
    line << d.name << '=' << d.meta << "  " << d.text << " Default: " << (d.value[0] ? d.value : "none") << ".\n";
    sys::write(2, line.c_str(), line.size());
  }
}

bool isSeparator(char c) { return c == ':' || c == ' ' || c == '\t' || c == '\n'; }

// Whether TEXT begins with name=, of any option.
bool beginsOption(const char *text) {
  for (const Description &d : kOptions) {
    const char *n = d.name, *t = text;
    while (*n && *n == *t)
      ++n, ++t;
    if (!*n && *t == '=')
      return true;
  }
  return false;
}

// How many of the characters at TEXT, which is a ':' in an unquoted value, belong to the value [begin, end).
unsigned colonsOfValue(const Description &d, const char *begin, const char *end, const char *text) {
  if (d.type != Type::String)
    return 0;
  if (text[1] == ':')
    return text[2] && !isSeparator(text[2]) && !beginsOption(text + 2) ? 2 : 0;
  if (!equal(d.name, "trigger"))
    return 0;
  static const char *const kKinds[] = {"call", "slow", "exception"};
  for (const char *kind : kKinds) {
    size_t n = length(kind);
    const char *from = end - n;
    if ((size_t)(end - begin) < n || (from != begin && from[-1] != ';'))
      continue;
    size_t same = 0;
    while (same < n && from[same] == kind[same])
      ++same;
    if (same == n)
      return 1;
  }
  return 0;
}

} // namespace

bool parseOptions(Options &options, const char *text) {
  static char storage[16384]; // the values, unquoted
  for (const Description &d : kOptions)
    set(options, d, d.value);
  if (!text)
    return true;
  size_t used = 0;
  while (*text) {
    if (isSeparator(*text)) {
      ++text;
      continue;
    }
    char *name = storage + used;
    while (*text && *text != '=' && !isSeparator(*text) && used + 2 < sizeof storage)
      storage[used++] = *text++;
    storage[used++] = 0;
    const Description *found = nullptr;
    for (const Description &d : kOptions)
      if (equal(d.name, name))
        found = &d;
    if (!found || *text != '=') {
      Message m;
      if (!found)
        m << "unknown option '" << name << "' in ADA_OPTIONS";
      else
        m << "option '" << name << "' in ADA_OPTIONS has no value: write " << name << '=' << found->meta;
      m << "; ADA_OPTIONS=help=1 lists all. This program runs untraced.";
      say(m);
      return false;
    }
    ++text;
    char quote = *text == '\'' || *text == '"' ? *text++ : 0;
    char *value = storage + used;
    while (*text && (!quote || *text != quote) && used + 3 < sizeof storage) {
      if (!quote && isSeparator(*text)) {
        unsigned more = *text == ':' ? colonsOfValue(*found, value, storage + used, text) : 0;
        if (!more)
          break;
        while (more--)
          storage[used++] = *text++;
      } else
        storage[used++] = *text++;
    }
    storage[used++] = 0;
    bool closed = !quote || *text == quote;
    if (quote && closed)
      ++text;
    if (!closed || used + 3 >= sizeof storage || !set(options, *found, value)) {
      Message m;
      if (used + 3 >= sizeof storage)
        m << "ADA_OPTIONS is longer than 16 KiB";
      else if (!closed)
        m << "option '" << name << "' in ADA_OPTIONS: the closing " << quote << " is missing";
      else
        m << "option '" << name << "' in ADA_OPTIONS: '" << value << "' is not " << found->meta;
      m << ". This program runs untraced.";
      say(m);
      return false;
    }
  }
  if (options.help)
    printHelp();
  return true;
}

void visitOptions(const Options &options, OptionVisitor visit, void *context) {
  for (const Description &d : kOptions) {
    Options &o = const_cast<Options &>(options);
    switch (d.type) {
    case Type::String:
    case Type::Choice:
      visit(context, d.name, field<const char *>(o, d), true);
      break;
    case Type::Bool:
      visit(context, d.name, field<bool>(o, d) ? "true" : "false", false);
      break;
    case Type::Size:
      visit(context, d.name, (Text<32>() << field<uint64_t>(o, d)).c_str(), false);
      break;
    }
  }
}

} // namespace ada
