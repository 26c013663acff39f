// Calls one of its own functions, one of a shared library and one of a plugin that it opens.
#include <cstdio>
#include <dlfcn.h>

extern "C" int weightOf(const char *thing);

__attribute__((noinline)) static void *openPlugin(const char *path) { return dlopen(path, RTLD_NOW); }

__attribute__((noinline)) static int twice(int n) {
  __asm__ volatile("");
  return 2 * n;
}

int main(int argc, char **argv) {
  void *plugin = argc > 1 ? openPlugin(argv[1]) : nullptr;
  if (!plugin)
    return std::fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no plugin given"), 1;
  auto answer = reinterpret_cast<int (*)(int)>(dlsym(plugin, "pluginAnswer"));
  std::printf("%d %d\n", twice(weightOf("feather")), answer(20));
  dlclose(plugin);
  return 0;
}
