// A program: which of its objects are instrumented, whether they find the runtime, and what a trace will lack.
#include "checks.h"

#include "elf/elf_instrumentation.h"

#include "ada/abi.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRuntime = "libAdaRuntime.so";

bool hasSection(const ElfFile &file, std::string_view name) {
  return std::ranges::any_of(file.sections(), [&](const ElfFile::Section &section) { return section.name == name; });
}

// The program and the libraries that it needs.
class Objects {
public:
  explicit Objects(Findings &findings) : findings_(findings) {}

  void visit(const std::string &path, const ElfFile &file, bool isProgram) {
    const uint64_t functions = instrumentedFunctionCount(file);
    if (functions > 0) {
      tellInstrumented(path, file, functions);
      tellUnreachable(path, file, functions);
    } else if (!file.hasSections())
      findings_.note("object",
                     fmt::format("{}: unknown whether it is instrumented; its section table was stripped", path),
                     "don't strip section headers (strip without --strip-section-headers)");
    else if (file.symbol("__ada_image"))
      findings_.problem("object",
                        fmt::format("{}: objects in it are instrumented, but it has no table of functions", path),
                        "unless the linker dropped all of them (--gc-sections), link without the linker script that "
                        "moves the section " ADA_SECTION_FUNCTIONS);
    else if (isProgram)
      findings_.note("object", fmt::format("{} is not instrumented", path), "compile it with ada-clang");
    else
      ++plain_;
    for (const LeftOutFunction &function : leftOutFunctions(file))
      findings_.note("left out",
                     fmt::format("{}: {} is not traced: {}", path, oneLine(function.pretty), oneLine(function.reason)));
    hasUnknown_ |= !file.hasSections();
    hasRuntimeInside_ |= file.symbol("__ada_enter").value_or(0) != 0;
    for (const std::string &name : file.needed()) {
      if (!seen_.insert(name).second)
        continue;
      const std::string library = neededLibrary(name, path, file.runPath());
      if (name.starts_with(kRuntime))
        tellRuntime(name, path, library);
      else if (library.empty())
        findings_.note("object", fmt::format("{} needs {}, which was not found", path, name),
                       "set LD_LIBRARY_PATH, or link with -Wl,-rpath,DIR");
      else if (ElfFile needed; ElfFile::open(library, needed, problem_) == ElfFile::Status::Ok)
        visit(library, needed, false);
    }
  }
  void finish(const ElfFile &program) {
    if (plain_ > 0)
      findings_.ok("object", plain_ == 1 ? "one library that it is linked with is not instrumented"
                                         : fmt::format("{} libraries that it is linked with are not instrumented",
                                                       formatCount(plain_)));
    if (instrumented_ == 0 && !hasUnknown_)
      findings_.problem(
          "instrumented", "neither the program nor a library that it is linked with",
          "compile it with ada-clang, or with the options that `adatrace flags` prints; libraries that it "
          "loads later may be instrumented");
    else if (instrumented_ > 0)
      findings_.ok("instrumented",
                   fmt::format("{} in {}", formatCount(functions_, "function"), formatCount(instrumented_, "object")));
    if (instrumented_ == 0 || hasRuntime_)
      return;
    if (hasRuntimeInside_)
      findings_.ok("runtime", "linked into the program");
    else if (!program.symbol("main"))
      findings_.note("runtime", "none is loaded; whether one is linked into the program is unknown, because it has no "
                                "symbol table");
    else
      findings_.problem("runtime", "none is linked", "link with ada-clang, or with `adatrace flags --link`");
  }
  bool isInstrumented() const { return instrumented_ > 0; }

private:
  void tellInstrumented(const std::string &path, const ElfFile &file, uint64_t functions) {
    ++instrumented_, functions_ += functions;
    const std::string text = fmt::format("{}: {}", path, formatCount(functions, "function"));
    const std::optional<uint32_t> version = abiVersion(file);
    if (!version)
      findings_.ok("object", text + "; ABI unknown, because it has no symbol table");
    else if (*version == ADA_ABI_VERSION)
      findings_.ok("object", fmt::format("{}, ABI {}", text, *version));
    else
      findings_.problem("object",
                        fmt::format("{}, ABI {}, but this AdaTrace has {}: its runtime will not record the object",
                                    text, *version, ADA_ABI_VERSION),
                        "compile it again with the plugin of this version");
  }
  void tellUnreachable(const std::string &path, const ElfFile &file, uint64_t functions) {
    if (const uint64_t missing = unreachableFunctionCount(file))
      findings_.problem("object",
                        fmt::format("{}: {} of {} will not be recorded: the linker keeps their entries apart", path,
                                    formatCount(missing), formatCount(functions, "function")),
                        "compile all objects with this AdaTrace, or use another linker than mold");
  }
  void tellRuntime(const std::string &name, const std::string &user, const std::string &path) {
    hasRuntime_ = true;
    const std::string fitting = fmt::format("{}.{}", kRuntime, ADA_ABI_VERSION);
    if (path.empty())
      findings_.problem("runtime", fmt::format("{} needs {}, which was not found", user, name),
                        "link with ada-clang, which adds its place (-Wl,-rpath), or set LD_LIBRARY_PATH");
    else if (name != kRuntime && name != fitting)
      findings_.problem("runtime", fmt::format("{} needs {}, but this AdaTrace has {}", user, name, fitting),
                        "build the program again");
    else
      findings_.ok("runtime", path);
  }

