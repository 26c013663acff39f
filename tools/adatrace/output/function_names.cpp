// Options for how names, files and lines of functions are shown.
#include "function_names.h"

#include "options/command_line.h"

namespace ada::cli {

void declareNames(CommandLine &line, NameOptions &options) {
  const CommandLine::Section output(line, heading::kOutput);
  line.choice("--names", options.style,
              {{"short", NameStyle::Short}, {"full", NameStyle::Full}, {"mangled", NameStyle::Mangled}},
              "short (parameters and template arguments folded), full (demangled) or mangled (as in the object file) "
              "[short]")
      .type("STYLE");
  line.flag("--source", options.source, "Print file and line of each function");
}

} // namespace ada::cli
