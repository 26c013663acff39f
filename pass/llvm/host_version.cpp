// Refuses to be loaded by a compiler of another LLVM major.
//
// LLVM's own check (LLVM_PLUGIN_API_VERSION) covers the layout of one struct, which 14 to 21 share; a plugin for 14
// passes it in clang 19 and then crashes in the compiler. So the plugin checks by itself, before the first of its
// static constructors calls LLVM.
#include "llvm/Config/llvm-config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// The major version of the LLVM in this process; 0 if it can't be found out.
static unsigned hostMajor() {
  // Exported since 16.
  using GetVersion = void (*)(unsigned *, unsigned *, unsigned *);
  if (auto getVersion = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"))) {
    unsigned major = 0, minor = 0, patch = 0;
    getVersion(&major, &minor, &patch);
    return major;
  }
  // Before that, libLLVM-14.so gives its symbols the version LLVM_14.
  for (unsigned major = 10; major < 16; ++major) {
    char version[16];
    snprintf(version, sizeof version, "LLVM_%u", major);
    if (dlvsym(RTLD_DEFAULT, "LLVMContextCreate", version))
      return major;
  }
  return 0;
}

// 101 is the earliest priority that is not reserved for the implementation. LLVM's option objects have the default
// priority, which is later.
__attribute__((constructor(101))) static void checkHostVersion() {
  unsigned host = hostMajor();
  if (!host || host == LLVM_VERSION_MAJOR)
    return;
  // Continuing would crash in the compiler, and a constructor has no other way to fail.
  fprintf(stderr,
          "error: AdaTrace: this plugin, libAdaTrace-%d.so, is for LLVM %d, and this compiler is LLVM %u. Load "
          "libAdaTrace-%u.so instead, or use clang-%d.\n",
          LLVM_VERSION_MAJOR, LLVM_VERSION_MAJOR, host, host, LLVM_VERSION_MAJOR);
  _exit(1);
}