  Findings &findings_;
  std::set<std::string> seen_;
  std::string problem_;
  uint64_t plain_ = 0, instrumented_ = 0, functions_ = 0;
  bool hasRuntime_ = false, hasRuntimeInside_ = false, hasUnknown_ = false;
};

// The runtime uses functions that only glibc has.
void checkLibc(const ElfFile &file, Findings &findings) {
  const std::string interpreter = file.interpreter();
  if (interpreter.find("ld-musl") != std::string::npos)
    findings.problem("libc", fmt::format("it is started by {}, but the runtime needs glibc", interpreter),
                     "build it for a system with glibc (docs/reference/pass.md, Targets)");
  else if (!interpreter.empty() &&
           std::ranges::none_of(file.needed(), [](const std::string &name) { return name.starts_with("libc.so"); }))
    findings.ok("libc", "none is linked; the runtime brings glibc along. If the program ends by a system call, "
                        "`adatrace recover SESSION` completes the trace");
}

void checkContents(const std::string &path, const ElfFile &file, Findings &findings) {
  if (!file.hasSections())
    return;
  if (hasSection(file, ".eh_frame"))
    findings.ok("unwinding", "there are unwind tables");
  else
    findings.note("unwinding",
                  "there are no unwind tables, so exceptions can't pass through it, and crash reports of "
                  "other tools end there",
                  "compile with -fasynchronous-unwind-tables");
  if (hasSection(file, ".debug_info"))
    findings.ok("debugging", "there is debug information, so arguments that are recorded have names and types");
  else
    findings.note("debugging",
                  "there is no debug information; if it was compiled without it, recorded arguments have "
                  "no names and types",
                  "compile with -g; it may be stripped afterwards");
  findings.ok("symbols", hasSection(file, ".symtab")
                             ? "there is a symbol table"
                             : "stripped; traces have the names of instrumented functions anyway");
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) != 0)
    findings.problem("rights", "it is set-uid or set-gid: it ignores ADA_OPTIONS and records nothing",
                     "run a copy without these bits, as the user that it is to run as");
  else if (access(path.c_str(), X_OK) != 0 && file.kind() == "executable")
    findings.problem("rights", "it can't be executed by this user", "chmod +x");
}

} // namespace

bool checkProgram(const std::string &path, Findings &findings) {
  ElfFile file;
  std::string problem;
  switch (ElfFile::open(path, file, problem)) {
  case ElfFile::Status::CantRead:
    findings.problem("program", fmt::format("{}: {}", path, problem));
    return false;
  case ElfFile::Status::Broken:
    findings.problem("program", fmt::format("{}: {}", path, problem.empty() ? "a damaged ELF file" : problem));
    return false;
  case ElfFile::Status::NotElf:
    findings.note("program",
                  fmt::format("{} is not an ELF file: a script is recorded if the programs that it starts are "
                              "instrumented",
                              path),
                  "check those");
    return true;
  case ElfFile::Status::Ok:
    break;
  }
  if (file.isObject()) {
    const uint64_t functions = instrumentedFunctionCount(file);
    if (functions > 0)
      findings.ok("instrumented", fmt::format("{}: an object file with {}", path, formatCount(functions, "function")));
    else
      findings.problem("instrumented", fmt::format("{}: an object file without instrumented functions", path),
                       "compile it with ada-clang");
    return true;
  }
  findings.ok("program", fmt::format("{}: {} for {}", path, file.kind(), file.machine()));
  if (startsOtherPrograms(path))
    findings.note("program", "it starts or loads other programs, which may be instrumented if it is not");
  Objects objects(findings);
  objects.visit(path, file, true);
  objects.finish(file);
  if (objects.isInstrumented()) {
    checkLibc(file, findings);
    checkContents(path, file, findings);
  }
  return true;
}

} // namespace ada::cli
