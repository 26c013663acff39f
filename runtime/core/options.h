// options.h - the run-time options, as include/ada/options.inc lists them.
#ifndef ADA_RUNTIME_CORE_OPTIONS_H
#define ADA_RUNTIME_CORE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

namespace ada {

// Texts point into memory that lives as long as the process. Choices are kept as text; the
// members below say what they mean.
struct Options {
#define ADA_STRING const char *
#define ADA_CHOICE const char *
#define ADA_BOOL bool
#define ADA_SIZE uint64_t
#define ADA_OPTION(type, name, value, meta, text) type name;
#include <ada/options.inc>
#undef ADA_OPTION
#undef ADA_STRING
#undef ADA_CHOICE
#undef ADA_BOOL
#undef ADA_SIZE

  bool overflowDrops() const { return overflow[0] == 'd'; }
  uint32_t formatVersion() const { return format[0] == '1' ? 1 : 2; }
};

// Sets `options` to the defaults as changed by `text` (may be null). On a wrong option says so in one line on standard error
// and returns false. help=1 prints the list.
bool parseOptions(Options &options, const char *text);

// One option as text, for the manifest: calls `visit(context, name, value, isText)` for each.
using OptionVisitor = void (*)(void *context, const char *name, const char *value, bool isText);
void visitOptions(const Options &options, OptionVisitor visit, void *context);

} // namespace ada
#endif
