// What the compiler sees of the plugin: its version, and where its options are.
//
//     gcc -fplugin=AdaTraceGcc12.so -fplugin-arg-AdaTraceGcc12-exclude='log*' …
//
// Options have the names of LLVM's plugin without "ada-". GCC finds the name of a plugin in an option up to the first
// '-', so the file that is named to it has none. A plugin belongs to one GCC: the layout of everything in its headers
// may change with each version.
#include "gcc_headers.h"
#include "instrument.h"
#include "target.h"

#include <plugin-version.h>

#include <fcntl.h>
#include <unistd.h>

// The preprocessor; only compilers of C and its relatives have one.
// NOLINTBEGIN(readability-identifier-naming)
struct cpp_reader;
extern __attribute__((weak)) cpp_reader *parse_in;
__attribute__((weak)) int cpp_defined(cpp_reader *, const unsigned char *, int);
// NOLINTEND(readability-identifier-naming)

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace {

bool isDefined(const char *macro) {
  return cpp_defined(parse_in, reinterpret_cast<const unsigned char *>(macro), static_cast<int>(strlen(macro)));
}

/// <features.h> of glibc and of musl define the same macro, and glibc's another one.
void warnOfOtherLibc(void *, void *) {
  if (&parse_in && parse_in && cpp_defined && isDefined("_FEATURES_H") && !isDefined("__GLIBC__"))
    warning_at(UNKNOWN_LOCATION, 0,
               "AdaTrace: the runtime needs glibc: this will not link or not start with another C library "
               "(docs/reference/pass.md, Targets)");
}

} // namespace

// If standard error is closed, the compiler's output would get its number, and with it all messages. clang prevents
// that by itself.
static void reserveStandardFiles() {
  while (fcntl(STDERR_FILENO, F_GETFD) < 0)
    if (open("/dev/null", O_RDWR) < 0) // the lowest free number
      return;
}

__attribute__((visibility("default"))) int plugin_init(plugin_name_args *plugin, plugin_gcc_version *host) {
  reserveStandardFiles();
  if (strcmp(host->basever, gcc_version.basever) != 0) {
    error("AdaTrace: this plugin, %s, is for GCC %s, and this compiler is GCC %s", plugin->full_name,
          gcc_version.basever, host->basever);
    return 1;
  }
  ada::pass::PassOptions options;
  std::string wrong = ada::pass::readEnvironment(options, "'ada-gcc --ada-help'");
  for (int i = 0; i < plugin->argc && wrong.empty(); ++i) {
    const plugin_argument &argument = plugin->argv[i];
    wrong = ada::pass::setOption(options, argument.key, argument.value ? argument.value : "");
    if (!wrong.empty())
      wrong = std::string("'-fplugin-arg-") + plugin->base_name + "-" + argument.key +
              (argument.value ? std::string("=") + argument.value : "") + "' " + wrong;
  }
  if (!wrong.empty()) {
    error("AdaTrace: %s", wrong.c_str());
    return 1;
  }
  if (const char *reason = ada::pass::target::whyNoHooks()) {
    warning(0, "AdaTrace: nothing is traced: %s", reason);
    return 0;
  }
  if (startswith(lang_hooks.name, "GNU Go")) {
    warning(0, "AdaTrace: nothing is traced: goroutines change stacks in a way that is not followed");
    return 0;
  }
  const auto warnOf = [](bool isGiven, const char *name) {
    if (isGiven)
      warning(0, "AdaTrace: the plugin for GCC does not have %qs yet", name);
  };
  warnOf(options.beforeInlining, "before-inlining");
  ada::pass::setUpInstrumentation(plugin->base_name, options);
  register_callback(plugin->base_name, PLUGIN_FINISH_UNIT, warnOfOtherLibc, nullptr);
  return 0;
}
