// Reads source files that a trace names, if they may be read.
#include "formats/convert/source_files.h"

#include "ada/trace/manifest.h"
#include "formats/native/directories.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/safe_file.h"
#include "trace/base/secrets.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace ada::formats {

namespace fs = std::filesystem;

namespace {

constexpr char kSources[] = "sources"; // in a session

// Languages that are compiled. Settings and data, which other languages keep in files of their own, are not sources.
constexpr std::string_view kExtensions[] = {
    "ada", "adb", "ads", "asm", "c",   "c++",   "cc",  "cl",  "cp",  "cpp", "cppm", "cr", "cu",  "cuh",  "cxx", "d",
    "def", "di",  "f",   "f03", "f08", "f77",   "f90", "f95", "for", "fpp", "ftn",  "go", "h",   "h++",  "hh",  "hpp",
    "hs",  "hxx", "inc", "inl", "ipp", "ixx",   "l",   "ll",  "lpp", "m",   "ml",   "mm", "nim", "odin", "pas", "pp",
    "pyx", "re",  "rl",  "rs",  "s",   "swift", "tcc", "tpp", "txx", "v",   "vala", "y",  "ypp", "yy",   "zig"};

// Hidden directories in which package managers and build tools keep sources, and nothing that is secret.
constexpr std::string_view kPackageDirectories[] = {"/.cargo/registry/src/", "/.cargo/git/checkouts/",
                                                    "/.rustup/toolchains/",  "/.cache/bazel/",
                                                    "/.conan/data/",         "/.conan2/p/"};

// Sources and headers that every user of a machine may read.
constexpr const char *kPublicDirectories[] = {"/usr/include", "/usr/local/include", "/usr/lib", "/usr/local/lib",
                                              "/usr/src"};

// Or is the directory itself.
bool isBelow(const fs::path &path, const fs::path &directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

// A part of the path after `root` begins with a dot.
bool isHidden(const fs::path &path, const fs::path &root) {
  std::string rest = "/" + path.lexically_relative(root).string();
  for (const std::string_view packages : kPackageDirectories)
    if (const size_t at = rest.find(packages); at != rest.npos)
      rest.erase(at, packages.size() - 1);
  return rest.find("/.") != rest.npos && rest != "/.";
}

// The kernel's own files: reading them may do something.
bool isSystemFile(const fs::path &path) {
  return isBelow(path, "/proc") || isBelow(path, "/sys") || isBelow(path, "/dev");
}

Error refused(const char *why) { return {.code = "E_REFUSED", .message = why}; }

constexpr char kNotSource[] = "its name is not that of a source file";
constexpr char kHidden[] = "it lies in a hidden directory";
constexpr char kNotPublic[] = "not every user may read it";
constexpr char kNoText[] = "the file is not a text";
constexpr char kNotNamed[] = "the traced program, which is on this machine, has no such source file";
constexpr char kOutside[] =
    "it lies elsewhere than the sources that may be read; --source-root=DIR adds those below DIR";

Expected<SourceText> checked(Expected<SourceText> source) {
  if (source && source->text.find('\0') != source->text.npos)
    return refused(kNoText);
  return source;
}

Error tooLarge() { return {.code = "E_TOO_LARGE", .message = "the file is larger than 16 MiB"}; }

Expected<SourceText> readText(const std::string &path) {
  struct stat info;
  std::string text = ADA_TRY(readWithoutLinks(path, SourceFiles::kMaxBytes + 1, &info));
  if (text.size() > SourceFiles::kMaxBytes)
    return tooLarge();
  return SourceText{std::move(text), info.st_mtim.tv_sec};
}

} // namespace

std::string placeOfSource(const std::string &file) {
  const fs::path path = fs::path(file).lexically_normal();
  std::string place = kSources;
  if (!path.is_absolute())
    place += "/_relative";
  for (const fs::path &part : path.relative_path())
    if (!part.empty())
      place += "/" + (part == ".." ? std::string("_up") : part.string());
  return place;
}

bool isPackedSource(std::string_view name) {
  const std::string directory = kSources + std::string("/");
  return name.starts_with(directory) || name.find("/" + directory) != name.npos;
}

SourceFiles::SourceFiles(std::string trace, Rule rule) : trace_(std::move(trace)), rule_(std::move(rule)) {
  std::error_code error;
  workingDirectory_ = fs::current_path(error);
  const auto environment = [](const char *name) {
    const char *value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  for (const std::string &root : rule_.roots)
    addRoot(workingDirectory_ / root);
  if (workingDirectory_ != "/" && workingDirectory_ != fs::weakly_canonical(environment("HOME"), error)) {
    // The shell's name may go through a link, and so may the names that a compiler has made of it.
    if (const fs::path shell = environment("PWD"); shell.is_absolute() && fs::equivalent(shell, ".", error))
      addRoot(shell);
    addRoot(workingDirectory_);
  }
  for (const char *directory : kPublicDirectories)
    addRoot(directory, true);
}

void SourceFiles::addRoot(const Path &path, bool isPublic) {
  std::error_code error;
  Path named = path.lexically_normal();
  if (!named.has_filename())
    named = named.parent_path();
  if (Path real = fs::canonical(named, error); !error)
    roots_.push_back({std::move(named), std::move(real), isPublic});
}

Expected<SourceText> SourceFiles::read(const std::string &file) {
  constexpr size_t kMaxName = 4096; // no system call takes a longer path
  const auto isControl = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (file.empty() || file.size() > kMaxName || std::ranges::any_of(file, isControl))
    return refused("its name is not that of a file");
  if (auto packed = readPacked(file))
    return checked(*std::move(packed));
  std::optional<Error> problem;
  const auto places = ADA_TRY(candidates(file));
  for (const Candidate &candidate : places) {
    auto text = readCandidate(candidate);
    if (text)
      return text;
    if (!problem || problem->code == "E_IO")
      problem = text.error();
  }
  return *std::move(problem);
}

std::optional<Expected<SourceText>> SourceFiles::readPacked(const std::string &file) const {
  const std::string place = placeOfSource(file);
  std::string directory = trace_;
  for (;;) {
    const FileKind kind = fileKind(directory);
    if (kind == FileKind::None)
      return std::nullopt;
    if (kind == FileKind::Directory && fileKind(directory + "/" + place) == FileKind::File) {
      // A session that is a directory may have a link there.
      if (std::error_code error; fs::is_directory(directory, error))
        return readText(fs::canonical(directory, error).string() + "/" + place);
      const auto bytes = FileBytes::open(directory + "/" + place);
      if (!bytes)
        return Expected<SourceText>(bytes.error());
      if (bytes->bytes().size() > kMaxBytes)
        return Expected<SourceText>(tooLarge());
      return SourceText{{reinterpret_cast<const char *>(bytes->bytes().data()), bytes->bytes().size()}, 0};
    }
    const std::string_view name = atf::baseName(directory);
    if (kind == FileKind::Directory && !atf::threadNumber(name) && !atf::processNumber(name))
      return std::nullopt;
    directory = atf::parentPath(directory);
  }
}

// Only names are looked at here: to look for a file that is not allowed may already mount something.
Expected<std::vector<SourceFiles::Candidate>> SourceFiles::candidates(const std::string &file) {
  if (!isSource(file, true))
    return refused(kNotSource);
  const std::optional<bool> isNamed = isNamedByProgram(file);
  if (isNamed == false)
    return refused(kNotNamed);
  std::vector<Candidate> found;
  const auto add = [&](const Path &path) {
    for (const Root &root : roots_)
      if ((isBelow(path, root.named) || isBelow(path, root.real)) && isSource(path, root.isPublic))
        found.push_back({path, &root});
  };
  const Path path(file);
  if (!path.is_absolute()) {
    for (const Root &root : roots_)
      if (!root.isPublic)
        add((root.real / path).lexically_normal());
  } else {
    add(path.lexically_normal());
  }
  if (isNamed && isSource(path, false))
    found.push_back({workingDirectory_ / path, nullptr});
  if (found.empty())
    return refused(kOutside);
  return found;
}

bool SourceFiles::isSource(const Path &path, bool isPublic) const {
  if (isWantedSecret(path))
    return true;
  std::string extension = path.extension().string();
  if (extension.empty()) // <vector>
    return isPublic && path.string().find("/include/") != std::string::npos;
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::binary_search(kExtensions, std::string_view(extension).substr(1));
}

Expected<SourceText> SourceFiles::readCandidate(const Candidate &candidate) const {
  const Root *root = candidate.root;
  std::error_code error;
  const Path real = fs::canonical(candidate.path, error);
  if (error)
    return systemError(candidate.path.string(), "cannot be opened", error.value());
  // A link among the sources may lead anywhere.
  if (root ? !isBelow(real, root->real) : isSystemFile(real))
    return refused(kOutside);
  if (!isSource(real, root && root->isPublic))
    return refused(kNotSource);
  if (isHidden(isWantedSecret(real) ? real.parent_path() : real, root ? root->real : Path("/")))
    return refused(kHidden);
  const fs::file_status status = fs::status(real, error);
  if (error || !fs::is_regular_file(status))
    return refused("it is not a regular file"); // opening a device may do something
  if (root && root->isPublic && (status.permissions() & fs::perms::others_read) == fs::perms::none)
    return refused(kNotPublic);
  return checked(readText(real.string()));
}

bool SourceFiles::isWantedSecret(const Path &path) const {
  return rule_.secrets && !secretName(path.filename().string()).empty();
}

void SourceFiles::lookAgain() {
  const std::lock_guard lock(mutex_);
  areNamesFound_ = false;
}

std::optional<bool> SourceFiles::isNamedByProgram(const std::string &file) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(areNamesFound_, true))
    findNames();
  const bool isNamed = names_.contains(file);
  return isNamed || areAllNamesKnown_ ? std::optional(isNamed) : std::nullopt;
}

// The programs and libraries of all processes of the trace.
void SourceFiles::findNames() {
  if (!rule_.namedBy)
    return;
  const bool isFile = fileKind(trace_) == FileKind::File;
  std::string directory = isFile ? atf::parentPath(trace_) : trace_;
  if (atf::threadNumber(atf::baseName(directory)))
    directory = atf::parentPath(directory); // the thread's process
  else if (isFile)
    return; // of a format without programs
  std::set<std::pair<std::string, std::string>> modules;
  eachFileBelow(directory, [&](const std::string &name) {
    if (fs::path(name).filename() != "manifest.json")
      return;
    if (const auto manifest = Manifest::read(directory + "/" + name))
      for (const ManifestModule &module : manifest->modules)
        modules.emplace(module.path, module.buildId);
  });
  areAllNamesKnown_ = !modules.empty();
  for (const auto &[path, buildId] : modules)
    areAllNamesKnown_ &=
        !buildId.empty() && !isSystemFile(fs::path(path).lexically_normal()) && rule_.namedBy(path, buildId, names_);
}

} // namespace ada::formats
