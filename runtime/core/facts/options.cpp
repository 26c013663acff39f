// Reads ADA_OPTIONS. The grammar is shared/options/.
#include "options.h"
#include "core/base/message.h"
#include "core/base/os.h"
#include "core/base/text.h"

namespace ada::runtime {
namespace {

using options::Option;
using options::Type;

// The offset in `Options` of each of options::kOptions.
constexpr size_t kOffsets[] = {
#define ADA_OPTION(type, name, value, meta, text) offsetof(Options, name),
#include "shared/options/options.inc"
};

size_t offsetOf(const Option &option) { return kOffsets[&option - options::kOptions]; }
template <class T> T &field(Options &o, const Option &option) {
  return *reinterpret_cast<T *>(reinterpret_cast<char *>(&o) + offsetOf(option));
}

// `value` is NUL-terminated and must stay valid.
bool set(Options &o, const Option &option, const char *value) {
  uint64_t number = 0;
  bool good = options::parseValue(option, value, number);
  const options::Kept kept = options::keptAs(option.type);
  if (kept == options::Kept::Text)
    field<const char *>(o, option) = value;
  else if (kept == options::Kept::Truth)
    field<bool>(o, option) = number;
  else if (good)
    field<uint64_t>(o, option) = number;
  return good;
}

// Help is printed line by line: as a whole it is longer than a message may be.
void printHelp() {
  Message head("options, as ADA_OPTIONS=name=value:name=value (quote a value that contains ':' or a space):");
  say(head);
  for (const Option &option : options::kOptions) {
    Message line("  ");
    line << option.name << '=' << option.metavar << "  " << option.sentence
         << " Default: " << (option.defaultValue[0] ? option.defaultValue : "none") << '.';
    sayLine(line);
  }
}

bool refuse(const Message &m) {
  Message all(m.c_str());
  all << " This program runs untraced.";
  say(all);
  return false;
}

constexpr size_t kMaxTexts = 3, kMaxBytes = 16384;

// The values of options, NUL-terminated.
struct Storage {
  char bytes[kMaxTexts * kMaxBytes];
  size_t used;
};

// Changes options by `text`.
bool change(Options &o, const char *text, Storage &storage, Message &problem) {
  TextPiece rest(text ? text : "");
  if (rest.size >= kMaxBytes)
    return problem << "ADA_OPTIONS is longer than 16 KiB.", false;
  options::Assignment a;
  while (true) {
    options::Reading reading = options::takeAssignment(rest, a);
    if (reading == options::Reading::End)
      return true;
    Message option("option '");
    option << a.name << "' in ADA_OPTIONS";
    if (!a.option)
      return problem << "unknown " << option.c_str() << "; ADA_OPTIONS=help=1 lists all.", false;
    if (reading == options::Reading::NoValue)
      return problem << option.c_str() << " has no value: write " << a.name << '=' << a.option->metavar
                     << "; ADA_OPTIONS=help=1 lists all.",
             false;
    if (reading == options::Reading::NotClosed)
      return problem << option.c_str() << ": the closing " << a.quote << " is missing.", false;
    // The values together are no longer than the text: each is preceded by a name and '='.
    char *value = storage.bytes + storage.used;
    __builtin_memcpy(value, a.value.data, a.value.size);
    value[a.value.size] = 0;
    storage.used += a.value.size + 1;
    if (!set(o, *a.option, value))
      return problem << option.c_str() << ": '" << value << "' is not " << options::wanted(*a.option) << '.', false;
    TextPiece wrong;
    if (const char *fault = options::faultOf(*a.option, a.value, wrong))
      return problem << option.c_str() << ": '" << options::shown(wrong) << "' " << fault << '.', false;
    if (a.option->type == Type::Size || a.option->type == Type::Number)
      if (const char *limit = options::limitOf(*a.option, field<uint64_t>(o, *a.option)))
        return problem << option.c_str() << ": " << value << ' ' << limit << '.', false;
  }
}

} // namespace

bool parseOptions(Options &options, const OptionTexts &texts, Message &problem) {
  static Storage storages[2];
  static unsigned current = 0; // the one that the options in use point into
  Storage &storage = storages[1 - current];
  storage.used = 0;
  Options o = {};
  for (const Option &option : options::kOptions)
    set(o, option, option.defaultValue);
  const char *const defaultFormat = o.format;
  problem.clear();
  const char *const all[kMaxTexts] = {texts.first, texts.second, texts.third};
  for (const char *text : all)
    if (!change(o, text, storage, problem))
      return false;
  if (o.rotates() && (o.isBounded() || o.detail_mode[0] == 'w')) {
    problem << "option 'rotate' in ADA_OPTIONS cannot be combined with "
            << (o.isFlight()    ? "flight"
                : o.isBounded() ? "max_size or max_time: delete old parts instead"
                                : "detail_mode=window")
            << '.';
    return false;
  }
  if (o.control) {
    o.enabled = false;
    if (o.format == defaultFormat)
      o.format = "packed";
  }
  options = o;
  current = 1 - current;
  return true;
}

bool parseOptions(Options &options, const char *text, const char *more) {
  Message problem;
  if (!parseOptions(options, {text, more}, problem))
    return refuse(problem);
  if (options.help)
    printHelp();
  return true;
}

Text<16> shareText(uint64_t hundredths) {
  Text<16> text;
  if (hundredths == 0)
    return text << "none";
  text << hundredths / 100;
  if (const uint64_t part = hundredths % 100) {
    text << '.';
    text.number(part % 10 ? part : part / 10, 10, part % 10 ? 2 : 1);
  }
  return text << '%';
}

void visitOptions(const Options &options, OptionVisitor visit, void *context) {
  for (const Option &option : options::kOptions) {
    Options &o = const_cast<Options &>(options);
    switch (options::keptAs(option.type)) {
    case options::Kept::Text:
      visit(context, option.name, field<const char *>(o, option), true);
      break;
    case options::Kept::Truth:
      visit(context, option.name, field<bool>(o, option) ? "true" : "false", false);
      break;
    case options::Kept::Number: {
      const uint64_t number = field<uint64_t>(o, option);
      if (option.type == Type::Share)
        visit(context, option.name, shareText(number).c_str(), true);
      else if (option.type == Type::Time)
        visit(context, option.name, (Text<32>() << number << "ns").c_str(), true);
      else
        visit(context, option.name, (Text<32>() << number).c_str(), false);
      break;
    }
    }
  }
}

options::Clock Options::clockChoice() const {
  options::Clock choice;
  options::parseClock(clock, choice);
  return choice;
}

options::Rotation Options::rotation() const {
  options::Rotation choice;
  options::parseRotation(rotate, choice);
  return choice;
}

bool TriggerRules::parse(const char *text) {
  static char storage[16384]; // the globs, NUL-terminated; no longer than ADA_OPTIONS may be
  size_t used = 0;
  TextPiece one;
  const char *problem = options::parseTriggers(text, one, [&](const options::Trigger &t) {
    if (t.kind == TriggerKind::Signal) {
      onSignal = true;
      return;
    }
    char *glob = storage + used;
    if (t.glob.size >= sizeof storage - used)
      return;
    __builtin_memcpy(glob, t.glob.data, t.glob.size);
    glob[t.glob.size] = 0;
    used += t.glob.size + 1;
    rules[count++] = {t.kind, glob, t.limitNs};
  });
  if (problem)
    refuse(Message("option 'trigger' in ADA_OPTIONS: '") << options::shown(one) << "' " << problem << '.');
  return !problem;
}

} // namespace ada::runtime
