// Reads prefix maps from the command line of the process, which is clang's driver or the compiler that it started.
#include "prefix_maps.h"
#include "llvm_compat.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

#include <utility>
#include <vector>

using namespace llvm;

namespace ada::pass {

namespace {

class PrefixMaps {
public:
  PrefixMaps() {
    // Its size is not known before it is read.
    auto line = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
    if (!line)
      return;
    BumpPtrAllocator memory;
    StringSaver words(memory);
    SmallVector<const char *, 64> arguments;
    for (StringRef rest = (*line)->getBuffer(); !rest.empty();) {
      const StringRef word = rest.take_until([](char c) { return c == 0; });
      arguments.push_back(words.save(word).data());
      rest = rest.drop_front(std::min(rest.size(), word.size() + 1));
    }
    cl::ExpandResponseFiles(words, cl::TokenizeGNUCommandLine, arguments);
    for (size_t i = 1; i < arguments.size(); ++i)
      take(arguments[i], i + 1 < arguments.size() ? arguments[i + 1] : "");
  }

  std::string apply(StringRef path) const {
    for (const auto *maps : {&ofFiles_, &others_})
      for (auto map = maps->rbegin(); map != maps->rend(); ++map)
        if (compat::startsWith(path, map->first))
          return withoutDots(map->second + path.drop_front(map->first.size()).str());
    // A compilation directory stands for the folder in which the compiler runs.
    SmallString<256> folder;
    if (directory_.empty() || sys::fs::current_path(folder) || !compat::startsWith(path, folder.str()) ||
        path.substr(folder.size(), 1) != "/")
      return path.str();
    return withoutDots(directory_ + path.drop_front(folder.size()).str());
  }

private:
  using Map = std::pair<std::string, std::string>;

  void take(StringRef option, StringRef next) {
    const auto takes = [&option](StringRef name) { return option.consume_front(name); };
    if (takes("-ffile-prefix-map=") || takes("-fdebug-prefix-map="))
      ofFiles_.push_back(mapOf(option));
    else if (takes("-fmacro-prefix-map=") || takes("-fcoverage-prefix-map="))
      others_.push_back(mapOf(option));
    else if (takes("-ffile-compilation-dir=") || takes("-fdebug-compilation-dir=") ||
             takes("-fcoverage-compilation-dir="))
      directory_ = option.str();
    else if (option == "-fdebug-compilation-dir")
      directory_ = next.str();
  }
  static Map mapOf(StringRef text) {
    const auto parts = text.split('=');
    return {parts.first.str(), parts.second.str()};
  }
  static std::string withoutDots(StringRef path) {
    SmallString<256> result(path);
    sys::path::remove_dots(result, /*remove_dot_dot=*/true);
    return std::string(result);
  }

  std::vector<Map> ofFiles_, others_;
  std::string directory_;
};

} // namespace

std::string mappedPath(const std::string &path) {
  static const PrefixMaps maps;
  return sys::path::is_absolute(path) ? maps.apply(path) : path;
}

} // namespace ada::pass
