// A shared library that is loaded when it is needed.
#pragma once

#include <dlfcn.h>

#include <string>

namespace ada {

/// It stays loaded until the process ends.
class LoadedLibrary {
public:
  /// `name` is that of a file, like "libedit.so.2", which is looked for where all libraries are.
  explicit LoadedLibrary(const char *name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_)
      fail();
  }

  /// Sets `symbol` to the function or variable of that name, or to nullptr if there is none.
  template <class Symbol> void find(Symbol *&symbol, const char *name) {
    symbol = handle_ ? reinterpret_cast<Symbol *>(dlsym(handle_, name)) : nullptr;
    if (!symbol && problem_.empty())
      fail();
  }

  /// Why the library can't be used: it can't be loaded, or something was not found. Empty if it can.
  const std::string &problem() const { return problem_; }

private:
  void fail() {
    const char *why = dlerror();
    problem_ = why ? why : "unknown";
  }

  void *handle_;
  std::string problem_;
};

} // namespace ada
