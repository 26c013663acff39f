// The grammar of option `trigger`, which says what opens a window of detail.
//
//   triggers = { one | ';' }
//   one      = "call:" GLOB | "slow:" GLOB '>' duration | "exception:" GLOB | "signal"
//
// The limit of `slow` begins at the last '>': names may hold others.
#pragma once

#include "numbers.h"
#include "shared/select/glob.h"

namespace ada::options {

// Api and Outside are triggers as well, but this option can't name them.
enum class TriggerKind : uint8_t { Call, Slow, Exception, Signal, Api, Outside };

// Their names in manifests.
inline constexpr const char *kTriggerKinds[] = {"call", "slow", "exception", "signal", "api", "outside"};

// The kinds with a glob. At most 8 of these, so that one byte per function says which of them match it.
inline constexpr TriggerKind kGlobTriggers[] = {TriggerKind::Call, TriggerKind::Slow, TriggerKind::Exception};
inline constexpr unsigned kMaxGlobTriggers = 8;

struct Trigger {
  TriggerKind kind;
  TextPiece glob;   // empty for Signal
  uint64_t limitNs; // Slow: calls that last longer
};

// Whether an unquoted value that continues with a colon ends with the kind of a trigger.
inline bool endsWithTriggerKind(TextPiece value) {
  for (TriggerKind kind : kGlobTriggers) {
    const TextPiece name = kTriggerKinds[static_cast<int>(kind)];
    if (value.endsWith(name) && (value.size == name.size || value[value.size - name.size - 1] == ';'))
      return true;
  }
  return false;
}

// Takes the next trigger off `text`. False if there is none.
inline bool takeTrigger(TextPiece &text, TextPiece &one) {
  while (!text.empty() && text[0] == ';')
    text = text.from(1);
  size_t n = 0;
  while (n < text.size && text[n] != ';')
    ++n;
  one = text.first(n);
  text = text.from(n);
  return n > 0;
}

// What is wrong with one trigger, as the end of a sentence that begins with it; null if nothing is.
inline const char *parseTrigger(TextPiece one, Trigger &t) {
  t = {};
  if (one == "signal") {
    t.kind = TriggerKind::Signal;
    return nullptr;
  }
  for (TriggerKind kind : kGlobTriggers) {
    const TextPiece name = kTriggerKinds[static_cast<int>(kind)];
    if (!one.startsWith(name) || one.size == name.size || one[name.size] != ':')
      continue;
    t.kind = kind;
    t.glob = one.from(name.size + 1);
    if (kind == TriggerKind::Slow) {
      size_t limit = t.glob.size;
      while (limit > 0 && t.glob[limit - 1] != '>')
        --limit;
      if (limit == 0 || !parseDuration(t.glob.from(limit), t.limitNs))
        return "has no limit: write slow:GLOB>5ms (ns, us, ms or s)";
      t.glob = t.glob.first(limit - 1);
    }
    TextPiece wrong;
    return t.glob.empty() ? "has no glob" : select::faultOf(t.glob, &wrong);
  }
  return "is not one of call:GLOB, slow:GLOB>5ms, exception:GLOB, signal";
}

// Calls `use(const Trigger &)` for each trigger. If one is wrong, returns what is wrong,
// and in `one` which it is; otherwise null.
template <class Use> inline const char *parseTriggers(TextPiece text, TextPiece &one, Use &&use) {
  unsigned rules = 0;
  while (takeTrigger(text, one)) {
    Trigger t;
    if (const char *problem = parseTrigger(one, t))
      return problem;
    if (!t.glob.empty() && ++rules > kMaxGlobTriggers)
      return "is one trigger too many: 8 is the limit";
    use(t);
  }
  return nullptr;
}

} // namespace ada::options
