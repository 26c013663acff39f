// Finds out whether a program was built with the plugin.
#include "elf_instrumentation.h"

#include "ada/abi.h"
#include "trace/elf/function_table.h"
#include "trace/names.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

namespace ada::cli {

namespace fs = std::filesystem;

uint64_t instrumentedFunctionCount(const ElfFile &file) {
  uint64_t bytes = 0;
  for (const ElfFile::Section &section : file.sections())
    if (section.name == ADA_SECTION_FUNCTIONS)
      bytes += file.contents(section).size();
  return bytes / sizeof(ada_function);
}

uint64_t unreachableFunctionCount(const ElfFile &file) {
  const std::optional<uint64_t> start = file.symbol("__start_" ADA_SECTION_FUNCTIONS);
  uint64_t bytes = 0, reachable = 0;
  for (const ElfFile::Section &section : file.sections())
    if (!file.isObject() && section.name == ADA_SECTION_FUNCTIONS) {
      const uint64_t size = file.contents(section).size();
      bytes += size;
      if (start ? section.address == *start : size > reachable)
        reachable = size;
    }
  return (bytes - reachable) / sizeof(ada_function);
}

std::vector<InstrumentedFunction> instrumentedFunctions(const ElfFile &file) {
  std::vector<InstrumentedFunction> functions;
  for (const FunctionTable &table : FunctionTable::of(file))
    for (uint64_t i = 0; i < table.size(); ++i) {
      const ada_function entry = table.at(i);
      const auto text = [&](int32_t offset) {
        const TextPiece found = table.text(i, offset);
        return std::string(found.data ? found.data : "", found.size);
      };
      InstrumentedFunction function{text(entry.name_off), text(entry.pretty_off), text(entry.file_off), entry.line};
      if (function.name.empty())
        continue;
      if (function.pretty.empty())
        function.pretty = function.name;
      functions.push_back(std::move(function));
    }
  return functions;
}

// Opens a file that a trace names, if it is still what the trace says.
static bool openSame(const std::string &path, const std::string &buildId, ElfFile &file) {
  std::string problem;
  return path.starts_with('/') && !buildId.empty() && ElfFile::open(path, file, problem) == ElfFile::Status::Ok &&
         file.buildId() == buildId;
}

bool addSourceFiles(const std::string &path, const std::string &buildId, std::set<std::string, std::less<>> &files) {
  ElfFile file;
  if (!openSame(path, buildId, file))
    return false;
  bool hasNames = false;
  for (InstrumentedFunction &function : instrumentedFunctions(file))
    if (!function.file.empty())
      hasNames = true, files.insert(std::move(function.file));
  return hasNames;
}

std::vector<LeftOutFunction> leftOutFunctions(const std::string &path, const std::string &buildId) {
  ElfFile file;
  return openSame(path, buildId, file) ? leftOutFunctions(file) : std::vector<LeftOutFunction>();
}

std::vector<LeftOutFunction> leftOutFunctions(const ElfFile &file) {
  if (std::ranges::find(file.sections(), std::string_view(ADA_SECTION_LEFT_OUT), &ElfFile::Section::name) ==
      file.sections().end())
    return {};
  std::set<std::string, std::less<>> known; // a linker that loads the plugin may have given hooks to some
  for (const InstrumentedFunction &function : instrumentedFunctions(file))
    known.insert(function.name);
  std::vector<LeftOutFunction> functions;
  for (const ElfFile::Section &section : file.sections()) {
    if (section.name != ADA_SECTION_LEFT_OUT)
      continue;
    std::string_view bytes = file.contents(section);
    const auto next = [&] {
      const std::string text(bytes.substr(0, bytes.find('\0')));
      bytes.remove_prefix(std::min(bytes.size(), text.size() + 1));
      return text;
    };
    while (!bytes.empty()) {
      std::string name = next(), reason = next();
      if (!name.empty() && !known.contains(name + ".resume") && known.insert(name).second)
        functions.push_back({name, demangle(name), std::move(reason)});
    }
  }
  return functions;
}

std::optional<uint32_t> abiVersion(const ElfFile &file) {
  if (file.isObject())
    return std::nullopt;
  const std::optional<uint64_t> address = file.symbol("__ada_image");
  if (!address)
    return std::nullopt;
  const std::string_view bytes = file.bytesAt(*address, sizeof(uint32_t));
  if (bytes.empty())
    return std::nullopt;
  uint32_t version = 0;
  std::memcpy(&version, bytes.data(), sizeof version);
  return version;
}

std::string neededLibrary(const std::string &name, const std::string &user, std::string runPath) {
  std::error_code error;
  if (name.find('/') != std::string::npos)
    return fs::exists(name, error) ? name : "";
  const std::string origin = fs::absolute(fs::path(user), error).parent_path().string();
  for (const char *variable : {"${ORIGIN}", "$ORIGIN"})
    for (size_t at; (at = runPath.find(variable)) != std::string::npos;)
      runPath.replace(at, std::strlen(variable), origin);
  const char *environment = std::getenv("LD_LIBRARY_PATH");
  const std::string paths = runPath + ":" + (environment ? environment : "") +
                            ":/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:/usr/lib/"
                            "aarch64-linux-gnu:/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib";
  for (size_t at = 0; at < paths.size();) {
    const size_t end = std::min(paths.find(':', at), paths.size());
    if (end > at) {
      const std::string candidate = paths.substr(at, end - at) + "/" + name;
      if (fs::is_regular_file(candidate, error))
        return candidate;
    }
    at = end + 1;
  }
  return {};
}

namespace {

// Follows DT_NEEDED.
class Closure {
public:
  Instrumentation visit(const std::string &path) {
    ElfFile file;
    std::string problem;
    const ElfFile::Status status = ElfFile::open(path, file, problem);
    if (status != ElfFile::Status::Ok)
      return Instrumentation::Unknown;
    if (instrumentedFunctionCount(file) > 0)
      return Instrumentation::Yes;
    Instrumentation result = file.hasSections() ? Instrumentation::No : Instrumentation::Unknown;
    for (const std::string &name : file.needed()) {
      if (!seen_.insert(name).second)
        continue;
      const std::string library = neededLibrary(name, path, file.runPath());
      // The system's libraries are not instrumented, wherever they are. But a library that is not found could be one
      // that the program brings along.
      const Instrumentation of = library.empty() ? Instrumentation::Unknown : visit(library);
      if (of == Instrumentation::Yes)
        return of;
      if (of == Instrumentation::Unknown)
        result = of;
    }
    return result;
  }

private:
  std::set<std::string> seen_;
};

} // namespace

Instrumentation instrumentationOf(const std::string &program) { return Closure().visit(program); }

bool startsOtherPrograms(const std::string &program) {
  std::string name = fs::path(program).filename().string();
  // "python3.11" and "clang-19" become "python" and "clang".
  while (!name.empty() &&
         (std::isdigit(static_cast<unsigned char>(name.back())) || name.back() == '.' || name.back() == '-'))
    name.pop_back();
  static constexpr std::string_view kNames[] = {
      "ash",      "bash",         "busybox",     "chrt",        "cmake",   "ctest",   "dash",    "dotnet",   "env",
      "fish",     "gdb",          "guile",       "java",        "ksh",     "lit",     "lldb",    "lua",      "luajit",
      "make",     "mpirun",       "ninja",       "nice",        "node",    "nohup",   "numactl", "parallel", "perl",
      "php",      "python",       "qemu-x86_64", "Rscript",     "ruby",    "setarch", "setsid",  "sh",       "stdbuf",
      "strace",   "su",           "sudo",        "systemd-run", "taskset", "tclsh",   "time",    "timeout",  "unshare",
      "valgrind", "valgrind.bin", "watch",       "wish",        "xargs",   "zsh"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

} // namespace ada::cli
