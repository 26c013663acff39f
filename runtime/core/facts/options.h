// The run-time options, as shared/options/options.inc lists them.
#pragma once

#include "core/base/text.h"
#include "shared/options/options.h"
#include "shared/ring/ring_file.h"

namespace ada::runtime {

// Texts point into memory that lives as long as the process. Choices are kept as text; the members below interpret
// them.
struct Options {
#define ADA_OPTION(type, name, value, meta, text) options::KeptValue<options::keptAs(options::Type::type)>::Type name;
#include "shared/options/options.inc"

  bool overflowDrops() const { return overflow[0] == 'd'; }
  // As in ada_ring_header.
  uint32_t ringFormat() const {
    return format[0] == 'p' || isBounded() || rotates() ? ADA_FORMAT_PACKED : format[0] == '1' ? 1 : 2;
  }
  bool isBounded() const { return max_size > 0 || max_time > 0 || isFlight(); }
  bool isFlight() const { return flight > 0; }
  bool rotates() const { return rotate[0] != 'n'; }
  options::Rotation rotation() const;
  options::Clock clockChoice() const;
};

// Texts in the form of ADA_OPTIONS, of which later ones count more. Each may be null.
struct OptionTexts {
  const char *first = nullptr, *second = nullptr, *third = nullptr;
};
// Sets `options` to the defaults as changed by the texts. Returns false with a line in `problem` if one is wrong; then
// what earlier options point to stays valid.
bool parseOptions(Options &options, const OptionTexts &texts, Text<1024> &problem);
// The same; prints that line on standard error, and with help=1 the list.
bool parseOptions(Options &options, const char *text, const char *more = nullptr);

using options::TriggerKind;

// A trigger of option `trigger` that has a glob.
struct TriggerRule {
  TriggerKind kind;
  const char *glob;
  uint64_t limitNs; // Slow: for calls that last longer
};

// The option, parsed.
struct TriggerRules {
  TriggerRule rules[options::kMaxGlobTriggers] = {};
  unsigned count = 0;
  bool onSignal = false;

  // Prints one message and returns false if `text` is not a list of triggers. Called once per process: the globs stay.
  bool parse(const char *text);
  bool any() const { return count > 0; }
};

// Text for the value of a Share.
Text<16> shareText(uint64_t hundredths);

// Options as text, for the manifest: calls `visit(context, name, value, isText)` for each.
using OptionVisitor = void (*)(void *context, const char *name, const char *value, bool isText);
void visitOptions(const Options &options, OptionVisitor visit, void *context);

} // namespace ada::runtime
